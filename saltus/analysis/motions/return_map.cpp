#include "saltus/analysis/motions/return_map.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/flow/exact_flow.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// The point to start from: settled, with a tangent that holds the derivative of settling or projecting.
struct ArcBeginning {
  FlowPoint point;
  Vector F;
  std::vector<Event> events;
  Ledger ledger;
  Settled settled;
};

/// In which the state changes by its own size, each component in units of the error that a step is allowed (Hairer, Nørsett, Wanner:
/// Solving Ordinary Differential Equations I, II.4).
double pace_of(const FlowOptions& options, const FlowPoint& point, const Vector& rate, double period) {
  const Vector allowed = (options.rtol * point.x.cwiseAbs()).array() + options.atol;
  const double size = point.x.cwiseQuotient(allowed).norm();
  const double speed = rate.cwiseQuotient(allowed).norm();
  const double pace = std::max(size, 1.0 / options.rtol) / speed;
  return std::isfinite(pace) ? pace : 0.1 * (period > 0.0 ? period : 1.0);
}

ArcBeginning beginning(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                       const ArcStart& start) {
  const Layout& layout = kernels.layout();
  const Mechanism mechanism(kernels, p.inputs);
  const Time t{0, start.phase * p.period};
  ArcBeginning begin{start_point(kernels, t, start.x, LaneStepper::Carries::state_and_tangent), {}, {}, {}, {}};
  FlowPoint& point = begin.point;
  point.fastest = start.fastest.empty() ? std::vector<double>(layout.contacts, 0.0) : start.fastest;
  begin.ledger.smallest_gamma.assign(layout.contacts, INFINITY);
  const Settler settler(mechanism, options, p.period);
  if (start.mode) {
    point.mode = *start.mode;
    if (point.mode.is_masked()) settler.project(point);
  } else {
    begin.settled = settler.settle(point, {Trigger::Kind::begin, 0, false}, begin.events, begin.ledger);
  }
  begin.F = mechanism.field(t.phase, point.x, point.mode).rate;
  // Runge-Kutta steps begin with a hundredth of it and find their length; in closed form it stays what it is.
  const double part = flows_exactly(kernels, options) ? 1.0 : 0.01;
  point.natural_step = std::min(part * pace_of(options, point, begin.F, p.period), options.largest_step);
  return begin;
}

/// What the flow found, in the words of an arc. Parameter columns still at fixed phases in time.
Arc arc_of(const Kernels& kernels, const ParameterPoint& p, const ArcBeginning& begin, FlowResult&& result) {
  const Index N = index(kernels.layout().N());
  const Index varied = index(kernels.layout().varied.size());
  const double t_start = begin.point.t.absolute(p.period);
  Arc arc;
  arc.start_mode = begin.point.mode;
  arc.F_start = begin.F;
  arc.x = result.end.x;
  arc.dx_dx = result.end.tangent.leftCols(N);
  arc.dx_dp = result.end.tangent.rightCols(varied);
  arc.duration = result.end.t.absolute(p.period) - t_start;
  arc.dduration_dx = RowVector::Zero(N);
  arc.dduration_dp = RowVector::Zero(varied);
  if (arc.x.allFinite())
    arc.F_end = Mechanism(kernels, p.inputs).field(result.end.t.phase, arc.x, result.end.mode).rate;
  arc.events = begin.events;
  arc.events.insert(arc.events.end(), result.events.begin(), result.events.end());
  for (Event& event : arc.events) event.t -= t_start;
  arc.ledger = std::move(result.ledger);
  arc.ledger.impacts += begin.ledger.impacts;
  arc.ledger.slides += begin.ledger.slides;
  static_cast<Stop&>(arc) = result;
  arc.end = std::move(result.end);
  return arc;
}

/// The start itself could not be settled.
Arc stopped_at_start(const Kernels& kernels, const ParameterPoint& p, const ArcBeginning& begin) {
  FlowResult result;
  result.end = begin.point;
  Arc arc = arc_of(kernels, p, begin, std::move(result));
  static_cast<Stop&>(arc) = *begin.settled;
  return arc;
}

FlowRun run_from(const FlowPoint& start, const ParameterPoint& p) {
  FlowRun run;
  run.start = start;
  run.period = p.period;
  run.parameters = p.inputs;
  run.period_rates = p.period_rates;
  return run;
}

}  // namespace

Arc arc(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
        double length) {
  const ArcBeginning begin = beginning(kernels, options, p, start);
  if (begin.settled) return stopped_at_start(kernels, p, begin);
  FlowRun run = run_from(begin.point, p);
  double whole = 0.0;
  double part = length;
  if (p.period > 0.0) {
    whole = std::floor(start.phase + length);
    part = start.phase + length - whole;
    // Rounding must not make an end at the very start of a period one at the end of the period before.
    if (1.0 - part < 1e-13) {
      whole += 1.0;
      part = 0.0;
    }
    run.end = {static_cast<long>(whole), part * p.period};
  } else {
    run.end = {0, length};
  }
  Arc result = arc_of(kernels, p, begin, flow(kernels, options, run));
  if (!result.whole()) return result;
  // The phases of both ends move with the period: ∂x/∂p gains F ∂φ_end/∂p − X F ∂φ_start/∂p.
  for (std::size_t c = 0; c < p.period_rates.size(); ++c) {
    result.dduration_dp[index(c)] = length * p.period_rates[c];
    result.dx_dp.col(index(c)) +=
        p.period_rates[c] * (part * result.F_end - start.phase * (result.dx_dx * result.F_start));
  }
  return result;
}

bool begins_on_section(const FlowResult& motion, double natural_step) {
  const double instant = 1e-7 * natural_step;
  return std::any_of(motion.events.begin(), motion.events.end(),
                     [&](const Event& event) { return event.kind == EventKind::section && event.t < instant; });
}

StateRange arc_range(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
                     double length) {
  ArcBeginning begin = beginning(kernels, options, p, start);
  StateRange range;
  range.include(begin.point.x);
  if (begin.settled) return range;
  begin.point.tangent.resize(begin.point.x.size(), 0);
  FlowRun run = run_from(begin.point, p);
  const double units = p.period > 0.0 ? start.phase + length : length;
  const double whole = p.period > 0.0 ? std::floor(units) : 0.0;
  run.end = {static_cast<long>(whole), (units - whole) * (p.period > 0.0 ? p.period : 1.0)};
  run.keep_events = false;
  run.measure_range = true;
  range.include(flow(kernels, options, run));
  return range;
}

Arc arc_to_section(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
                   const Watch& section, long count, double longest) {
  const ArcBeginning begin = beginning(kernels, options, p, start);
  if (begin.settled) return stopped_at_start(kernels, p, begin);
  FlowRun run = run_from(begin.point, p);
  run.end = {0, longest};
  run.watches = {section};
  run.stop_after = count;
  FlowResult motion = flow(kernels, options, run);
  if (begins_on_section(motion, begin.point.natural_step)) {
    run.stop_after = count + 1;
    motion = flow(kernels, options, run);
  }
  Arc result = arc_of(kernels, p, begin, std::move(motion));
  const bool too_long =
      std::holds_alternative<OutOfReach>(result.details) || std::holds_alternative<StepLimit>(result.details);
  const bool gives_up = result.outcome == Outcome::step_too_small && too_long;
  if (result.whole() || gives_up) {
    result.outcome = Outcome::stopped;
    result.missed = true;
    return result;
  }
  if (result.outcome != Outcome::stopped) return result;
  result.outcome = Outcome::reached_end;
  const Layout& layout = kernels.layout();
  const Index N = index(layout.N());
  const Vector jet = Mechanism(kernels, p.inputs)
                         .jets(result.end.t.phase, result.x)
                         .row(index(layout.surface_jet(section.surface)))
                         .transpose();
  const double speed = jet.head(N).dot(result.F_end) + jet[N];
  result.dduration_dx = -(jet.head(N).transpose() * result.dx_dx) / speed;
  result.dduration_dp =
      -(jet.head(N).transpose() * result.dx_dp + jet.tail(index(layout.varied.size())).transpose()) / speed;
  result.dx_dx += result.F_end * result.dduration_dx;
  result.dx_dp += result.F_end * result.dduration_dp;
  return result;
}

std::vector<Event> crossings(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                             const ArcStart& start, const Watch& section, double duration) {
  ArcBeginning begin = beginning(kernels, options, p, start);
  if (begin.settled) return {};
  begin.point.tangent.resize(begin.point.x.size(), 0);
  FlowRun run = run_from(begin.point, p);
  run.end = {0, duration};
  run.watches = {section};
  run.keep_events = false;  // section events are recorded all the same
  return flow(kernels, options, run).events;
}

std::vector<Sample> arc_samples(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                                const ArcStart& start, const std::vector<double>& times) {
  ArcBeginning begin = beginning(kernels, options, p, start);
  if (begin.settled || times.empty()) return {};
  begin.point.tangent.resize(begin.point.x.size(), 0);
  FlowRun run = run_from(begin.point, p);
  run.keep_events = false;
  for (const double t : times) {
    Time at{0, begin.point.t.phase + t};
    if (p.period > 0.0) {
      at.cycles = static_cast<long>(std::floor(at.phase / p.period));
      at.phase -= static_cast<double>(at.cycles) * p.period;
    }
    run.samples.push_back(at);
  }
  run.end = run.samples.back();
  return flow(kernels, options, run).samples;
}

Arc ReturnMap::operator()(const Vector& x, const ParameterPoint& p, long k) const {
  if (section_) return arc_to_section(kernels_, options_, p, {x}, *section_, k, longest_);
  return arc(kernels_, options_, p, {x, phase_}, static_cast<double>(k));
}

}  // namespace saltus
