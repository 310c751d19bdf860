#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saltus/analysis/motions/ramps.hpp"
#include "saltus/driver/lyapunov.hpp"
#include "saltus/driver/sweep_request.hpp"

namespace saltus {

/// How the parameter is moved: each value from the end state of the last, upwards, downwards or both; or each from the initial
/// state.
enum class SweepDirection { up, down, both, fresh };
inline const std::vector<std::string> sweep_directions = {"up", "down", "both", "fresh"};

/// `saltus diagram`: what a motion looks like against one parameter.
struct DiagramRequest : SweepRequest {
  SweepDirection sweep = SweepDirection::up;
  std::string observe;  // a name or an expression; empty: what suits the section
  std::string at_impacts;  // points at the impacts of this contact instead of the section
  std::string impact_velocity;  // approach speeds at this contact instead of --observe
  bool extrema = false;  // maxima and minima of --observe instead of its values at the section
  bool lyapunov = false;  // the spectrum at each value
  LogBase base = LogBase::natural;
  double settle = 0.0;  // transient of the first value of a ramp, if longer than the others
  std::size_t starts = 1;  // the initial state and starts − 1 random ones around it
  std::uint64_t seed = 1;
  double spread = 1.0;
  std::size_t ramps = 1;  // pieces into which the range is cut, each begun anew
};

/// What is drawn in one colour: one direction from one start.
struct DiagramBranch {
  std::string name;  // "up", "down, start 2"
  std::vector<RampResult>
      results;  // one per value in the order of the parameter; those not reached have place = not_reached
};
constexpr std::size_t not_reached = static_cast<std::size_t>(-1);
inline bool is_there(const RampResult& result) { return result.place != not_reached; }

struct DiagramResult {
  PreparedModel prepared;
  DiagramRequest request;
  FlowOptions options;
  Recipe recipe;
  VariedRange range;
  std::string observed;  // "psi1'", "approach speed at 'stop'"
  std::string place;  // "strobe", "psi1 = 0 (mod 6.28319), upwards", "impacts of 'stop'", "extrema"
  std::vector<DiagramBranch> branches;
  LaneUse use;
  std::shared_ptr<Journal> journal;
  std::size_t missing = 0;  // values of branches that an interrupt left out
  bool writes = true;  // false: this process only computed for another one, which has the result

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
  bool complete() const { return missing == 0; }
};

/// Throws Error(usage) if there is no range, no length, or nothing to look at.
DiagramResult run(const DiagramRequest& request);

/// That it was interrupted, and how to go on; or how many motions could not be followed. Empty if all is well.
std::string stop_message(const DiagramResult& result);
ExitCode exit_code(const DiagramResult& result);

}  // namespace saltus
