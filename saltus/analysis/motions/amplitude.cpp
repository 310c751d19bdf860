#include "saltus/analysis/motions/amplitude.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double coarsest = 1e-6;  // error of a quantity that is not told, relative to its range
constexpr double rounding_share = 1e-12;

}  // namespace

void AmplitudeMeter::include(double value) {
  largest_ = std::max(largest_, value);
  smallest_ = std::min(smallest_, value);
}

void AmplitudeMeter::add(const SmoothPart& part) {
  if (!(part.length > 0.0)) return;
  const double half = 0.5 * part.length;
  const ChebyshevSeries w = part.w.without_line(slope_ * (time_ + half), slope_ * half);
  if (time_ == 0.0) reference_ = w(-1.0);
  include(w(-1.0));
  include(w(1.0));
  if (w.middle() + w.spread() > largest_ || w.middle() - w.spread() < smallest_)
    for (const double s : w.turning_places()) include(w(s));
  sum_ += half * w.integral(reference_);
  square_ += half * w.square_integral(reference_);
  time_ += part.length;
  error_ = std::isfinite(part.error) ? std::max(error_, part.error) : std::numeric_limits<double>::infinity();
}

Amplitudes AmplitudeMeter::amplitudes() const {
  if (!(time_ > 0.0)) return {};
  const double range = largest_ - smallest_;
  const double size = std::max(std::abs(largest_), std::abs(smallest_));
  if (!(error_ <= coarsest * range + rounding_share * size)) {
    constexpr double no = std::numeric_limits<double>::quiet_NaN();
    return {no, no, no, no, no};
  }
  const double mean = sum_ / time_;
  const double variance = std::max(0.0, square_ / time_ - mean * mean);
  return {0.5 * range, std::sqrt(2.0 * variance), reference_ + mean, largest_, smallest_};
}

/// Of the range, and of what rounding_share leaves of a quantity that rests.
double TurningPoints::least_wave() const {
  constexpr double share = 1e-9;
  return share * (largest_ - smallest_) + rounding_share * std::max(std::abs(largest_), std::abs(smallest_));
}

void TurningPoints::Turns::go_to(double value, double least_wave) {
  if (std::isnan(candidate)) candidate = value;
  const double way = value - candidate;
  if (direction == 0.0) {
    if (std::abs(way) <= least_wave) return;
    direction = std::copysign(1.0, way);
    candidate = value;
  } else if (direction * way >= 0.0) {
    candidate = value;
  } else if (std::abs(way) > least_wave) {
    values.push_back(candidate);
    direction = -direction;
    candidate = value;
  }
}

void TurningPoints::go_to(double value) {
  if (largest_ < smallest_) first_ = value;
  largest_ = std::max(largest_, value);
  smallest_ = std::min(smallest_, value);
  turns_.go_to(value, least_wave());
}

/// What was a wave while the range was small need not be one.
std::vector<double> TurningPoints::values() const {
  Turns large;
  large.go_to(first_, least_wave());
  for (const double value : turns_.values) large.go_to(value, least_wave());
  large.go_to(turns_.candidate, least_wave());
  return large.values;
}

void TurningPoints::add(const SmoothPart& part) {
  if (!(part.length > 0.0)) return;
  go_to(part.w(-1.0));
  for (const double s : part.w.turning_places()) go_to(part.w(s));
  go_to(part.w(1.0));
}

}  // namespace saltus
