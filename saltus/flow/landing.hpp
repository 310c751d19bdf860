#pragma once

#include "saltus/flow/crossing.hpp"
#include "saltus/flow/guard.hpp"

namespace saltus {

/// A guard that the lane is about to stand on: by true steps from the start of the step.
struct Landing {
  Guard guard;
  bool on_minimum;  // first to the minimum of the guard, to see on which side of zero it lies
  StepRoot root;
};

}  // namespace saltus
