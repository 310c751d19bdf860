#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/state_sizes.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/parameter_rates.hpp"

namespace saltus {

using RowVector = Eigen::RowVectorXd;

/// Where a piece of motion begins. A state inside sliding that is known only approximately says so by its mode: it is then
/// projected onto the closed contacts first, and the projection belongs to the map.
struct ArcStart {
  Vector x;
  double phase = 0.0;  // as a part of the forcing period, 0 ≤ phase < 1
  std::optional<Mode> mode = {};  // not given: found there, as at the start of a simulation (touching contacts settle)
  std::vector<double> fastest = {};  // per contact: largest |γ⁻| before, the scale of chatter; empty: not known
};

/// A piece of motion as a map: its end as a function of its start and of the varied parameters.
struct Arc : Stop {
  Vector x;  // end
  Matrix dx_dx;  // N × N
  Matrix dx_dp;  // N × varied
  double duration = 0.0;
  RowVector dduration_dx;  // zero but for returns to a section
  RowVector dduration_dp;
  Vector F_start, F_end;
  FlowPoint end;  // with the mode
  Mode start_mode;  // after the start settled
  std::vector<Event> events;  // times count from the start of the arc
  Ledger ledger;
  bool missed = false;  // the section was not met in time; the outcome is then `stopped`

  bool whole() const { return outcome == Outcome::reached_end; }
};

/// How long an arc is: in forcing periods, or in time for an autonomous system. The parameter columns are derivatives at fixed
/// `length` and fixed phase (as a part of the period), whose period may depend on p.
Arc arc(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
        double length);

/// Between which values the components range on it; as far as it gets.
StateRange arc_range(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
                     double length);

/// A motion from t = 0 whose start lies on the section to rounding, but before it: the crossing met there is none of its returns.
/// `natural_step`: in which time the motion goes about.
bool begins_on_section(const FlowResult& motion, double natural_step);

/// To the count-th crossing of a section of an autonomous system, the duration free:
///   δt = −(s_x X + s_p) / (s_x F),   DP = X + F δt.
/// A start on the section to rounding is not counted. Ends as `missed` if it takes longer than `longest`.
Arc arc_to_section(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
                   const Watch& section, long count, double longest);

/// All crossings of a section by the motion from `start` within `duration`, of an autonomous system; times count from the start.
/// Fewer if it stops on the way.
std::vector<Event> crossings(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                             const ArcStart& start, const Watch& section, double duration);

/// The motion from `start` at increasing times after it. Fewer if it stops on the way.
std::vector<Sample> arc_samples(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                                const ArcStart& start, const std::vector<double>& times);

/// P(x; p): the state k returns later. Forced systems return after each forcing period, autonomous ones at a section. The kernels
/// need N state columns, a column for every varied parameter, and the section's surface.
class ReturnMap {
 public:
  /// Stroboscopic, at a phase given as a part of the period.
  ReturnMap(const Kernels& kernels, const FlowOptions& options, double phase = 0.0)
      : kernels_(kernels), options_(options), phase_(phase) {}
  /// Poincaré's, at a section.
  ReturnMap(const Kernels& kernels, const FlowOptions& options, const Watch& section, double longest)
      : kernels_(kernels), options_(options), section_(section), longest_(longest) {}

  Arc operator()(const Vector& x, const ParameterPoint& p, long k = 1) const;

 private:
  const Kernels& kernels_;
  FlowOptions options_;
  double phase_ = 0.0;
  std::optional<Watch> section_;
  double longest_ = 0.0;
};

}  // namespace saltus
