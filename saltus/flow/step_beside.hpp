#pragma once

#include <array>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/lane_stepper.hpp"

namespace saltus {

/// Short steps y(t − δ) → y(t) of lanes that stand δ before their time, |δ| ≤ landing_window h, by the midpoint rule; its error, of third
/// order in δ, is below rounding.
class StepBeside {
 public:
  StepBeside(const Kernels& kernels, const LaneStepper& stepper);

  /// Where δ is not zero. Behind it the state's rate is known; what comes next computes all others anew.
  void operator()(LaneStepper& stepper, const std::array<double, 8>& delta);

 private:
  std::size_t n_, N_, columns_;
  LaneArray middle_, rate_;
};

}  // namespace saltus
