#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "saltus/flow/flow_options.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// No step is longer. The default stands for no limit at all, so that a motion at rest comes to its end, however far.
inline double longest_step(const FlowOptions& options) {
  return options.largest_step < FlowOptions().largest_step ? options.largest_step
                                                           : std::numeric_limits<double>::infinity();
}

/// Nor does a natural step grow longer: at rest steps double; beyond a long time they may be as long as it.
inline double longest_natural_step(const FlowOptions& options, double period, double phase) {
  const double far = period > 0.0 ? period : std::max(1e9, std::abs(phase));
  return std::min(longest_step(options), far);
}

/// Tells that a run will not come to its end: at the pace of its last steps it would need more of them than anybody waits for.
class Pace {
 public:
  static constexpr long window = 100'000;  // steps whose pace is looked at
  static constexpr double most_steps = 1e11;  // a day's

  /// What is left of a run that will not end; nothing if it will, or if it is too early to tell.
  std::optional<OutOfReach> endless(long steps, const Time& now, const FlowRun& run) {
    if (!begun_) from_ = run.start.t;
    begun_ = true;
    if (steps < since_ + window) return std::nullopt;
    const double pace = until(now, from_, run.period) / static_cast<double>(steps - since_);
    const double more = until(run.end, now, run.period) / pace;
    since_ = steps;
    from_ = now;
    if (more <= most_steps) return std::nullopt;
    return OutOfReach{more, pace};
  }

 private:
  bool begun_ = false;
  long since_ = 0;
  Time from_;
};

}  // namespace saltus
