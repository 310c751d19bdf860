#pragma once

#include <functional>
#include <vector>

#include "saltus/flow/lane_stepper.hpp"
#include "saltus/flow/path_piece.hpp"
#include "saltus/flow/settle.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// One motion to be computed: from a point to a time.
struct FlowRun {
  FlowPoint start;
  Time end;
  double period = 0.0;                       // forcing period, 0: none
  std::vector<double> parameters;            // with the followers' rates: Layout::parameter_inputs()
  std::vector<double> period_rates;          // ∂period/∂p of the varied parameters; empty: the period keeps
  std::vector<Watch> watches;
  long stop_after = 0;                       // end at the stop_after-th crossing of a watched surface; 0: never
  std::vector<Time> samples;                 // increasing times at which the state is wanted
  std::function<bool()> interrupted;         // asked now and then; true ends the run with Outcome::stopped
  std::function<void(const Time&)> progress; // told now and then where the motion is
  PathFollower* follower = nullptr;          // is shown every piece of the motion
  bool measure_energy = false;               // Ledger::energy_work and energy_change are wanted
  bool bound_gaps = false;                   // Ledger::penetration_bound and closest_miss_bound are wanted
  bool measure_divergence = false;           // FlowResult::divergence is wanted
  bool keep_frame = false;                   // the state columns of the tangent are kept a frame: see TangentFrame
  std::vector<double> frame_scale;           // in which it is measured; empty: 1
  bool measure_range = false;                // FlowResult::lowest and highest are wanted
  bool keep_events = true;                   // record what happened; section events are always recorded
};

struct Sample {
  double t;
  Vector x;
  Mode mode;
  Vector force;  // λ
};

/// Where the motion got to, whatever the outcome, and why it ended there. The tangent's columns are derivatives at fixed cycles and phase of the end:
/// after whole periods those of the stroboscopic map, whose period may depend on p.
struct FlowResult : Stop {
  FlowPoint end;
  std::vector<Event> events;
  std::vector<Sample> samples;
  Ledger ledger;
  double divergence = 0.0;  // ∫ tr F_x dt over the free motion
  std::vector<double>
      growth;  // of the frame, if it was kept: what the end's tangent is to be multiplied by, as logarithms
  Vector lowest, highest;  // of each component at both ends and in the middle of every step, if measured
};

/// Where the lanes get their work: `next` fills the run of a lane, or says that there is none; `done` takes its result. There are
/// more of these lanes than are computed at once: who waits for others to do the same keeps its number.
class LaneWork {
 public:
  virtual ~LaneWork() = default;
  virtual bool next(std::size_t lane, FlowRun& run) = 0;
  virtual void done(std::size_t lane, FlowResult&& result) = 0;
};

/// How well the lanes were used: trial steps of all lanes, and those of lanes that had a run.
struct LaneUse {
  long slots = 0;
  long busy = 0;
  long steps = 0;  // of them, those that were taken
  double share() const { return slots > 0 ? static_cast<double>(busy) / static_cast<double>(slots) : 1.0; }
  LaneUse& operator+=(const LaneUse& other) {
    slots += other.slots;
    busy += other.busy;
    steps += other.steps;
    return *this;
  }
};

/// Computes motions W at a time, each lane with its own time, step, parameters and mode. A lane that ends gets its next run
/// at once. The results do not depend on the width, the lane or the neighbours. Whether the tangent is carried is decided
/// by `carries`; start tangents must then have Layout::columns() columns.
LaneUse flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
                   LaneWork& work);

/// One motion.
FlowResult flow(const Kernels& kernels, const FlowOptions& options, const FlowRun& run);

/// A start point at a time with a state, in the mode to be found there; tangent = identity for as many columns as the
/// kernels have (parameter columns 0) if `carries` says so.
FlowPoint start_point(const Kernels& kernels, Time t, const Vector& x, LaneStepper::Carries carries);

}  // namespace saltus
