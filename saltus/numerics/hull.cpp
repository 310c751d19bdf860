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

/// The next choice of some of `count` numbers, in rising order; false behind the last one.
bool next_choice(std::vector<Eigen::Index>& chosen, Eigen::Index count) {
  const auto size = static_cast<Eigen::Index>(chosen.size());
  for (Eigen::Index i = size - 1; i >= 0; --i) {
    auto& at = chosen[static_cast<std::size_t>(i)];
    if (at == count - size + i) continue;
    ++at;
    for (Eigen::Index j = i + 1; j < size; ++j) chosen[static_cast<std::size_t>(j)] = at + (j - i);
    return true;
  }
  return false;
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

/// The least Σ β with Σ β_c (y_c − m) = −m, β ≥ 0, m the middle: it is found at a corner, where as many β as the hull has
/// dimensions are not zero.
double gauge_of_zero(const Eigen::MatrixXd& points) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!points.allFinite()) return infinite;
  const Eigen::MatrixXd y = scaled(points);
  const Eigen::VectorXd middle = y.rowwise().mean();
  const Eigen::MatrixXd centred = y.colwise() - middle;
  const Eigen::MatrixXd directions = directions_of(centred);
  if ((middle - directions * (directions.transpose() * middle)).cwiseAbs().maxCoeff() > outside) return infinite;
  const Eigen::MatrixXd flat = directions.transpose() * centred;
  const Eigen::VectorXd target = -(directions.transpose() * middle);
  const Eigen::Index dimension = flat.rows();
  if (dimension == 0) return 0.0;
  std::vector<Eigen::Index> chosen(static_cast<std::size_t>(dimension));
  std::iota(chosen.begin(), chosen.end(), 0);
  double least = infinite;
  do {
    const LuFactors factors{Eigen::MatrixXd(flat(Eigen::all, chosen))};
    if (!(factors.rcond() > same)) continue;
    const Eigen::VectorXd beta = factors.solve(target);
    if (beta.minCoeff() >= -same) least = std::min(least, beta.sum());
  } while (next_choice(chosen, flat.cols()));
  return least;
}

Eigen::Index dimension_of_hull(const Eigen::MatrixXd& points) {
  const Eigen::VectorXd middle = points.rowwise().mean();
  const Eigen::MatrixXd centred = scaled(points.colwise() - middle);
  return directions_of(centred).cols();
}

}  // namespace saltus
