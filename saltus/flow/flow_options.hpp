#pragma once

#include <functional>

#include "saltus/model/model.hpp"

namespace saltus {

/// How the motion between events is found: by Runge-Kutta steps, or, where every mode is linear with harmonic, polynomial or
/// constant forcing, in closed form. Automatic: in closed form where that is possible.
enum class FlowMethod { automatic, runge_kutta, exact };

/// How a motion is computed. Each is an inequality that the motion satisfies.
struct FlowOptions {
  double rtol = 1e-10;  // error of one step ≤ rtol |x| + atol, component by component in the mean
  double atol = 1e-12;
  double tangent_rtol = 1e-9;  // the same for the columns of the tangent, with atol = rtol
  double largest_step = 1e30;  // no step is longer
  ImpactLaw impact_law = ImpactLaw::sequential;
  FlowMethod method = FlowMethod::automatic;
  long most_events = 100'000'000;  // more end the run with Outcome::too_many_events
  long most_steps = 100'000'000'000;  // more end the run with Outcome::step_too_small
  std::function<bool()> interrupted = {};  // asked now and then by every run; true ends it with Outcome::stopped
};

}  // namespace saltus
