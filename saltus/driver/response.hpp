#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/orbits/time_elements.hpp"
#include "saltus/analysis/response/response.hpp"
#include "saltus/driver/continuation.hpp"
#include "saltus/driver/sweep_request.hpp"

namespace saltus {

/// Where the motion at each value of the parameter begins: at the initial state (fresh), at the end of the last value's (up, down,
/// both), or there are none: only the continued curve.
enum class ResponseSweep { fresh, up, down, both, none };

/// Simulated motions, or Newton's iteration on time finite elements.
enum class ResponseRoad { simulated, elements };

/// `saltus response`: how large a forced motion is against a parameter.
struct ResponseRequest : Request, WhichSolver, WhichRanges, KeptWork {
  std::optional<double> time;  // how long is measured: either this
  std::optional<double> periods;  // or this many forcing periods; none: as many as in the paper
  ResponseSweep sweep = ResponseSweep::fresh;
  ResponseRoad road = ResponseRoad::simulated;
  TimeElementOptions elements;  // of that road
  std::optional<double>
      transient;  // the transient, in the unit of the length; not given: 96 periods, or three times --time
  std::string observe;  // a name or an expression; empty: the first coordinate
  std::size_t samples = 128;  // of no effect: amplitudes are those of the motion between events
  bool continued = false;  // periodic motions that are found are followed through the whole range
  std::string from, point;  // an orbit of a file with which a continued curve begins
  double largest_step = 0.02;  // of the continuation
};

/// Why a motion has no amplitude though it was followed: the quantity has features that nothing tells of.
constexpr const char* unresolved = "quantity not resolved";

/// One point of the response.
struct ResponseEntry {
  double parameter = 0.0;
  Amplitudes amplitudes;
  bool measured = false;  // false: there are no amplitudes; `words` says why
  std::optional<bool> stable;  // nothing: not periodic, or not known
  std::optional<Stability> stability;
  Drift drift;  // in one period
  std::size_t period = 0;  // in forcing periods; 0: not periodic
  std::string words;  // "periodic", "not periodic", "growing; it has no amplitude", "stopped: ..."
  std::string label;  // PD1, of a continued curve
  std::string kind;  // of the special point: LP, PD, NS, ...
  Vector x;  // at the strobe

  void set(Stability is) {
    stability = is;
    stable = is == Stability::stable;
  }
};

/// Points in the order in which they are joined, or side by side.
struct ResponseCurve {
  std::string name;  // "fresh", "up", "branch 1"
  bool continued = false;
  std::vector<ResponseEntry> points;
};

struct ResponseResult {
  PreparedModel prepared;
  ResponseRequest request;
  FlowOptions options;
  Recipe recipe;
  VariedRange range;
  std::string observed;
  std::vector<ResponseCurve> curves;
  std::vector<std::string> notes;  // branches that ended early, or could not be begun
  LaneUse use;
  std::shared_ptr<Journal> journal;
  std::size_t missing = 0;  // values that an interrupt left out
  bool interrupted = false;

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
  bool complete() const { return missing == 0 && !interrupted; }
};

/// Throws Error(usage) if there is no range, no forcing, or nothing to look at.
ResponseResult run(const ResponseRequest& request);

/// The curves of time finite elements: each value from the response of the linear system, or from the solution of the last value
/// at which there was a stable one.
void add_element_curves(ResponseResult& result, const Kernels& kernels, const ObservedQuantity& quantity);

std::string stop_message(const ResponseResult& result);
ExitCode exit_code(const ResponseResult& result);

}  // namespace saltus
