#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "saltus/analysis/motions/motion_run.hpp"

namespace saltus {

/// One value of a parameter that is moved: everything that depends on it.
struct RampValue {
  std::vector<double> parameters;
  double period = 0.0;     // of the forcing; 0: none
  Vector x;                // where a motion starts that has no predecessor
  double transient = 0.0;  // in the unit of MotionOptions
  double length = 0.0;
};

/// Values visited one after the other, the end state of each starting the next.
struct Ramp {
  std::vector<std::size_t> values;  // indices
  std::optional<Vector> start = {};  // of the first; nothing: that of its value
};

/// What was found at one value of one ramp.
struct RampResult {
  std::size_t ramp = 0;
  std::size_t place = 0;  // in Ramp::values
  Outcome outcome = Outcome::reached_end;
  Verdict verdict;
  Exponents exponents;
  double impacts_per_unit_time = 0.0;
  double sliding_fraction = 0.0;
  Vector end;
  std::vector<double> points;  // as observed
};

/// Where a ramp is begun, or taken up again.
struct RampStart {
  std::size_t ramp = 0;
  std::size_t place = 0;
  std::optional<Vector> x = {};  // end state at the place before; nothing: there is none, or it could not be followed
};

struct RampOptions {
  MotionOptions motion;  // transient and length are those of the values
  double settle = 0.0;  // transient of a ramp's first value, if longer than its own
  unsigned width = 1;
  unsigned threads = 1;
  /// Numbers out of what was recorded of a motion.
  std::function<std::vector<double>(const std::vector<RecordedPoint>&, const RampValue&)> observe;
  /// Which ramp is followed next, and from where; nothing: there are no more. If not set: all of them, from their beginnings.
  /// Called by one thread at a time.
  std::function<std::optional<RampStart>()> next;
  /// Told as soon as a value is finished, by one thread at a time.
  std::function<void(const RampResult&)> found;
  std::function<bool()> interrupted;
};

/// Follows all ramps, side by side in lanes and threads. A motion that cannot be followed at some value is begun anew at the
/// next. What is found does not depend on width, threads and interruptions.
LaneUse follow_ramps(const Kernels& kernels, const std::vector<RampValue>& values, const std::vector<Ramp>& ramps,
                     const RampOptions& options);

/// The state if it penetrates no contact, else one nearby that does not: the coordinates are moved along M⁻¹n until the gap is
/// closed. A parameter that moves an obstacle would leave a body that rests on it inside.
Vector admissible(const Kernels& kernels, const std::vector<double>& parameters, Vector x);

}  // namespace saltus
