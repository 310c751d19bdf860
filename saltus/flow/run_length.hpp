#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

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

/// Tells that a run will not come to its end: at the pace of its last steps it would need more of them than anybody waits for; or twice as
/// many steps lead less and less far, again and again, as those of a motion that grows beyond all bounds in finite time.
class Pace {
 public:
  static constexpr long window = 100'000;  // steps whose pace is looked at
  static constexpr double most_steps = 1e11;  // a day's
  static constexpr long first_look = 12'500;  // steps; then after twice as many, and so on
  static constexpr double less =
      0.8;  // of the time that half as many steps took; as long as the pace keeps they take twice as long
  static constexpr int looks = 4;  // that have to agree

  /// What is left of a run that will not end; nothing if it will, or if it is too early to tell.
  std::optional<OutOfReach> endless(long steps, const Time& now, const FlowRun& run) {
    if (!begun_) from_ = marked_ = run.start.t;
    begun_ = true;
    if (const auto limit = limit_ahead(steps, now, run)) return limit;
    if (steps < since_ + window) return std::nullopt;
    const double pace = until(now, from_, run.period) / static_cast<double>(steps - since_);
    const double more = until(run.end, now, run.period) / pace;
    since_ = steps;
    from_ = now;
    if (more <= most_steps) return std::nullopt;
    return OutOfReach{more, pace};
  }

 private:
  /// Where the times of more and more steps add up to, if that is before the end by far.
  std::optional<OutOfReach> limit_ahead(long steps, const Time& now, const FlowRun& run) {
    if (steps < mark_) return std::nullopt;
    const double taken = until(now, marked_, run.period);
    const double ratio = taken / std::exchange(taken_, taken);
    marked_ = now;
    const long before = std::exchange(mark_, 2 * mark_);
    shrinking_ = before > 2 * first_look && ratio <= less ? shrinking_ + 1 : 0;
    const double more = taken * ratio / (1.0 - ratio);
    const double left = until(run.end, now, run.period);
    if (shrinking_ < looks || !(10.0 * more < left)) return std::nullopt;
    const double step = 2.0 * taken / static_cast<double>(before);
    return OutOfReach{left / step, step, now.absolute(run.period) + more};
  }

  bool begun_ = false;
  long since_ = 0;
  Time from_;
  long mark_ = first_look;
  Time marked_;
  double taken_ = 0.0;  // between the last two looks
  int shrinking_ = 0;  // looks in a row after which less time was taken
};

}  // namespace saltus
