#include "saltus/analysis/recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

}  // namespace

double state_distance(const Vector& a, const Vector& b, const std::vector<bool>& angles) {
  double largest = 0.0;
  for (Index i = 0; i < a.size(); ++i) {
    const bool is_angle = static_cast<std::size_t>(i) < angles.size() && angles[static_cast<std::size_t>(i)];
    const double difference = is_angle ? std::remainder(a[i] - b[i], full_turn) : a[i] - b[i];
    largest = std::max(largest, std::abs(difference));
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

std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const std::vector<bool>& angles,
                                             std::size_t longest, double tolerance) {
  double size = 1e-300;
  for (const Vector& point : points) size = std::max(size, state_distance(point, Vector::Zero(point.size()), angles));
  for (std::size_t k = 1; k <= longest; ++k) {
    const std::size_t wanted = std::max<std::size_t>(3 * k, 8);
    if (points.size() < wanted + k) return std::nullopt;
    bool repeats = true;
    for (std::size_t j = points.size() - wanted; j < points.size() && repeats; ++j)
      repeats = state_distance(points[j], points[j - k], angles) <= tolerance * size;
    if (repeats) return k;
  }
  return std::nullopt;
}

bool converges(std::span<const Vector> points, const std::vector<bool>& angles, std::size_t longest) {
  constexpr std::size_t fewest = 12;  // comparisons, or chance would do
  for (std::size_t k = 1; k <= longest && points.size() >= 2 * k + fewest; ++k) {
    bool closer = true;
    for (std::size_t j = 0; j + 2 * k < points.size() && closer; ++j) {
      const double before = state_distance(points[j + k], points[j], angles);
      closer = state_distance(points[j + 2 * k], points[j + k], angles) < before;
    }
    if (closer) return true;
  }
  return false;
}

}  // namespace saltus
