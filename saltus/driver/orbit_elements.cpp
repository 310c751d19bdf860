#include <cmath>
#include <numeric>

#include "saltus/analysis/response/linear_response.hpp"
#include "saltus/driver/orbit.hpp"

namespace saltus {
namespace {

/// The nodes of the motion from x over the orbit's period. Nothing if it stops on the way.
std::optional<Vector> nodes_from(const OrbitResult& result, const Vector& x) {
  const TimeElements& elements = *result.elements;
  const auto periods = static_cast<double>(elements.options().periods);
  FlowRun run;
  run.start = start_point(*result.kernels, {}, x, LaneStepper::Carries::state);
  run.end = {elements.options().periods, 0.0};
  run.period = result.p.period;
  run.parameters = result.p.inputs;
  run.keep_events = false;
  for (const double place : elements.places()) {
    const double t = place * periods;
    run.samples.push_back({static_cast<long>(std::floor(t)), (t - std::floor(t)) * result.p.period});
  }
  const FlowResult motion = flow(*result.kernels, result.options, run);
  if (motion.outcome != Outcome::reached_end) return std::nullopt;
  const auto n = static_cast<Eigen::Index>(result.prepared.model->n());
  Vector nodes(elements.unknowns());
  for (std::size_t i = 0; i < motion.samples.size(); ++i)
    nodes.segment(static_cast<Eigen::Index>(i) * n, n) = motion.samples[i].x.head(n);
  return nodes;
}

Vector linear_nodes(const OrbitResult& result) {
  const TimeElements& elements = *result.elements;
  const auto q = linear_response(*result.kernels, result.p.inputs, result.p.period);
  const auto periods = static_cast<double>(elements.options().periods);
  return elements.nodes_of([&](double place) { return q(place * periods); });
}

PeriodicOrbit as_periodic_orbit(const OrbitResult& result) {
  const TimeElements& elements = *result.elements;
  const TimeElementOrbit& found = result.element_orbit;
  const Mechanism mechanism(*result.kernels, result.p.inputs);
  const auto at = [&](double place) { return elements.state(found.nodes, place, result.p.period); };
  PeriodicOrbit orbit;
  orbit.x = found.x;
  orbit.mode = open_mode(mechanism, 0.0, found.x);
  orbit.period = found.period;
  orbit.returns = elements.options().periods;
  orbit.points = {found.x};
  for (long k = 1; k < orbit.returns; ++k)
    orbit.points.push_back(at(static_cast<double>(k) / static_cast<double>(orbit.returns)));
  orbit.multipliers = found.multipliers;
  orbit.stable = found.stable;
  orbit.stability = stability_of(found.multipliers);
  for (const TimeElements::Passing& passing : elements.passings(found.nodes, result.p.inputs, result.p.period)) {
    const Vector x = at(passing.place);
    orbit.events.push_back({EventKind::switched, passing.place * found.period, passing.index, 0.0, 0.0, 0.0, x, x});
  }
  orbit.sequence = event_sequence(orbit.events);
  orbit.residual = found.residual;
  orbit.condition = found.condition;
  orbit.turns = Vector::Zero(found.x.size());
  return orbit;
}

}  // namespace

void find_by_elements(OrbitResult& result, const ArcStart& start) {
  const auto solved = [&](const Vector& nodes) {
    return solve_continued(*result.elements, nodes, result.p.inputs, result.p.period, result.request.interrupted);
  };
  if (const auto nodes = nodes_from(result, start.x)) result.element_orbit = solved(*nodes);
  if (result.element_orbit.end == TimeElementEnd::not_converged) {
    const TimeElementOrbit second = solved(linear_nodes(result));
    if (second.converged() || result.element_orbit.nodes.size() == 0) result.element_orbit = second;
  }
  result.interrupted = !result.element_orbit.converged() && result.request.interrupted && result.request.interrupted();
  if (result.element_orbit.converged()) result.orbits.push_back({as_periodic_orbit(result), {0}});
}

std::vector<Sample> orbit_samples(const OrbitResult& result, const PeriodicOrbit& orbit, std::size_t count) {
  if (!result.elements) return samples_of(result.setting(), result.p, orbit, count);
  const Mechanism mechanism(*result.kernels, result.p.inputs);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i <= count; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(count);
    const Vector x = result.elements->state(result.element_orbit.nodes, place, result.p.period);
    samples.push_back({place * orbit.period, x, open_mode(mechanism, place * orbit.period, x), {}});
  }
  return samples;
}

}  // namespace saltus
