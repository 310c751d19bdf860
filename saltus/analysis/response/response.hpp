#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "saltus/analysis/motions/amplitude.hpp"
#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/analysis/motions/ramps.hpp"

namespace saltus {

/// How large a forced motion is at one value of a parameter, and whether it repeats.
struct ResponsePoint {
  std::size_t ramp = 0;
  std::size_t place = 0;  // in Ramp::values
  Outcome outcome = Outcome::reached_end;
  Amplitudes amplitudes;
  std::size_t period = 0;  // forcing periods after which the strobe repeats; 0: it does not
  std::size_t strobes = 0;  // that were compared for it
  bool doubtful = false;  // that it does not is not seen, either
  bool grows = false;  // it does not repeat, and its strobe goes further and further away: it has no amplitude
  bool drifts =
      false;  // it does not repeat, and the quantity follows a coordinate on which nothing depends: it has no amplitude
  Stability stability = Stability::neutral;  // of a periodic one
  Vector end;  // state at the last strobe
};

struct ResponseOptions {
  FlowOptions flow;
  std::size_t longest_period = 64;  // of the recurrence that makes a motion periodic
  unsigned width = 1;
  unsigned threads = 1;
  std::function<std::optional<ResponsePoint>(std::size_t ramp, std::size_t place)> known;  // by an earlier run
  std::function<void(const ResponsePoint&)> found;  // as soon as a value is finished, by one thread at a time
  std::function<bool()> interrupted;
};

/// Follows all ramps, side by side in lanes and threads: each value's transient, then its length in whole forcing periods, over
/// which the quantity is measured. The kernels have N state columns and observe the quantity.
LaneUse follow_responses(const Kernels& kernels, const ObservedQuantity& quantity, const std::vector<RampValue>& values,
                         const std::vector<Ramp>& ramps, const ResponseOptions& options);

/// The amplitudes of the motion from x at the strobe over so many forcing periods. Nothing if it does not get there.
std::optional<Amplitudes> amplitudes_from(const Kernels& kernels, const ObservedQuantity& quantity,
                                          const FlowOptions& options, const std::vector<double>& parameters,
                                          double period, const Vector& x, long periods);

}  // namespace saltus
