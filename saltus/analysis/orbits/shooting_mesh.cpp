#include "saltus/analysis/orbits/shooting_mesh.hpp"

#include <algorithm>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// One place in each of `segments` equal parts of the period: the middle of the longest stretch without an event in it.
std::vector<double> places_away_from(std::vector<double> events, std::size_t segments) {
  std::sort(events.begin(), events.end());
  std::vector<double> places;
  const double width = 1.0 / static_cast<double>(segments);
  for (std::size_t i = 0; i < segments; ++i) {
    const double begin = static_cast<double>(i) * width;
    const double end = begin + width;
    double last = begin;
    double longest = 0.0;
    double place = begin;
    const auto stretch_to = [&](double here) {
      if (here - last > longest) {
        longest = here - last;
        place = 0.5 * (last + here);
      }
      last = here;
    };
    for (const double event : events)
      if (event > begin && event < end) stretch_to(event);
    stretch_to(end);
    places.push_back(place);
  }
  return places;
}

/// Largest |x| of each component on the motion from a guess, and the size below which the error of a step is absolute.
Vector sizes_of(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
                double length) {
  const StateRange range = arc_range(kernels, options, p, start, length);
  return (range.lowest.cwiseAbs().cwiseMax(range.highest.cwiseAbs())).array() + options.atol / options.rtol;
}

/// The node that an arc leads to.
ShootingNode node_at(double place, const Arc& arc) { return {place, arc.end.mode, arc.end.fastest}; }

void set_phase_condition(const Kernels& kernels, const ParameterPoint& p, const Vector& x, ShootingMesh& mesh) {
  if (!mesh.autonomous()) return;
  mesh.anchor = x;
  const Vector rate = Mechanism(kernels, p.inputs).field(0.0, x, mesh.nodes.front().mode).rate;
  mesh.direction = rate.cwiseQuotient(mesh.sizes).normalized().cwiseQuotient(mesh.sizes);
}

Vector joined(const std::vector<Vector>& states, const ShootingMesh& mesh, double period) {
  const Index N = states.front().size();
  Vector u(N * index(states.size()) + (mesh.autonomous() ? 1 : 0));
  for (std::size_t i = 0; i < states.size(); ++i) u.segment(N * index(i), N) = states[i];
  if (mesh.autonomous()) u[u.size() - 1] = period;
  return u;
}

}  // namespace

ShootingStart shooting_start(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                             const OrbitGuess& guess, std::size_t segments, const Translations& translations) {
  ShootingStart result;
  const bool forced = p.period > 0.0;
  result.mesh.periods = forced ? guess.periods : 0;
  const double unit = forced ? static_cast<double>(guess.periods) : guess.duration;
  const Arc whole = arc(kernels, options, p, guess.start, unit);
  if (!whole.whole()) {
    result.stopped = whole;
    return result;
  }
  const Vector change = whole.x - guess.start.x;
  result.mesh.gain = change - translations.remainder(change);
  result.mesh.translations = translations;
  result.mesh.sizes = sizes_of(kernels, options, p, guess.start, unit);
  std::vector<double> events;
  for (const Event& event : whole.events) events.push_back(period_part(event.t / whole.duration));
  ArcStart from = guess.start;
  double here = 0.0;
  std::vector<Vector> states;
  for (const double place : places_away_from(events, segments)) {
    const Arc step = arc(kernels, options, p, from, unit * (place - here));
    if (!step.whole()) {
      result.stopped = step;
      return result;
    }
    here = place;
    from = {step.x, forced ? period_part(guess.start.phase + unit * place) : 0.0, step.end.mode, step.end.fastest};
    states.push_back(step.x);
    // Places count from the strobe.
    result.mesh.nodes.push_back(node_at(forced ? place + guess.start.phase / unit : place, step));
  }
  set_phase_condition(kernels, p, states.front(), result.mesh);
  result.mesh.held_at = translations.drift(states.front());
  result.u = joined(states, result.mesh, guess.duration);
  return result;
}

ShootingStart remeshed(const Shooting& shooting, const Vector& u, const ParameterPoint& p, const ShootingValue& value,
                       std::size_t segments) {
  const ShootingMesh& old = shooting.mesh();
  const double period = shooting.period(u, p);
  std::vector<double> events;
  for (std::size_t i = 0; i < value.arcs.size(); ++i)
    for (const Event& event : value.arcs[i].events)
      events.push_back(period_part(old.nodes[i].place + event.t / period));
  ShootingStart result;
  result.mesh = old;
  result.mesh.gain = value.gain;
  result.mesh.nodes.clear();
  std::vector<Vector> states;
  for (const double place : places_away_from(events, segments)) {
    // The last node at or before the place; places before the first node belong to the last segment, a period later.
    const bool wraps = place < old.nodes.front().place;
    const double target = wraps ? place + 1.0 : place;
    std::size_t i = old.nodes.size() - 1;
    while (old.nodes[i].place > target) --i;
    const double unit = old.autonomous() ? period : static_cast<double>(old.periods);
    const ShootingNode& from = old.nodes[i];
    const double phase = old.autonomous() ? 0.0 : period_part(unit * from.place);
    const Arc step = arc(shooting.kernels(), shooting.options(), p,
                         {shooting.state(u, i), phase, from.mode, from.fastest}, unit * (target - from.place));
    if (!step.whole()) {
      result.stopped = step;
      return result;
    }
    states.push_back(wraps ? Vector(step.x - value.gain) : step.x);
    result.mesh.nodes.push_back(node_at(place, step));
  }
  set_phase_condition(shooting.kernels(), p, states.front(), result.mesh);
  result.mesh.held_at = old.translations.drift(states.front());
  result.u = joined(states, result.mesh, period);
  return result;
}

}  // namespace saltus
