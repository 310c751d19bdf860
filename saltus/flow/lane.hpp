#pragma once

#include <memory>
#include <optional>

#include "saltus/flow/crossing.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// One event function of a mode.
struct Guard {
  enum class Kind { gap, force, switched, weight, surface };
  Kind kind;
  std::size_t index;
  double sign = 1.0;    // the guard is sign · (value − offset), and falls through zero
  double offset = 0.0;
  std::size_t watch = 0;  // of a surface
};

/// A guard that the lane is about to stand on: by true steps from the start of the step.
struct Landing {
  Guard guard;
  bool on_minimum;  // first to the minimum of the guard, to see on which side of zero it lies
  StepRoot root;
};

/// One trajectory under way in a lane: everything but the arrays that it shares with its neighbours.
struct Lane {
  FlowRun run;
  FlowResult result;
  std::unique_ptr<Mechanism> mechanism;
  FlowPoint point;  // x and tangent are up to date only at events and at the end; the stepper holds them between
  double trial = 0.0;       // length of the next trial step
  bool ends = false;        // the trial reaches the end of the run
  bool rejected = false;    // the last trial was
  bool fresh = true;        // the field at the start must be computed
  std::optional<Landing> landing;
  std::optional<Guard> arrived;  // the guard that the point stands on, just handled
  std::size_t next_sample = 0;
  long crossings = 0;       // of watched surfaces
  long steps_since_event = 0;
  bool after_minimum = false;  // the step begins at the minimum of a gap that was looked at
  std::vector<double> begin_values, begin_rates, begin_seconds;  // event functions at the start of the step
  bool active = false;
};

}  // namespace saltus
