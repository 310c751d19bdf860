#include "saltus/driver/orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/driver/start_warnings.hpp"
#include "saltus/driver/starts.hpp"
#include "saltus/driver/time_dependence.hpp"

namespace saltus {
namespace {

constexpr double longest_return = 1e30;  // steps bound a return, for they have no unit
constexpr long most_steps_of_a_return = 1'000'000;

/// All segments are solved for together, by a dense matrix.
void require_solvable(std::size_t segments, std::size_t dimension) {
  constexpr std::size_t most_unknowns = 20'000;  // 3 GB
  const std::size_t most = std::max<std::size_t>(100, most_unknowns / (dimension + 1));
  if (segments > most)
    throw usage(fmt::format("⟨segments⟩ {} are too many\n  expected at most {} of a model with {} components", segments,
                            most, dimension));
}

void require_sensible(const OrbitRequest& request, const PreparedModel& prepared) {
  if (prepared.model->hill) throw usage("a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  require_repeating(prepared);
  require_valid(request);
  const bool forced = prepared.setup.forcing_period > 0.0;
  if (forced && !request.surface.empty()) throw usage("a forced orbit is taken at its strobe\n  leave ⟨surface⟩ out");
  if (forced && request.time)
    throw usage("the period of a forced orbit is known\n  use ⟨period⟩ K, in forcing periods, instead of ⟨time⟩");
  if (request.orbit_method == OrbitMethod::tfem && request.starts > 1)
    throw usage("⟨starts⟩ is for ⟨method⟩ shooting\n  leave one of them out");
  require_solvable(request.segments, prepared.model->dimension());
}

/// Unless asked otherwise, tight enough for Newton to reach 1e-11.
FlowOptions tolerances(const OrbitRequest& request, const PreparedModel& prepared) {
  const FlowOptions tight = orbit_flow_options();
  const SolverSettings& solver = prepared.model->solver;
  RunOptions asked = request.options;
  if (!asked.rtol) asked.rtol = std::min(tight.rtol, solver.rtol.value_or(tight.rtol));
  if (!asked.atol) asked.atol = std::min(tight.atol, solver.atol.value_or(tight.atol));
  FlowOptions options = flow_options(prepared, asked, request.method);
  options.tangent_rtol = 10.0 * options.rtol;
  return options;
}

OrbitOptions orbit_options(const OrbitRequest& request, const FlowOptions& flow) {
  OrbitOptions options;
  options.segments = request.segments;
  options.newton.tolerance = request.tolerance.value_or(std::max(1e-11, 10.0 * flow.rtol));
  options.newton.most_iterations = request.iterations;
  options.newton.interrupted = request.interrupted;
  return options;
}

/// The state after the transient, at a strobe.
ArcStart start_of(OrbitResult& result) {
  ArcStart initial{initial_state(result.prepared)};
  const double period = result.p.period;
  const double length = period > 0.0 ? std::round(result.request.transient) : result.request.transient;
  if (length == 0.0) return initial;
  FlowRun run;
  run.start = start_point(*result.kernels, {}, initial.x, LaneStepper::Carries::state);
  run.end = period > 0.0 ? Time{static_cast<long>(length), 0.0} : Time{0, length};
  run.period = period;
  run.parameters = result.p.inputs;
  run.keep_events = false;
  run.interrupted = result.request.interrupted;
  const FlowResult end = flow(*result.kernels, result.options, run);
  if (end.outcome != Outcome::reached_end) {
    Arc stopped;
    stopped.x = end.end.x;
    stopped.duration = end.end.t.absolute(period);
    stopped.end = end.end;
    static_cast<Stop&>(stopped) = end;
    result.stopped = std::move(stopped);
  }
  return {end.end.x - result.translations.turns(end.end.x), 0.0, end.end.mode, end.end.fastest};
}

/// Without forcing a state that does not move never leaves: it returns nowhere.
void require_motion(const OrbitResult& result, const ArcStart& start) {
  const Layout& layout = result.kernels->layout();
  const bool smooth = layout.contacts + layout.switches == 0;
  if (result.p.period > 0.0 || !(smooth || start.mode)) return;
  const Mechanism mechanism(*result.kernels, result.p.inputs);
  const Vector rate = mechanism.field(0.0, start.x, start.mode.value_or(Mode(layout))).rate;
  if (!(rate.lpNorm<Eigen::Infinity>() <= 1e-13 * (1.0 + start.x.lpNorm<Eigen::Infinity>()))) return;
  throw Error(ExitCode::stopped_early,
              "the motion stands still in an equilibrium, which is no orbit with a period\n"
              "  start elsewhere: ⟨set⟩ of the initial state, or random ⟨starts⟩");
}

/// Every motion of the search hears an interrupt. Those that only tell more of what was found do not: they are short, and must be whole.
OrbitSetting search_setting(const OrbitResult& result) {
  OrbitSetting setting = result.setting();
  setting.flow.interrupted = result.request.interrupted;
  return setting;
}

/// An autonomous motion that has not returned after so many steps is given up.
OrbitSetting returning(OrbitSetting setting) {
  setting.flow.most_steps = std::min(setting.flow.most_steps, most_steps_of_a_return);
  return setting;
}

void find_one(OrbitResult& result) {
  const ArcStart start = start_of(result);
  result.interrupted = result.stopped && result.stopped->outcome == Outcome::stopped;
  if (result.stopped) return;
  require_motion(result, start);
  if (result.request.orbit_method == OrbitMethod::tfem) return find_by_elements(result, start);
  GuessReading guess;
  if (result.request.time) guess.guess = OrbitGuess{start, 0, *result.request.time};
  else guess = guess_from(returning(search_setting(result)), result.p, start, result.request.period, longest_return);
  if (!guess.guess) {
    result.stopped = guess.stopped;
    result.interrupted = result.request.interrupted && result.request.interrupted();
    return;
  }
  result.search =
      find_orbit(search_setting(result), result.p, *guess.guess, orbit_options(result.request, result.options));
  result.interrupted = !result.search.orbit && result.request.interrupted && result.request.interrupted();
  if (result.search.orbit) result.orbits.push_back({*result.search.orbit, {0}});
}

void find_several(OrbitResult& result) {
  const OrbitRequest& request = result.request;
  const Vector x = initial_state(result.prepared);
  const std::vector<Vector> starts =
      random_states(*result.kernels, result.p.inputs, x, request.starts, request.spread, request.seed,
                    spread_scale(*result.kernels, FlowOptions(), result.p.inputs, result.p.period, x));
  result.tried = starts.size();
  OrbitsOptions options;
  options.longest_period = request.period;
  options.transient = static_cast<long>(std::round(request.transient));
  options.threads = threads_of(request.options);
  options.orbit = orbit_options(request, result.options);
  options.progress = request.progress;
  result.orbits = find_orbits(search_setting(result), result.p, starts, options);
  result.interrupted = request.interrupted && request.interrupted();
}

}  // namespace

std::string_view name_of(OrbitMethod method) {
  switch (method) {
    case OrbitMethod::shooting: return "shooting";
    case OrbitMethod::tfem: return "tfem";
  }
  return "";
}

OrbitResult run(const OrbitRequest& request) {
  OrbitResult result{.prepared = prepared(request), .request = request};
  require_sensible(request, result.prepared);
  const Model& model = *result.prepared.model;
  if (request.orbit_method == OrbitMethod::tfem) {
    TimeElementOptions wanted = request.elements;
    wanted.periods = request.period;
    wanted.most_iterations = request.iterations;
    if (request.tolerance) wanted.tolerance = *request.tolerance;
    result.elements = std::make_shared<const TimeElements>(model, wanted);
  }
  result.options = tolerances(request, result.prepared);
  require_surface(request);
  KernelOptions wanted;
  if (result.prepared.setup.forcing_period > 0.0) {
    result.section = "strobe";
  } else if (const auto surface = motion_surface(request, result.prepared)) {
    wanted.surfaces = {surface->expr};
    result.watch = surface->watch;
    result.section = surface->text;
  } else if (!request.time || request.starts > 1) {
    throw usage(
        "the model has neither a forcing period nor a section\n"
        "  add [section] to the model, or ⟨surface⟩ EXPRESSION, or the period, roughly, with ⟨time⟩ T");
  }
  for (const Observable& observable : model.observables) wanted.observables.push_back(observable.value.expr);
  result.kernels = std::make_shared<const Kernels>(model, wanted);
  result.p =
      ParameterRates(result.prepared.model, result.kernels->layout(), result.prepared.setup.parameters).at_start();
  result.translations = translations_of(*result.kernels, result.p.inputs);
  warn_of_start(result.prepared.warnings, *result.kernels, model, initial_state(result.prepared), result.p.inputs);
  if (request.starts > 1) find_several(result);
  else find_one(result);
  return result;
}

}  // namespace saltus
