#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace saltus {

/// x^(−1/8) to 4 %, by an eighth of the exponent's bits: the controller needs no more, and a root takes longer than the
/// rest of it.
inline double rough_inverse_eighth_root(double x) {
  constexpr auto one = static_cast<std::uint64_t>((1023.0 - 0.043) * 0x1p52);
  return std::bit_cast<double>(one + one / 8 - std::bit_cast<std::uint64_t>(x) / 8);
}

/// The length of the next trial step, in parts of the last one, from its scaled error (≤ 1 is good): the error is of order 8.
class StepControl {
 public:
  static constexpr double largest = 2.0;
  /// `most_growth`: of the next trial that is taken.
  explicit StepControl(double most_growth = largest) : most_growth_(most_growth) {}
  double most_growth() const { return most_growth_; }

  /// Of a trial that is not taken; an error that is not finite tells nothing about a good length.
  double shrink(double error) {
    most_growth_ = 1.0;
    return std::isfinite(error) ? std::max(smallest, safety * rough_inverse_eighth_root(error)) : 0.1;
  }
  /// Of one that is. After a rejection the length that was good is kept.
  double grow(double error) {
    const double factor = safety * rough_inverse_eighth_root(std::max(error, 1e-12));
    return std::clamp(factor, smallest, std::exchange(most_growth_, largest));
  }
  /// Does a step of this length still move time on?
  static bool moves(double step, double t) {
    return step > 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-290);
  }
  /// To begin with: a hundredth of the time in which the state would change by its own size.
  static double first_step(double speed, double size) {
    const double step = speed > 0.0 ? 0.01 * std::max(size, 1e-3) / speed : 1e-3;
    return std::isfinite(step) ? step : 1e-3;
  }

 private:
  static constexpr double safety = 0.8;
  static constexpr double smallest = 0.2;
  double most_growth_;
};

}  // namespace saltus
