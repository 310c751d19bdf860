#pragma once

#include <vector>

#include <Eigen/Core>

namespace saltus {

/// What solves A δ = 0 and B δ ∈ ℤ for every row, to rounding: δ = cyclic · y + lattice · n for any y and whole n. Numbers that are
/// within 1e-10 of a ratio of whole numbers below a thousand are taken for it.
struct LatticeSolution {
  Eigen::MatrixXd cyclic;  // column k has a 1 at its own component, where all other columns have 0
  Eigen::MatrixXd lattice;
};
LatticeSolution solve_on_lattice(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The same lattice with short columns, nearly at right angles: Lenstra, Lenstra and Lovász 1982.
Eigen::MatrixXd reduced_basis(Eigen::MatrixXd basis);

/// Gauss and Jordan with full pivoting, columns and rows first brought to the same size: the pivots' places and the rank.
struct Echelon {
  Eigen::MatrixXd reduced;  // the rows of the pivots, in their order: 1 at the pivot, 0 at the other pivots
  std::vector<Eigen::Index> rows, columns;

  std::size_t rank() const { return rows.size(); }
};
Echelon echelon(const Eigen::MatrixXd& A);

}  // namespace saltus
