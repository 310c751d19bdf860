#include "saltus/flow/crossing.hpp"

#include <array>
#include <cmath>
#include <span>

namespace saltus {
namespace {

/// The only place in (0, 1) behind which Σ cᵢ θⁱ is negative: Newton inside a bracket. A zero at θ = 0 is not meant.
double only_fall(std::span<const double> c) {
  if (c.front() == 0.0) c = c.subspan(1);
  double lower = 0.0;
  double upper = 1.0;
  double theta = 0.5;
  for (int count = 0; count < 60 && upper - lower > 1e-12; ++count) {
    double value = 0.0;
    double slope = 0.0;
    for (std::size_t i = c.size(); i-- > 0;) {
      slope = slope * theta + value;
      value = value * theta + c[i];
    }
    (value > 0.0 ? lower : upper) = theta;
    const double newton = theta - value / slope;
    if (slope < 0.0 && std::abs(newton - theta) <= 1e-9) return newton;
    const bool inside = slope < 0.0 && newton > lower && newton < upper;
    theta = inside ? newton : 0.5 * (lower + upper);
  }
  return theta;
}

}  // namespace

double fall_of_cubic(const EndJet& start, const EndJet& end, double h) {
  const double first = h * start.rate;
  const double value = end.value - start.value - first;
  const double rate = h * end.rate - first;
  return only_fall(std::array{start.value, first, 3.0 * value - rate, rate - 2.0 * value});
}

double fall_of_quintic(const EndJet& start, const EndJet& end, double h) {
  const double first = h * start.rate;
  const double half = 0.5 * h * h * start.second;
  const double value = end.value - (start.value + first + half);
  const double rate = h * end.rate - (first + 2.0 * half);
  const double second = h * h * end.second - 2.0 * half;
  return only_fall(std::array{start.value, first, half, 10.0 * value - 4.0 * rate + 0.5 * second,
                              7.0 * rate - 15.0 * value - second, 6.0 * value - 3.0 * rate + 0.5 * second});
}

std::optional<double> distance_to_zero(const EndJet& at) {
  if (!(at.rate < 0.0)) return std::nullopt;
  const double discriminant = at.rate * at.rate - 2.0 * at.value * at.second;
  if (!(discriminant > 0.8 * at.rate * at.rate)) return std::nullopt;
  return 2.0 * at.value / (std::sqrt(discriminant) - at.rate);
}

std::optional<double> next_fall(const EndJet& at) {
  const double discriminant = at.rate * at.rate - 2.0 * at.value * at.second;
  if (!(discriminant > 0.0)) return std::nullopt;
  if (at.rate > 0.0)
    return at.second < 0.0 ? std::optional((at.rate + std::sqrt(discriminant)) / -at.second) : std::nullopt;
  if (at.value <= 0.0) return std::nullopt;
  return 2.0 * at.value / (std::sqrt(discriminant) - at.rate);
}

bool StepRoot::improve(double value, double derivative, double tolerance) {
  const double place = next_;
  if (value > 0.0) lower_ = place;
  else upper_ = place;
  ++count_;
  double slope = derivative;
  if (slope == 0.0 && last_place_ >= 0.0 && place != last_place_) slope = (value - last_value_) / (place - last_place_);
  last_place_ = place;
  last_value_ = value;
  const double correction = slope != 0.0 ? -value / slope : 0.0;
  if (value == 0.0 || (slope < 0.0 && std::abs(correction) <= tolerance)) return true;
  // Corrections that are small and do not become smaller are noise.
  const bool small = slope < 0.0 && std::abs(correction) <= 1e-7 * place;
  if (small && last_correction_ > 0.0 && std::abs(correction) >= 0.25 * last_correction_) return true;
  double guess = place + correction;
  const bool inside = slope < 0.0 && guess > lower_ && guess < upper_;
  last_correction_ = small && inside ? std::abs(correction) : 0.0;
  // Newton that does not settle is mixed with bisection: every third step from the eighth on.
  if (!inside || (!small && count_ > 8 && count_ % 3 == 0)) guess = 0.5 * (lower_ + upper_);
  if (upper_ - lower_ <= tolerance || count_ > 100) return true;
  next_ = guess;
  return false;
}

}  // namespace saltus
