#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/driver/request.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// `saltus simulate`: one motion from the initial state.
struct SimulateRequest : Request, WhichSolver, WhileRunning {
  std::optional<double> time;           // how long: either this
  std::optional<long> periods;          // or this many forcing periods
  double transient = 0.0;               // passed over before, in the same unit: the motion is shown from its end on
  std::size_t samples = 0;              // as many instants, equally spaced from the start to the end, both included
  bool keep_events = true;              // false: only count them
};

struct SimulateResult {
  PreparedModel prepared;
  SimulateRequest request;
  FlowOptions options;
  Time begin;                              // of what is shown: the end of the transient
  Time end;                                // wanted
  std::vector<Time> sample_times;          // wanted; as many as there are samples were reached
  std::shared_ptr<const Kernels>
      kernels;  // its observables: those of the model, then x and y of the drawing's points and walls
  FlowResult flow;

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
  bool complete() const { return flow.outcome == Outcome::reached_end; }
  double t_end() const { return flow.end.t.absolute(prepared.setup.forcing_period); }
};

/// Throws Error(usage) if there is no length, or one in periods without forcing.
SimulateResult run(const SimulateRequest& request);

/// done, stopped_early or interrupted.
ExitCode exit_code(const SimulateResult& result);

/// Why the motion ended before its end: time, contacts or state, and one thing to do. Empty if it did not.
std::string stop_message(const SimulateResult& result);

}  // namespace saltus
