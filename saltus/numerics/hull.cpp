#include "saltus/numerics/hull.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "saltus/numerics/decompositions.hpp"

namespace saltus {
namespace {

constexpr double same = 1e-9;      // of the largest distance
constexpr double outside = 1e-6;   // that far from their plane zero cannot be reached

/// Rows in units of their own size.
Eigen::MatrixXd scaled(const Eigen::MatrixXd& points) {
  Eigen::MatrixXd result = points;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const double size = points.row(i).cwiseAbs().maxCoeff();
    if (size > 0.0) result.row(i) /= size;
  }
  return result;
}

/// The plane through the points: an orthonormal basis of its directions.
Eigen::MatrixXd directions_of(const Eigen::MatrixXd& centred) {
  const SingularFactors factors = singular_factors(centred);
  Eigen::Index rank = 0;
  while (rank < factors.sigma.size() && factors.sigma[rank] > same * std::max(factors.sigma[0], same)) ++rank;
  return factors.U.leftCols(rank);
}

/// max b·y over all y with y·p ≤ 1 for every column p: the simplex method from y = 0, by Bland's rule. The columns surround the origin, so
/// that there is a maximum; infinite if rounding keeps it from being found.
double largest_over_polar(const Eigen::MatrixXd& points, const Eigen::VectorXd& b) {
  constexpr double zero = 1e-13;
  constexpr int most_pivots = 10000;
  const Eigen::Index d = points.rows();
  const Eigen::Index n = points.cols();
  // Slacks 1 − A z of z = (y⁺, y⁻) ≥ 0 and, last, the value; the column behind z is their value where all z that are free vanish.
  Eigen::MatrixXd table(n + 1, 2 * d + 1);
  table << points.transpose(), -points.transpose(), Eigen::VectorXd::Ones(n), -b.transpose(), b.transpose(), 0.0;
  std::vector<Eigen::Index> basic(static_cast<std::size_t>(n)), free(static_cast<std::size_t>(2 * d));
  std::iota(free.begin(), free.end(), 0);
  std::iota(basic.begin(), basic.end(), 2 * d);
  const auto name = [](std::vector<Eigen::Index>& names, Eigen::Index i) -> Eigen::Index& {
    return names[static_cast<std::size_t>(i)];
  };
  for (int count = 0; count < most_pivots; ++count) {
    Eigen::Index enters = -1;
    for (Eigen::Index j = 0; j < 2 * d; ++j)
      if (table(n, j) < -zero && (enters < 0 || name(free, j) < name(free, enters))) enters = j;
    if (enters < 0) return table(n, 2 * d);
    Eigen::Index leaves = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!(table(i, enters) > zero)) continue;
      const double more =
          leaves < 0 ? -1.0 : table(i, 2 * d) / table(i, enters) - table(leaves, 2 * d) / table(leaves, enters);
      if (more < 0.0 || (more == 0.0 && name(basic, i) < name(basic, leaves))) leaves = i;
    }
    if (leaves < 0) return std::numeric_limits<double>::infinity();
    const double pivot = table(leaves, enters);
    const Eigen::RowVectorXd row = table.row(leaves) / pivot;
    const Eigen::VectorXd column = table.col(enters);
    table -= column * row;
    table.col(enters) = -column / pivot;
    table.row(leaves) = row;
    table(leaves, enters) = 1.0 / pivot;
    std::swap(name(free, enters), name(basic, leaves));
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

Eigen::VectorXd solution_despite_noise(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  constexpr double noise = 1e-7;
  Eigen::VectorXd unit = A.cwiseAbs().rowwise().maxCoeff();
  for (double& size : unit) size = size > 0.0 ? size : 1.0;
  const SingularFactors factors = singular_factors(unit.cwiseInverse().asDiagonal() * A);
  const Eigen::VectorXd along = factors.U.transpose() * b.cwiseQuotient(unit);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(A.cols());
  for (Eigen::Index i = 0; i < factors.sigma.size(); ++i)
    if (factors.sigma[i] > noise * factors.sigma[0]) x += along[i] / factors.sigma[i] * factors.V.col(i);
  return x;
}

Eigen::VectorXd weights_of_zero(const Eigen::MatrixXd& points) {
  const Eigen::MatrixXd y = scaled(points);
  Eigen::MatrixXd C(1 + y.rows(), y.cols());
  C.row(0).setOnes();
  C.bottomRows(y.rows()) = y;
  const Eigen::VectorXd equal = Eigen::VectorXd::Constant(y.cols(), 1.0 / static_cast<double>(y.cols()));
  const Eigen::VectorXd lack = Eigen::VectorXd::Unit(C.rows(), 0) - C * equal;
  return equal + solution_despite_noise(C, lack);
}

/// The least Σ β with Σ β_c (y_c − m) = −m, β ≥ 0, m the middle: as large as its dual says.
double gauge_of_zero(const Eigen::MatrixXd& points) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!points.allFinite()) return infinite;
  const Eigen::MatrixXd y = scaled(points);
  const Eigen::VectorXd middle = y.rowwise().mean();
  const Eigen::MatrixXd centred = y.colwise() - middle;
  const Eigen::MatrixXd directions = directions_of(centred);
  if ((middle - directions * (directions.transpose() * middle)).cwiseAbs().maxCoeff() > outside) return infinite;
  if (directions.cols() == 0) return 0.0;
  return largest_over_polar(directions.transpose() * centred, -(directions.transpose() * middle));
}

Eigen::MatrixXd directions_of_hull(const Eigen::MatrixXd& points) {
  const Eigen::VectorXd middle = points.rowwise().mean();
  return directions_of(points.colwise() - middle);
}

Eigen::Index dimension_of_hull(const Eigen::MatrixXd& points) {
  constexpr double rounding = 1e-12;
  const Eigen::VectorXd middle = points.rowwise().mean();
  Eigen::MatrixXd centred = points.colwise() - middle;
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    if (centred.row(i).cwiseAbs().maxCoeff() <= rounding * points.row(i).cwiseAbs().maxCoeff())
      centred.row(i).setZero();
  return directions_of(scaled(centred)).cols();
}

}  // namespace saltus
