#include "saltus/driver/simulate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/motion_stop.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/driver/start_warnings.hpp"
#include "saltus/driver/starts.hpp"

namespace saltus {
namespace {

/// Observables, then the drawing: x and y of its points, both ends of its walls.
std::vector<Expr> observed_expressions(const Model& model) {
  std::vector<Expr> all;
  for (const Observable& observable : model.observables) all.push_back(observable.value.expr);
  for (const DrawingPoint& point : model.drawing.points) all.insert(all.end(), {point.x.expr, point.y.expr});
  for (const DrawingWall& wall : model.drawing.walls)
    all.insert(all.end(), {wall.x_from.expr, wall.y_from.expr, wall.x_to.expr, wall.y_to.expr});
  return all;
}

/// Forcing periods are counted, and the phase within one is lost beyond the digits of a number.
void require_countable(double time, double period, const char* option) {
  constexpr double most_periods = 1e12;
  if (period > 0.0 && time > most_periods * period)
    throw Error(ExitCode::usage, fmt::format("{} {} is more than {:g} forcing periods\n  expected a shorter run",
                                             option, six_digits(time), most_periods));
}

Time end_of(const SimulateRequest& request, double period) {
  if (request.time && request.periods)
    throw Error(ExitCode::usage, "both ⟨time⟩ and ⟨periods⟩ are given\n  expected one of them");
  if (!request.time && !request.periods)
    throw Error(ExitCode::usage, period > 0.0
                                     ? "how long? neither ⟨time⟩ nor ⟨periods⟩ is given\n"
                                       "  expected ⟨time⟩ T or ⟨periods⟩ N, such as ⟨periods⟩ 100"
                                     : "how long? ⟨time⟩ is not given\n  expected ⟨time⟩ T, such as ⟨time⟩ 10");
  if (request.periods && period == 0.0)
    throw Error(ExitCode::usage,
                "⟨periods⟩ counts forcing periods, and the model has no [forcing]\n  use ⟨time⟩ T instead");
  if (request.periods && *request.periods <= 0)
    throw Error(ExitCode::usage,
                fmt::format("⟨periods⟩ {} is no length\n  expected a whole number above 0", *request.periods));
  if (request.periods) return {*request.periods, 0.0};
  if (!(*request.time > 0.0) || !std::isfinite(*request.time))
    throw Error(ExitCode::usage,
                fmt::format("⟨time⟩ {} is no length\n  expected a number above 0", six_digits(*request.time)));
  require_countable(*request.time, period, "⟨time⟩");
  return time_at(*request.time, period);
}

/// The end of the transient, in the unit of the run.
Time begin_of(const SimulateRequest& request, double period) {
  if (!(request.transient >= 0.0) || !std::isfinite(request.transient))
    throw Error(ExitCode::usage,
                fmt::format("⟨transient⟩ {} is no length\n  expected 0 or more, in the unit of ⟨time⟩ or ⟨periods⟩",
                            six_digits(request.transient)));
  require_countable(request.transient, request.periods ? 1.0 : period, "⟨transient⟩");
  if (!request.periods) return time_at(request.transient, period);
  const double whole = std::floor(request.transient);
  return {static_cast<long>(whole), (request.transient - whole) * period};
}

/// `length` after `begin`.
Time after(const Time& begin, const Time& length, double period) {
  Time result = time_at(begin.phase + length.phase, period);
  result.cycles += begin.cycles + length.cycles;
  return result;
}

/// Equally spaced from 0 on, the last exactly at the end.
std::vector<Time> sample_times(std::size_t count, const Time& end, double period) {
  std::vector<Time> times;
  const double last = static_cast<double>(count - 1);
  for (std::size_t k = 0; k < count; ++k) {
    if (k + 1 == count) {
      times.push_back(end);
      continue;
    }
    const double part = static_cast<double>(k) / last;
    const double turns = static_cast<double>(end.cycles) * part;
    const double whole = std::floor(turns);
    Time at = time_at((turns - whole) * period + end.phase * part, period);
    at.cycles += static_cast<long>(whole);
    times.push_back(at);
  }
  return times;
}

FlowRun flow_run(const SimulateResult& result) {
  const Setup& setup = result.prepared.setup;
  const double period = setup.forcing_period;
  const Vector x = Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size()));
  FlowRun run;
  run.start = start_point(*result.kernels, {}, x, LaneStepper::Carries::state);
  run.end = result.end;
  run.period = period;
  run.parameters = setup.parameters;
  run.samples = result.sample_times;
  run.interrupted = result.request.interrupted;
  run.keep_events = result.request.keep_events;
  run.measure_energy = true;  // the report balances it
  run.bound_gaps = true;  // and says how deep and how near gaps can have been
  if (const auto& progress = result.request.progress) {
    const double whole = result.end.absolute(period);
    run.progress = [progress, whole, period](const Time& t) { progress(t.absolute(period) / whole); };
  }
  return run;
}

}  // namespace

SimulateResult run(const SimulateRequest& request) {
  SimulateResult result{.prepared = prepared(request), .request = request};
  const Model& model = *result.prepared.model;
  if (model.hill)
    throw Error(ExitCode::usage, "a [hill] model has no motion to simulate\n  expected a model with [mechanics]");
  require_valid(request);
  const double period = result.prepared.setup.forcing_period;
  result.options = flow_options(result.prepared, request.options, request.method);
  const Time length = end_of(request, period);
  result.begin = begin_of(request, period);
  result.end = after(result.begin, length, period);
  if (request.samples > 0) result.sample_times = sample_times(request.samples, length, period);
  for (Time& time : result.sample_times) time = after(result.begin, time, period);
  KernelOptions wanted;
  wanted.state_columns = 0;
  wanted.observables = observed_expressions(model);
  result.kernels = std::make_shared<const Kernels>(model, wanted);
  FlowRun run = flow_run(result);
  warn_of_start(result.prepared.warnings, *result.kernels, model, run.start.x, run.parameters);
  if (request.transient > 0.0) {
    FlowRun before = run;
    before.end = result.begin;
    before.samples.clear();
    before.keep_events = false;
    FlowResult passed = flow(*result.kernels, result.options, before);
    run.start = passed.end;
    if (passed.outcome != Outcome::reached_end) {
      result.flow = std::move(passed);
      return result;
    }
  }
  result.flow = flow(*result.kernels, result.options, run);
  return result;
}

ExitCode exit_code(const SimulateResult& result) { return exit_code_of(result.flow.outcome); }

std::string stop_message(const SimulateResult& result) {
  const FlowResult& flow = result.flow;
  return stop_message(result.prepared, {flow, result.t_end(), flow.end});
}

}  // namespace saltus
