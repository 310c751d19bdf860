#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>

#include "saltus/flow/flow_options.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// No step is longer. The default stands for no limit at all, so that a motion at rest comes to its end, however far.
inline double longest_step(const FlowOptions& options) {
  return options.largest_step < FlowOptions().largest_step ? options.largest_step
                                                           : std::numeric_limits<double>::infinity();
}

/// Why a run will not come to its end: at the pace of its first steps it would need more of them than anybody waits for. Empty if it
/// will, or if it is too early to tell.
inline std::string endless(long steps, const Time& now, const FlowRun& run) {
  constexpr long early = 100'000;
  constexpr double most_steps = 1e12;  // days
  if (steps < early) return "";
  const double pace = until(now, run.start.t, run.period) / static_cast<double>(steps);
  const double more = until(run.end, now, run.period) / pace;
  return more > most_steps ? fmt::format("{:.3g} more steps of {:.3g} each", more, pace) : "";
}

}  // namespace saltus
