#pragma once

#include <string>

#include "saltus/driver/request.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// Where and why a motion ended early.
struct MotionStop {
  const Stop& why;
  double t;
  const FlowPoint& end;
};

/// Why: time, contacts or state, and one thing to do: "ball.toml: stopped at t = 3.2: …". Empty if the end was reached.
std::string stop_message(const PreparedModel& prepared, const MotionStop& stop);

/// done, stopped_early or interrupted.
ExitCode exit_code_of(Outcome outcome);

}  // namespace saltus
