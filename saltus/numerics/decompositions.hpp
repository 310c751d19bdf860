#pragma once

#include <Eigen/LU>

namespace saltus {

// Decompositions of matrices of any size. They are compiled here once: Eigen's own take the compiler seconds wherever they stand.

/// A = P⁻¹ L U of a square matrix.
class LuFactors {
 public:
  explicit LuFactors(const Eigen::MatrixXd& A);

  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& right) const;
  Eigen::MatrixXd inverse() const;
  double determinant() const;
  /// An estimate of 1/(‖A‖ ‖A⁻¹‖).
  double rcond() const;
  /// ± 1/‖A⁻¹‖ with the sign of det A: smooth, without poles, and near to the smallest singular value where A is nearly singular.
  double signed_distance_from_singular() const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

/// A = U diag(σ) Vᵀ with square U and V, σ falling.
struct SingularFactors {
  Eigen::MatrixXd U;
  Eigen::VectorXd sigma;
  Eigen::MatrixXd V;
};
SingularFactors singular_factors(const Eigen::MatrixXd& A);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

/// The shortest x with |A x − b| least.
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::VectorXcd shortest_solution(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b);

struct Eigenpairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns
};
Eigenpairs eigenpairs_of(const Eigen::MatrixXd& A);
Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A);

}  // namespace saltus
