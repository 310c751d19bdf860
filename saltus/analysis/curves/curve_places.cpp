#include "saltus/analysis/curves/curve_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/analysis/curves/branch_point.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double jump =
    1e-9;  // of the length between neighbours: a function that keeps its values over so little of it jumps
constexpr int most_trials = 80;
constexpr int enough_trials = 24;  // for a function that is not straight down to its rounding errors

/// Two points of the curve between which a test function changes its sign, with its values, seen from a third one.
struct Bracket {
  double left = 0.0, right = 0.0;  // distances along the tangent
  double f_left = 0.0, f_right = 0.0;
  Vector y_left, y_right;
  double weight_left = 1.0, weight_right = 1.0;
  int side = 0;

  double width() const { return right - left; }
  /// Regula falsi with halved weights (Illinois), bisection when it is slow.
  double next(int trial) const {
    const double f = weight_left * f_left, g = weight_right * f_right;
    const double s = left + width() * f / (f - g);
    return trial % 4 == 3 || !(s > left && s < right) ? left + 0.5 * width() : s;
  }
  /// The straight line between them. It lies in the planes in which points are sought.
  Vector guess(double s) const { return y_left + (s - left) / (right - left) * (y_right - y_left); }
  /// Both values stay where they were, however near the points are.
  bool holds_a_jump(double length, double size) const {
    return width() < jump * length && std::min(std::abs(f_left), std::abs(f_right)) > 0.1 * size;
  }
  void shrink(double s, double f, const Vector& y) {
    const bool on_left = (f > 0.0) == (f_left > 0.0);
    (on_left ? left : right) = s;
    (on_left ? f_left : f_right) = f;
    (on_left ? y_left : y_right) = y;
    (on_left ? weight_left : weight_right) = 1.0;
    if (side == (on_left ? -1 : 1)) (on_left ? weight_right : weight_left) *= 0.5;
    side = on_left ? -1 : 1;
  }
};

CurvePoint at_zero(CurvePoint point, std::size_t i) {
  point.zero_of = i;
  return point;
}

}  // namespace

std::optional<CurvePoint> CurvePlaces::at(const Vector& y, const Vector& along) const {
  const auto jet = problem_.jet(y);
  if (!jet || !jet->jacobian.allFinite()) return std::nullopt;
  const auto tangent = curve_tangent(*jet, scale_, along);
  if (!tangent) return std::nullopt;
  CurvePoint point{y, *tangent, {}, {}};
  point.tests = {(*tangent)[tangent->size() - 1],
                 LuFactors(bordered(jet->jacobian, scale_, *tangent)).signed_distance_from_singular()};
  for (const double value : problem_.tests(y)) point.tests.push_back(value);
  return point;
}

std::optional<CurvePoint> CurvePlaces::stepped(const CurvePoint& from, double step, Correction& correction) const {
  return near(from, from.y + (step * from.tangent).cwiseProduct(scale_), correction);
}

/// The point of the curve in the plane through a guess across the tangent of another point.
std::optional<CurvePoint> CurvePlaces::near(const CurvePoint& from, const Vector& guess, Correction& correction) const {
  correction = corrected(problem_, guess, from.tangent, options_, options_.most_iterations);
  if (!correction.converged()) return std::nullopt;
  return at(correction.y, from.tangent);
}

double CurvePlaces::distance(const CurvePoint& from, const CurvePoint& to) const {
  return (to.y - from.y).cwiseQuotient(scale_).dot(from.tangent);
}

std::optional<CurvePoint> CurvePlaces::zero_between(const CurvePoint& a, const CurvePoint& b, double length,
                                                    std::size_t i) const {
  const double largest = std::max(std::abs(a.tests[i]), std::abs(b.tests[i]));
  // A step may end at the zero itself, as far as multipliers are known.
  if (std::abs(b.tests[i]) <= 1e-11 * largest) return at_zero(b, i);
  if (std::abs(a.tests[i]) <= 1e-11 * largest) return at_zero(a, i);
  const Vector end = a.y + (b.y - a.y) * (length / distance(a, b));
  Bracket bracket{0.0, length, a.tests[i], b.tests[i], a.y, end};
  const double size = std::min(std::abs(bracket.f_left), std::abs(bracket.f_right));
  const double slope = std::max(std::abs(a.tangent[a.tangent.size() - 1]), 1e-3);
  std::optional<CurvePoint> best;
  double tried = 0.5 * length;
  for (int k = 0; k < most_trials && !is_interrupted(); ++k) {
    tried = bracket.next(k);
    Correction correction;
    auto point = near(a, bracket.guess(tried), correction);
    if (!point || !std::isfinite(point->tests[i])) break;  // on a branch point itself nothing can be solved
    const double f = point->tests[i];
    bracket.shrink(tried, f, point->y);
    if (!best || std::abs(f) < std::abs(best->tests[i])) best = std::move(point);
    if (bracket.holds_a_jump(length, size)) return std::nullopt;
    // Where the parameter hardly changes along the curve, the function may change much.
    const bool is_located = bracket.width() * slope < options_.located;
    if (is_located && (std::abs(f) < 1e-9 * largest || k > enough_trials)) break;
    if (bracket.width() < 1e-13 || std::abs(f) < 1e-13 * largest) break;
  }
  // Where curves cross nothing can be solved at the zero itself, only beside it.
  const bool reached = best && std::abs(best->tests[i]) <= 1e-3 * std::max(size, 1e-9);
  if (i == branch_point_test || !reached)
    if (auto between = found_between(a, tried, length, i)) best = std::move(between);
  if (!best || (!reached && std::abs(best->tests[i]) > 0.0)) return std::nullopt;
  if (i == branch_point_test)
    if (const auto crossing = branch_point_near(problem_, best->y)) best->y = *crossing;
  return at_zero(std::move(*best), i);
}

/// The zero of test i by interpolation between points of the curve around s, and again around what is found, until it lies among them.
std::optional<CurvePoint> CurvePlaces::found_between(const CurvePoint& a, double s, double length,
                                                     std::size_t i) const {
  for (int round = 0; round < 3; ++round) {
    double place = 0.0;
    auto found = interpolated(a, s, 0.03 * length, i, place);
    if (!found) return found;
    if (std::abs(place) <= 2.0) {
      auto nearer = interpolated(a, s + place * 0.03 * length, 0.006 * length, i, place);
      return nearer && std::abs(place) <= 2.0 ? nearer : found;
    }
    s += place * 0.03 * length;
    if (s < 0.0 || s > length) return std::nullopt;
  }
  return std::nullopt;
}

/// The zero of test i by interpolation of fourth order between points of the curve on both sides of s; `place`: where, in units of
/// `apart`. Nothing if the function is not nearly straight there: then it jumps, or passes through infinity.
std::optional<CurvePoint> CurvePlaces::interpolated(const CurvePoint& a, double s, double apart, std::size_t i,
                                                    double& place) const {
  constexpr std::array places = {-2.0, -1.0, 1.0, 2.0};
  std::array<CurvePoint, places.size()> points;
  Eigen::Vector4d f;
  for (std::size_t j = 0; j < places.size(); ++j) {
    Correction correction;
    auto point = stepped(a, s + places[j] * apart, correction);
    if (!point || !std::isfinite(point->tests[i])) return std::nullopt;
    f[static_cast<Index>(j)] = point->tests[i];
    points[j] = std::move(*point);
  }
  const double slope = (f[3] - f[0]) / 4.0;
  const double bend = std::max(std::abs(f[1] - (f[0] + slope)), std::abs(f[2] - (f[0] + 3.0 * slope)));
  if (!(bend < 0.2 * std::abs(slope))) return std::nullopt;
  // Lagrange's polynomials: of the place as a function of f, then of the point as a function of the place.
  place = 0.0;
  for (Index j = 0; j < 4; ++j) {
    double weight = 1.0;
    for (Index k = 0; k < 4; ++k)
      if (k != j) weight *= f[k] / (f[k] - f[j]);
    place += weight * places[static_cast<std::size_t>(j)];
  }
  Vector y = Vector::Zero(a.y.size());
  Vector tangent = Vector::Zero(a.y.size());
  for (std::size_t j = 0; j < places.size(); ++j) {
    double weight = 1.0;
    for (std::size_t k = 0; k < places.size(); ++k)
      if (k != j) weight *= (place - places[k]) / (places[j] - places[k]);
    y += weight * points[j].y;
    tangent += weight * points[j].tangent;
  }
  CurvePoint found{y, tangent.normalized(), points[1].tests, {}};
  found.tests[i] = 0.0;
  return found;
}

}  // namespace saltus
