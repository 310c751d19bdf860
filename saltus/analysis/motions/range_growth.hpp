#pragma once

#include <algorithm>
#include <cmath>

#include "saltus/analysis/motions/state_sizes.hpp"

namespace saltus {

/// By how much the ranges of a motion's components grow at most in the second half of its time, or a little longer.
class RangeGrowth {
 public:
  /// The ranges since the beginning, at a time since then.
  void note(const StateRange& motion, double time) {
    if (time < 2.0 * noted_at_) return;
    early_ = noted_;
    noted_ = motion;
    noted_at_ = time;
  }
  /// Of the ranges in the end: a logarithm.
  double until(const StateRange& motion) const {
    if (early_.lowest.size() == 0) return 0.0;
    const Vector before = early_.widths();
    const Vector now = motion.widths();
    double most = 0.0;
    for (Eigen::Index i = 0; i < now.size(); ++i)
      if (before[i] > 0.0) most = std::max(most, std::log(now[i] / before[i]));
    return most;
  }

 private:
  StateRange noted_,
      early_;  // as they were in the second half of the time, and in the first half, not before a quarter
  double noted_at_ = 0.0;
};

}  // namespace saltus
