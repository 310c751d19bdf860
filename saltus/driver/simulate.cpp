#include "saltus/driver/simulate.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/expr/evaluate.hpp"

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

Time end_of(const SimulateRequest& request, double period) {
  if (request.time && request.periods)
    throw Error(ExitCode::usage, "both --time and --periods are given\n  expected one of them");
  if (!request.time && !request.periods)
    throw Error(ExitCode::usage, period > 0.0
                                     ? "how long? neither --time nor --periods is given\n"
                                       "  expected --time T or --periods N, such as --periods 100"
                                     : "how long? --time is not given\n  expected --time T, such as --time 10");
  if (request.periods && period == 0.0)
    throw Error(ExitCode::usage,
                "--periods counts forcing periods, and the model has no [forcing]\n  use --time T instead");
  if (request.periods && *request.periods <= 0)
    throw Error(ExitCode::usage,
                fmt::format("--periods {} is no length\n  expected a whole number above 0", *request.periods));
  if (request.periods) return {*request.periods, 0.0};
  if (!(*request.time > 0.0) || !std::isfinite(*request.time))
    throw Error(ExitCode::usage,
                fmt::format("--time {} is no length\n  expected a number above 0", six_digits(*request.time)));
  return time_at(*request.time, period);
}

/// Equally spaced, the first at the start and the last exactly at the end.
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
  if (const auto& progress = result.request.progress) {
    const double whole = result.end.absolute(period);
    run.progress = [progress, whole, period](const Time& t) { progress(t.absolute(period) / whole); };
  }
  return run;
}

// ---- why it stopped ------------------------------------------------------------------------------------------------

std::string quoted_contacts(const SimulateResult& result) {
  std::vector<std::string> names;
  for (const std::size_t i : result.flow.contacts) names.push_back("'" + result.prepared.model->contacts[i].name + "'");
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string state_line(const SimulateResult& result) {
  const std::vector<std::string> names = result.prepared.model->component_names();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back(fmt::format("{} = {}", names[i], six_digits(result.flow.end.x[static_cast<Eigen::Index>(i)])));
  return "the state there: " + listed(parts);
}

/// "contact 'floor' is closed" or "the nearest contact is 'floor', gap 0.25"; nothing without contacts.
std::string contact_line(const SimulateResult& result) {
  const FlowPoint& end = result.flow.end;
  const std::vector<Contact>& contacts = result.prepared.model->contacts;
  if (contacts.empty()) return "";
  std::vector<std::string> closed;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (end.mode.closed[i]) closed.push_back("'" + contacts[i].name + "'");
  if (!closed.empty()) return fmt::format("\n  closed contacts: {}", listed(closed));
  const Vector h = Mechanism(*result.kernels, result.prepared.setup.parameters).contact(end.t.phase, end.x, end.mode).h;
  Eigen::Index nearest = 0;
  if (!std::isfinite(h.cwiseAbs().minCoeff(&nearest))) return "";
  return fmt::format("\n  no contact is closed; the nearest is '{}', gap {}",
                     contacts[static_cast<std::size_t>(nearest)].name, six_digits(h[nearest]));
}

/// Eigenvalues of M at a state, in increasing order.
Vector inertia(const SimulateResult& result, double t, const Vector& x) {
  const Model& model = *result.prepared.model;
  const std::vector<std::string> names = model.component_names();
  const auto value_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return x[static_cast<Eigen::Index>(i)];
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
      if (model.parameters[i].name == name) return result.prepared.setup.parameters[i];
    return t;
  };
  const auto n = static_cast<Eigen::Index>(model.n());
  Matrix M(n, n);
  for (Eigen::Index i = 0; i < n * n; ++i)
    M(i / n, i % n) = evaluate(model.mass[static_cast<std::size_t>(i)].expr, value_of);
  if (!M.allFinite()) return Vector::Ones(n);
  return Eigen::SelfAdjointEigenSolver<Matrix>(M, Eigen::EigenvaluesOnly).eigenvalues();
}

/// Has some motion nearly no inertia where the motion ended, compared with the start?
bool has_lost_inertia(const SimulateResult& result) {
  constexpr double nearly_none = 1e-6;
  const std::vector<double>& initial = result.prepared.setup.initial;
  const Vector x = Eigen::Map<const Vector>(initial.data(), static_cast<Eigen::Index>(initial.size()));
  const Vector start = inertia(result, 0.0, x);
  const Vector end = inertia(result, result.flow.end.t.phase, result.flow.end.x);
  return !(end.minCoeff() > nearly_none * start.minCoeff());
}

std::string not_finite(const SimulateResult& result, const std::string& otherwise) {
  const bool singular = result.prepared.model->n() > 0 && has_lost_inertia(result);
  return fmt::format("{}\n  {}{}\n  {}", singular ? "the mass matrix is singular from here on" : otherwise,
                     state_line(result), contact_line(result),
                     singular ? "change the model so that every motion has inertia, or the initial state"
                              : "check the forces of the model near this state, or change the initial state");
}

std::string reason(const SimulateResult& result) {
  const std::string contacts = quoted_contacts(result);
  switch (result.flow.outcome) {
    case Outcome::reached_end: return "";
    case Outcome::stopped: return "interrupted; what was computed is kept and marked as a part";
    case Outcome::ambiguous_impact:
      return fmt::format(
          "contacts {} are struck at the same instant\n"
          "  the order of the impacts changes the motion (v differs by {}), and the model does not determine it\n"
          "  choose impact_law = \"moreau\" in [solver] to resolve them together, or change the initial state",
          contacts, six_digits(std::strtod(result.flow.message.c_str(), nullptr)));
    case Outcome::dependent_contacts:
      return fmt::format(
          "contacts {} are closed together and depend on each other\n"
          "  their normals are linearly dependent, so the model does not determine how they share the load\n"
          "  remove one of them, or join them to one contact",
          contacts);
    case Outcome::ambiguous_sliding:
      return "the motion slides along two switching surfaces that depend on each other\n  " + state_line(result) +
             "\n  remove one of the switches, or change the initial state";
    case Outcome::step_too_small:
      return not_finite(result, "the motion changes so fast that steps shrink below rounding");
    case Outcome::left_domain: return not_finite(result, "the force is not a finite number from here on");
    case Outcome::singular_mass:
      return not_finite(result, "the mass matrix stops being positive definite here");
    case Outcome::too_many_events:
      return fmt::format("more than {} events\n  {}\n  shorten the run", result.options.most_events,
                         state_line(result));
  }
  return "";
}

}  // namespace

SimulateResult run(const SimulateRequest& request) {
  SimulateResult result{.prepared = prepared(request), .request = request};
  const Model& model = *result.prepared.model;
  if (model.hill)
    throw Error(ExitCode::usage, "a [hill] model has no motion to simulate\n  expected a model with [mechanics]");
  if (request.samples == 1) throw Error(ExitCode::usage, "--samples 1 has no spacing\n  expected a number above 1");
  const double period = result.prepared.setup.forcing_period;
  result.options = flow_options(result.prepared, request.options, request.method);
  result.end = end_of(request, period);
  if (request.samples > 0) result.sample_times = sample_times(request.samples, result.end, period);
  KernelOptions wanted;
  wanted.state_columns = 0;
  wanted.observables = observed_expressions(model);
  result.kernels = std::make_shared<const Kernels>(model, wanted);
  result.flow = flow(*result.kernels, result.options, flow_run(result));
  return result;
}

ExitCode exit_code(const SimulateResult& result) {
  if (result.complete()) return ExitCode::done;
  return result.flow.outcome == Outcome::stopped ? ExitCode::interrupted : ExitCode::stopped_early;
}

std::string stop_message(const SimulateResult& result) {
  if (result.complete()) return "";
  return fmt::format("{}: stopped at t = {}: {}", result.prepared.file, six_digits(result.t_end()), reason(result));
}

}  // namespace saltus
