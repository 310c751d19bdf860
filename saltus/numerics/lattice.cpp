#include "saltus/numerics/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double negligible = 1e-11;      // beside 1, in rows and columns of like size
constexpr double largest_ratio = 1000.0;  // of whole numbers that are recognised
constexpr double whole_enough = 1e-10;

/// Sizes of columns such that A diag(size) has rows and columns of like size; units of coordinates then do not matter.
Vector column_sizes(Matrix A) {
  Vector size = Vector::Ones(A.cols());
  for (int pass = 0; pass < 3; ++pass) {
    for (Index i = 0; i < A.rows(); ++i)
      if (const double largest = A.row(i).cwiseAbs().maxCoeff(); largest > 0.0) A.row(i) /= largest;
    for (Index j = 0; j < A.cols(); ++j)
      if (const double largest = A.col(j).cwiseAbs().maxCoeff(); largest > 0.0) {
        A.col(j) /= largest;
        size[j] /= largest;
      }
  }
  return size;
}

bool is_whole(double value) { return std::abs(value - std::round(value)) <= whole_enough; }

/// A basis of the solutions of Σ w_i n_i ∈ ℤ in whole numbers.
Matrix whole_relations(const Vector& w) {
  constexpr double weight = 1e11;
  const Index g = w.size();
  Matrix basis = Matrix::Zero(g + 1, g + 1);
  for (Index i = 0; i < g; ++i) {
    basis(i, i) = 1.0;
    basis(g, i) = weight * std::remainder(w[i], 1.0);
  }
  basis(g, g) = weight;
  basis = reduced_basis(basis);
  std::vector<Index> found;
  for (Index j = 0; j <= g; ++j) {
    const Vector n = basis.col(j).head(g);
    const double sum = n.dot(w.unaryExpr([](double x) { return std::remainder(x, 1.0); }));
    const double largest = n.cwiseAbs().maxCoeff();
    if (largest <= largest_ratio && std::abs(sum - std::round(sum)) <= whole_enough * std::max(1.0, largest))
      found.push_back(j);
  }
  Matrix relations(g, index(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k) relations.col(index(k)) = basis.col(found[k]).head(g);
  return relations;
}

/// Null space of rows in echelon form: one column for each component without a pivot, which is 1 there.
Matrix null_space(const Echelon& e, Index size) {
  std::vector<Index> free;
  for (Index j = 0; j < size; ++j)
    if (std::find(e.columns.begin(), e.columns.end(), j) == e.columns.end()) free.push_back(j);
  Matrix basis = Matrix::Zero(size, index(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) {
    basis(free[k], index(k)) = 1.0;
    for (std::size_t i = 0; i < e.rank(); ++i) basis(e.columns[i], index(k)) = -e.reduced(index(i), free[k]);
  }
  return basis;
}

/// Integer combinations n of the columns of `basis` with rows · basis · n ∈ ℤ.
Matrix with_whole_values(const Matrix& rows, Matrix basis) {
  for (Index i = 0; i < rows.rows() && basis.cols() > 0; ++i) {
    const Vector w = (rows.row(i) * basis).transpose();
    if (std::all_of(w.begin(), w.end(), is_whole)) continue;
    basis = basis * whole_relations(w);
  }
  return basis;
}

}  // namespace

Echelon echelon(const Matrix& A) {
  if (A.size() == 0) return {Matrix::Zero(0, A.cols()), {}, {}};
  const Vector size = column_sizes(A);
  Matrix work = A * size.asDiagonal();
  for (Index i = 0; i < work.rows(); ++i)
    if (const double largest = work.row(i).cwiseAbs().maxCoeff(); largest > 0.0) work.row(i) /= largest;
  Echelon result;
  std::vector<char> used(static_cast<std::size_t>(A.rows()), 0);
  while (result.rank() < static_cast<std::size_t>(std::min(A.rows(), A.cols()))) {
    Index row = -1, column = -1;
    double largest = negligible;
    for (Index j = 0; j < work.cols(); ++j)
      for (Index i = 0; i < work.rows(); ++i)
        if (!used[static_cast<std::size_t>(i)] && std::abs(work(i, j)) > largest * (1.0 + 1e-9)) {
          largest = std::abs(work(i, j));
          row = i;
          column = j;
        }
    if (row < 0) break;
    used[static_cast<std::size_t>(row)] = 1;
    work.row(row) /= work(row, column);
    for (Index i = 0; i < work.rows(); ++i)
      if (i != row) work.row(i) -= work(i, column) * work.row(row);
    result.rows.push_back(row);
    result.columns.push_back(column);
  }
  result.reduced.resize(index(result.rank()), A.cols());
  for (std::size_t k = 0; k < result.rank(); ++k) {
    const double pivot = size[result.columns[k]];
    for (Index j = 0; j < A.cols(); ++j) {
      const double value = work(result.rows[k], j);
      result.reduced(index(k), j) = std::abs(value) < negligible ? 0.0 : value * pivot / size[j];
    }
  }
  return result;
}

Matrix reduced_basis(Matrix basis) {
  constexpr double lovasz = 0.75;
  const Index count = basis.cols();
  Matrix across(basis.rows(), count);  // Gram and Schmidt's, not normalised
  Matrix mu = Matrix::Zero(count, count);
  const auto orthogonalise = [&] {
    for (Index i = 0; i < count; ++i) {
      across.col(i) = basis.col(i);
      for (Index j = 0; j < i; ++j) {
        mu(i, j) = basis.col(i).dot(across.col(j)) / across.col(j).squaredNorm();
        across.col(i) -= mu(i, j) * across.col(j);
      }
    }
  };
  orthogonalise();
  constexpr int most_swaps = 10'000;
  Index k = 1;
  for (int swaps = 0; k < count && swaps < most_swaps;) {
    for (Index j = k; j-- > 0;) {
      const double whole = std::round(mu(k, j));
      if (whole == 0.0) continue;
      basis.col(k) -= whole * basis.col(j);
      orthogonalise();
    }
    if (across.col(k).squaredNorm() >= (lovasz - mu(k, k - 1) * mu(k, k - 1)) * across.col(k - 1).squaredNorm()) {
      ++k;
      continue;
    }
    basis.col(k).swap(basis.col(k - 1));
    orthogonalise();
    ++swaps;
    k = std::max<Index>(k - 1, 1);
  }
  return basis;
}

LatticeSolution solve_on_lattice(const Matrix& A, const Matrix& B) {
  const Index size = A.cols();
  const Matrix kept = null_space(echelon(A), size);
  Matrix values = B * kept;
  // What of it is rounding must not count as a dependence.
  for (Index i = 0; i < values.rows(); ++i)
    for (Index k = 0; k < values.cols(); ++k) {
      const double terms = B.row(i).cwiseAbs().dot(kept.col(k).cwiseAbs());
      if (std::abs(values(i, k)) <= negligible * terms) values(i, k) = 0.0;
    }
  const Echelon e = echelon(values);
  LatticeSolution result;
  result.cyclic = kept * null_space(e, kept.cols());
  const Index r = index(e.rank());
  Matrix square(r, r);
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < r; ++j)
      square(i, j) = values(e.rows[static_cast<std::size_t>(i)], e.columns[static_cast<std::size_t>(j)]);
  Matrix phases = Matrix::Zero(kept.cols(), r);
  if (r > 0) {
    const Matrix inverse = LuFactors(square).inverse();
    for (Index j = 0; j < r; ++j) phases.row(e.columns[static_cast<std::size_t>(j)]) = inverse.row(j);
  }
  result.lattice = kept * with_whole_values(values, phases);
  if (result.lattice.cols() == 0) return result;
  Vector scale = result.lattice.cwiseAbs().rowwise().maxCoeff();
  scale = scale.unaryExpr([](double s) { return s > 0.0 ? s : 1.0; });
  Matrix scaled = reduced_basis(scale.cwiseInverse().asDiagonal() * result.lattice);
  scaled = scaled.unaryExpr([](double x) { return std::abs(x) < negligible ? 0.0 : x; });
  for (auto column : scaled.colwise()) {
    const auto first = std::find_if(column.begin(), column.end(), [](double x) { return x != 0.0; });
    if (first != column.end() && *first < 0.0) column = -column;
  }
  result.lattice = scale.asDiagonal() * scaled;
  return result;
}

}  // namespace saltus
