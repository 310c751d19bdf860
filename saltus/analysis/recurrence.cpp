#include "saltus/analysis/recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

bool is_angle(const std::vector<bool>& angles, Index i) {
  return static_cast<std::size_t>(i) < angles.size() && angles[static_cast<std::size_t>(i)];
}

}  // namespace

Vector state_difference(const Vector& a, const Vector& b, const std::vector<bool>& angles) {
  Vector difference = a - b;
  for (Index i = 0; i < difference.size(); ++i)
    if (is_angle(angles, i)) difference[i] = std::remainder(difference[i], full_turn);
  return difference;
}

double state_distance(const Vector& a, const Vector& b, const std::vector<bool>& angles) {
  return state_difference(a, b, angles).cwiseAbs().maxCoeff();
}

double state_distance(const Vector& a, const Vector& b, const std::vector<bool>& angles, const StateSizes& sizes) {
  const Vector difference = state_difference(a, b, angles).cwiseAbs();
  double largest = 0.0;
  for (Index i = 0; i < difference.size(); ++i) {
    if (difference[i] <= sizes.unresolved[i]) continue;
    const double size = is_angle(angles, i) ? std::min(sizes.size[i], full_turn) : sizes.size[i];
    largest = std::max(largest, difference[i] / size);
  }
  return largest;
}

std::vector<bool> angle_coordinates(const Kernels& kernels, std::span<const double> parameters, const Vector& x) {
  const Mechanism mechanism(kernels, parameters);
  const Layout& layout = kernels.layout();
  std::vector<bool> angles(layout.n, true);
  for (int trial = 0; trial < 3; ++trial) {
    Vector at = x;
    for (Index i = 0; i < at.size(); ++i) at[i] += 0.37 * std::sin(1.7 * static_cast<double>((i + 1) * (trial + 1)));
    const Mode mode(layout);
    const double t = 0.3 * trial;
    const Vector rate = mechanism.field(t, at, mode).rate;
    const Vector gaps = mechanism.events(t, at, rate).value;
    for (std::size_t i = 0; i < layout.n; ++i) {
      Vector turned = at;
      turned[static_cast<Index>(i)] += full_turn;
      const double field_change = (mechanism.field(t, turned, mode).rate - rate).cwiseAbs().maxCoeff();
      const Vector gap_change = mechanism.events(t, turned, rate).value.head(static_cast<Index>(layout.contacts)) -
                                gaps.head(static_cast<Index>(layout.contacts));
      const bool same_gaps = gap_change.size() == 0 || gap_change.cwiseAbs().maxCoeff() < 1e-9;
      if (!(field_change < 1e-9 * (1.0 + rate.cwiseAbs().maxCoeff())) || !same_gaps) angles[i] = false;
    }
  }
  // A coordinate on which nothing depends is no angle: it drifts.
  return angles;
}

std::size_t repeating_points(std::span<const Vector> points, const std::vector<bool>& angles, const StateSizes& sizes,
                             std::size_t k, double tolerance) {
  std::size_t count = 0;
  while (count + k < points.size()) {
    const std::size_t j = points.size() - 1 - count;
    if (!(state_distance(points[j], points[j - k], angles, sizes) <= tolerance)) break;
    ++count;
  }
  return count;
}

std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const std::vector<bool>& angles,
                                             const StateSizes& sizes, std::size_t longest, double tolerance) {
  for (std::size_t k = 1; k <= longest; ++k) {
    const std::size_t wanted = std::max<std::size_t>(3 * k, 8);
    if (points.size() < wanted + k) return std::nullopt;
    if (repeating_points(points.last(wanted + k), angles, sizes, k, tolerance) >= wanted) return k;
  }
  return std::nullopt;
}

std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const std::vector<bool>& angles,
                                             std::size_t longest, double tolerance) {
  if (points.empty()) return std::nullopt;
  const Index N = points.front().size();
  double size = 1e-300;
  for (const Vector& point : points) size = std::max(size, state_distance(point, Vector::Zero(N), angles));
  return recurrence_period(points, angles, {Vector::Constant(N, size), Vector::Zero(N)}, longest, tolerance);
}

bool converges(std::span<const Vector> points, const std::vector<bool>& angles, const StateSizes& sizes,
               std::size_t longest) {
  constexpr std::size_t fewest = 12;  // comparisons, or chance would do
  for (std::size_t k = 1; k <= longest && points.size() >= 2 * k + fewest; ++k) {
    bool closer = true;
    for (std::size_t j = 0; j + 2 * k < points.size() && closer; ++j) {
      const double before = state_distance(points[j + k], points[j], angles, sizes);
      closer = state_distance(points[j + 2 * k], points[j + k], angles, sizes) < before;
    }
    if (closer) return true;
  }
  return false;
}

}  // namespace saltus
