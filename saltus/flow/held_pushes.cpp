#include "saltus/flow/held_pushes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/hull.hpp"

namespace saltus {
namespace {

constexpr double dependent = 1e-6;  // smallest singular value of columns of length 1 that are taken for independent
constexpr double rounding = 1e-12;  // of a force, relative to its terms

/// The shortest left inverse of columns, and what lies across them; nothing if they are not independent.
struct Inverse {
  Matrix left, across;
};
std::optional<Inverse> inverse_of(const Matrix& columns) {
  const Index count = columns.cols();
  if (count > columns.rows()) return std::nullopt;
  const SingularFactors factors = singular_factors(columns);
  if (!(factors.sigma[count - 1] > dependent)) return std::nullopt;
  return Inverse{factors.V * factors.sigma.cwiseInverse().asDiagonal() * factors.U.leftCols(count).transpose(),
                 factors.U.rightCols(columns.rows() - count).transpose()};
}

}  // namespace

void HeldPushes::begin(const Mode& mode, std::size_t rows, std::size_t sides) {
  contacts_.clear();
  for (std::size_t i = 0; i < mode.contacts().size(); ++i)
    if (mode.is_closed(i)) contacts_.push_back(i);
  const Index count = index(contacts_.size());
  push_ = spread_ = Matrix::Zero(index(rows), count);
  off_ = off_radius_ = Matrix::Zero(count, index(sides));
}

void HeldPushes::take(std::size_t side, const InverseDynamicsLayout& at, const double* out) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const std::size_t u = contacts_[i];
    for (std::size_t j = 0; j < at.rows; ++j) {
      const double middle = out[2 * at.push(j, u)];
      double& first = push_(index(j), index(i));
      double& spread = spread_(index(j), index(i));
      if (side == 0) first = middle;
      spread = std::max(spread, std::abs(middle - first) + out[2 * at.push(j, u) + 1]);
    }
    const double response = out[2 * at.response(u)];
    if (!(std::abs(response) > 0.0)) continue;
    off_(index(i), index(side)) = out[2 * at.constraint(u)] / response;
    off_radius_(index(i), index(side)) = out[2 * at.constraint(u) + 1] / std::abs(response);
  }
}

HeldPushes::Scaled HeldPushes::scaled(const Vector& unit) const {
  Scaled result{unit.asDiagonal() * push_, unit.asDiagonal() * spread_, off_, off_radius_.rowwise().maxCoeff()};
  for (Index i = 0; i < push_.cols(); ++i) {
    const double length = result.push.col(i).norm();
    result.push.col(i) /= length;
    result.spread.col(i) /= length;
    result.off.row(i) *= length;
    result.off_radius[i] *= length;
  }
  return result;
}

bool HeldPushes::take_off(const Vector& unit, Matrix& points, Vector& radius) const {
  if (contacts_.empty()) return true;
  const Scaled by = scaled(unit);
  if (!by.push.allFinite() || !by.spread.allFinite()) return false;
  const auto inverse = inverse_of(by.push);
  if (!inverse) return false;
  // |λ| ≤ |D| (|R| + spread |λ|)
  const Matrix size = inverse->left.cwiseAbs();
  const double own = (size * by.spread).rowwise().sum().maxCoeff();
  if (!(own < 0.5)) return false;
  const double largest = (size * (points.cwiseAbs().rowwise().maxCoeff() + radius)).maxCoeff() / (1.0 - own);
  const Vector wide = radius + largest * by.spread.rowwise().sum();
  if (!press(by, points, wide)) return false;
  points = (inverse->across * points).eval();
  radius = inverse->across.cwiseAbs() * wide;
  return true;
}

/// Do all contacts press, whatever the weights of the sides?
bool HeldPushes::press(const Scaled& by, const Matrix& points, const Vector& radius) const {
  const Matrix directions = directions_of_hull(points);
  Matrix columns(points.rows(), by.push.cols() + directions.cols());
  columns << by.push, directions;
  const auto inverse = inverse_of(columns);
  if (!inverse) return false;
  const Matrix D = inverse->left.topRows(by.push.cols());
  const Vector reach = D.cwiseAbs() * (radius + rounding * points.cwiseAbs().rowwise().maxCoeff()) + by.off_radius;
  return ((D * points - by.off).rowwise().minCoeff() - reach).minCoeff() > 0.0;
}

}  // namespace saltus
