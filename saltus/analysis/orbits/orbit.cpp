#include "saltus/analysis/orbits/orbit.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "saltus/analysis/motions/parallel.hpp"
#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/numerics/decompositions.hpp"

namespace saltus {
namespace {

constexpr double same_orbit_point = 1e-6;            // of two orbits, or of one at two times; relative to the state
constexpr std::size_t most_factors = 512;
constexpr double loosest_joint = 1e-6;  // ShootingValue::error of an orbit that is only cut further

bool coincide(const Vector& a, const Vector& b, const Translations& translations, const StateSizes& sizes) {
  return state_distance(a, b, translations, sizes) <= same_orbit_point;
}

/// Ranges of the components on an orbit. Newton leaves differences of its tolerance; a digit or two are lost on the way to a point.
StateSizes sizes_on(const Shooting& shooting, const Vector& u, const ParameterPoint& p) {
  constexpr double left_by_newton = 1e-9;
  const ShootingMesh& mesh = shooting.mesh();
  const double unit = mesh.autonomous() ? shooting.period(u, p) : static_cast<double>(mesh.periods);
  StateRange range;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const double at = unit * mesh.nodes[i].place;
    const double phase = mesh.autonomous() ? 0.0 : at - std::floor(at);
    range.include(arc_range(shooting.kernels(), shooting.options(), p,
                            {shooting.state(u, i), phase, mesh.nodes[i].mode, mesh.nodes[i].fastest},
                            unit * shooting.part(i)));
  }
  const FlowOptions& options = shooting.options();
  const Vector largest = range.lowest.cwiseAbs().cwiseMax(range.highest.cwiseAbs());
  return {range.widths(), left_by_newton * (largest.array() + options.atol / options.rtol)};
}

/// The multipliers over as many segments as it takes that no factor contracts by more than it resolves. Where as many as that are not reached, or do not
/// join to the same orbit, those that the error of the tangent hides say so.
std::vector<Multiplier> refined_multipliers(const Shooting& shooting, const Vector& u, const ParameterPoint& p,
                                            const ShootingValue& value) {
  const auto unit = shooting.mesh().sizes.asDiagonal();
  const auto is_coarse = [&](const ShootingValue& v) {
    return std::any_of(v.arcs.begin(), v.arcs.end(), [&](const Arc& arc) {
      const TangentFactor factor = tangent_factor(arc);
      return contraction({unit.inverse() * factor.matrix * unit, factor.may_annihilate}) < strongest_contraction;
    });
  };
  ShootingMesh mesh = shooting.mesh();
  ShootingValue fine = value;
  for (std::size_t m = 2 * mesh.nodes.size(); is_coarse(fine) && m <= most_factors; m *= 2) {
    const ShootingStart finer = remeshed(shooting, u, p, value, m);
    if (finer.stopped) break;
    ShootingValue tried = Shooting(shooting.kernels(), shooting.options(), finer.mesh)(finer.u, p);
    if (!tried.whole() || !(tried.error <= loosest_joint)) break;
    mesh = finer.mesh;
    fine = std::move(tried);
  }
  return orbit_multipliers(mesh, fine, is_coarse(fine) ? shooting.options().tangent_rtol : 0.0);
}

/// A point of the orbit: state, mode, and how long after the first node it is.
struct OrbitPoint {
  double t;
  Vector x;
  Mode mode;
};

/// The motion from a node for a part of the orbit's period, in [0, part(node)].
Arc from_node(const Shooting& shooting, const Vector& u, const ParameterPoint& p, std::size_t node, double part) {
  const ShootingMesh& mesh = shooting.mesh();
  const double unit = mesh.autonomous() ? shooting.period(u, p) : static_cast<double>(mesh.periods);
  const double at = unit * mesh.nodes[node].place;
  const double phase = mesh.autonomous() ? 0.0 : at - std::floor(at);
  return arc(shooting.kernels(), shooting.options(), p,
             {shooting.state(u, node), phase, mesh.nodes[node].mode, mesh.nodes[node].fastest}, unit * part);
}

/// The orbit at a part of its period after the first node.
OrbitPoint point_at(const Shooting& shooting, const Vector& u, const ParameterPoint& p, double part) {
  const std::vector<ShootingNode>& nodes = shooting.mesh().nodes;
  std::size_t i = nodes.size() - 1;
  while (i > 0 && nodes[i].place - nodes.front().place > part) --i;
  const Arc there = from_node(shooting, u, p, i, part - (nodes[i].place - nodes.front().place));
  return {part * shooting.period(u, p), there.x, there.end.mode};
}

std::vector<OrbitPoint> strobe_points(const Shooting& shooting, const Vector& u, const ParameterPoint& p) {
  const ShootingMesh& mesh = shooting.mesh();
  const double first = mesh.nodes.front().place;
  std::vector<OrbitPoint> points;
  for (long j = 0; j < mesh.periods; ++j) {
    double part = static_cast<double>(j) / static_cast<double>(mesh.periods) - first;
    part -= std::floor(part);
    points.push_back(point_at(shooting, u, p, part));
    // The strobe before the first node is reached a period later.
    if (part + first >= 1.0) {
      points.back().x -= mesh.gain;
      points.back().t -= shooting.period(u, p);
    }
  }
  return points;
}

std::vector<OrbitPoint> section_crossings(const Shooting& shooting, const Vector& u, const ParameterPoint& p,
                                          const Watch& section) {
  std::vector<OrbitPoint> points;
  double t = 0.0;
  for (std::size_t i = 0; i < shooting.mesh().nodes.size(); ++i) {
    const ShootingNode& node = shooting.mesh().nodes[i];
    const double duration = shooting.part(i) * shooting.period(u, p);
    const ArcStart start{shooting.state(u, i), 0.0, node.mode, node.fastest};
    for (const Event& at : crossings(shooting.kernels(), shooting.options(), p, start, section, duration)) {
      points.push_back({t + at.t, at.x_minus, node.mode});
      if (points.size() > 1) continue;
      const Arc first = arc_to_section(shooting.kernels(), shooting.options(), p, start, section, 1, duration);
      points.back().mode = first.end.mode;
    }
    t += duration;
  }
  return points;
}

/// Strobes, section crossings, or the first node where there is no section.
std::vector<OrbitPoint> points_of(const OrbitSetting& setting, const Shooting& shooting, const Vector& u,
                                  const ParameterPoint& p) {
  std::vector<OrbitPoint> points;
  if (!shooting.mesh().autonomous()) points = strobe_points(shooting, u, p);
  else if (setting.section) points = section_crossings(shooting, u, p, *setting.section);
  if (points.empty()) points.push_back({0.0, shooting.state(u, 0), shooting.mesh().nodes.front().mode});
  return points;
}

/// Events with times from `start`, within one period.
std::vector<Event> events_from(double start, double period, std::vector<Event> events) {
  for (Event& event : events) {
    event.t -= start;
    event.t -= period * std::floor(event.t / period);
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.t < b.t; });
  return events;
}

OrbitSymmetry symmetry_of(const OrbitSetting& setting, const Shooting& shooting, const Vector& u,
                          const ParameterPoint& p, const StateSizes& sizes) {
  const OrbitPoint half = point_at(shooting, u, p, 0.5);
  const Vector x = shooting.state(u, 0);
  if (coincide(half.x, -x, setting.translations, sizes)) return OrbitSymmetry::symmetric;
  // Is the mirror image a motion of the model, closed like the orbit? Forced models: half a forcing period later.
  const ShootingMesh& mesh = shooting.mesh();
  const double unit = mesh.autonomous() ? shooting.period(u, p) : static_cast<double>(mesh.periods);
  const double place = unit * mesh.nodes.front().place + 0.5;
  const double phase = mesh.autonomous() ? 0.0 : place - std::floor(place);
  Mechanism mechanism(setting.kernels, p.inputs);
  const Layout& layout = setting.kernels.layout();
  if (layout.contacts > 0 && is_penetrating(mechanism, phase * p.period, -x, shooting.mesh().sizes))
    return OrbitSymmetry::none;
  Mode mode = mesh.nodes.front().mode;
  if (layout.switches > 0) return OrbitSymmetry::none;  // the mirror image of a mode is not known
  const Arc mirrored = arc(setting.kernels, shooting.options(), p, {-x, phase, mode, mesh.nodes.front().fastest}, unit);
  const bool closes = mirrored.whole() && coincide(mirrored.x, -x, setting.translations, sizes);
  const auto size = shooting.mesh().sizes.asDiagonal();
  const Matrix change = size.inverse() * (mirrored.dx_dx - Matrix::Identity(x.size(), x.size())) * size;
  const bool alike = closes && change.norm() > 1e-6;
  return alike ? OrbitSymmetry::mirror_pair : OrbitSymmetry::none;
}

std::size_t segments_for(const OrbitOptions& options, const OrbitGuess& guess, bool forced) {
  if (options.segments > 0) return options.segments;
  const long returns = forced ? guess.periods : 3;
  return static_cast<std::size_t>(std::clamp(4L * returns, 4L, 40L));
}

/// After how many of its returns the orbit closes already.
long prime_returns(const PeriodicOrbit& orbit, const Translations& translations) {
  const std::vector<Vector>& points = orbit.points;
  const long k = static_cast<long>(orbit.points.size());
  for (long d = 1; d < k; ++d) {
    if (k % d != 0) continue;
    bool repeats = true;
    for (long j = 0; j < k && repeats; ++j)
      repeats = coincide(points[static_cast<std::size_t>(j)], points[static_cast<std::size_t>((j + d) % k)],
                         translations, orbit.sizes);
    if (repeats) return d;
  }
  return k;
}

/// An equilibrium closes after any time, and any state after none: neither is an orbit.
bool stands_still(const OrbitSetting& setting, const ParameterPoint& p, const ShootingResult& result) {
  const Shooting shooting(setting.kernels, setting.flow, result.mesh);
  const Mechanism mechanism(setting.kernels, p.inputs);
  Vector path = Vector::Zero(result.mesh.sizes.size());
  for (std::size_t i = 0; i < result.mesh.nodes.size(); ++i) {
    const Vector x = shooting.state(result.u, i);
    const double duration = shooting.part(i) * shooting.period(result.u, p);
    path += mechanism.field(0.0, x, result.mesh.nodes[i].mode).rate.cwiseAbs() * std::abs(duration);
  }
  return !(path.cwiseQuotient(result.mesh.sizes).maxCoeff() > 1e-9);
}

/// Where an iteration without success was.
Vector last_state(const OrbitSetting& setting, const ParameterPoint& p, const ShootingResult& result) {
  if (result.u.size() == 0) return {};
  const Shooting shooting(setting.kernels, setting.flow, result.mesh);
  if (result.mesh.autonomous()) return shooting.state(result.u, 0);
  return strobe_points(shooting, result.u, p).front().x;
}

}  // namespace

FlowOptions orbit_flow_options() {
  FlowOptions options;
  options.rtol = 1e-12;
  options.atol = 1e-14;
  options.tangent_rtol = 1e-11;
  return options;
}

std::string_view name_of(OrbitSymmetry symmetry) {
  switch (symmetry) {
    case OrbitSymmetry::none: return "none";
    case OrbitSymmetry::symmetric: return "symmetric";
    case OrbitSymmetry::mirror_pair: return "mirror_pair";
  }
  return "";
}

PeriodicOrbit periodic_orbit(const OrbitSetting& setting, const ParameterPoint& p, const ShootingMesh& mesh,
                             const Vector& u, const ShootingValue& value, double condition) {
  const Shooting shooting(setting.kernels, setting.flow, mesh);
  PeriodicOrbit orbit;
  orbit.mesh = mesh;
  orbit.u = u;
  orbit.drift = mesh.translations.drift_of(mesh.gain);
  orbit.turns = mesh.translations.turns(mesh.gain);
  orbit.period = shooting.period(u, p);
  orbit.residual = value.error;
  orbit.condition = condition;
  orbit.multipliers = refined_multipliers(shooting, u, p, value);
  orbit.stability = stability_of(orbit.multipliers);
  orbit.stable = orbit.stability == Stability::stable;
  const std::vector<OrbitPoint> points = points_of(setting, shooting, u, p);
  for (const OrbitPoint& point : points) orbit.points.push_back(point.x);
  orbit.returns = !mesh.autonomous() || setting.section ? static_cast<long>(points.size()) : 0;
  orbit.x = points.front().x;
  orbit.mode = points.front().mode;
  orbit.start = points.front().t;
  orbit.events = events_from(points.front().t, orbit.period, orbit_events(value));
  orbit.sequence = event_sequence(orbit.events);
  orbit.sizes = sizes_on(shooting, u, p);
  orbit.symmetry = symmetry_of(setting, shooting, u, p, orbit.sizes);
  orbit.smallest_gamma.assign(setting.kernels.layout().contacts, std::numeric_limits<double>::infinity());
  for (const Event& event : orbit.events)
    if (event.kind == EventKind::impact)
      orbit.smallest_gamma[event.index] = std::min(orbit.smallest_gamma[event.index], std::abs(event.gamma_minus));
  return orbit;
}

std::vector<Sample> samples_of(const OrbitSetting& setting, const ParameterPoint& p, const PeriodicOrbit& orbit,
                               std::size_t count) {
  const Shooting shooting(setting.kernels, setting.flow, orbit.mesh);
  const double step = orbit.period / static_cast<double>(count);
  std::vector<Sample> samples(count + 1);
  double node_time = 0.0;  // of the node, after the first
  for (std::size_t i = 0; i < orbit.segments(); ++i) {
    const double end = node_time + shooting.part(i) * orbit.period;
    std::vector<std::size_t> wanted;
    std::vector<double> times;
    std::vector<Vector> turned;
    for (std::size_t j = 0; j <= count; ++j) {
      const double since = orbit.start + static_cast<double>(j) * step;
      const double turns = std::floor(since / orbit.period);
      const double t = since - turns * orbit.period;
      if (t < node_time || t >= end) continue;
      wanted.push_back(j);
      times.push_back(t - node_time);
      turned.push_back(turns * orbit.mesh.gain);
    }
    // In the order of the segment: after the wrap at x the later instants come first.
    std::vector<std::size_t> order(wanted.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    std::vector<double> sorted;
    for (const std::size_t k : order) sorted.push_back(times[k]);
    const ShootingNode& node = orbit.mesh.nodes[i];
    const double at = static_cast<double>(orbit.mesh.periods) * node.place;
    const ArcStart start{shooting.state(orbit.u, i), at - std::floor(at), node.mode, node.fastest};
    const std::vector<Sample> found = arc_samples(setting.kernels, setting.flow, p, start, sorted);
    for (std::size_t k = 0; k < found.size(); ++k) {
      Sample& sample = samples[wanted[order[k]]];
      sample = found[k];
      sample.x += turned[order[k]];
      sample.t = static_cast<double>(wanted[order[k]]) * step;
    }
    node_time = end;
  }
  std::erase_if(samples, [](const Sample& sample) { return sample.x.size() == 0; });
  return samples;
}

OrbitSearch find_orbit(const OrbitSetting& setting, const ParameterPoint& p, const OrbitGuess& guess,
                       const OrbitOptions& options) {
  const bool forced = p.period > 0.0;
  OrbitSearch search;
  const auto is_interrupted = [&] { return options.newton.interrupted && options.newton.interrupted(); };
  const auto attempt = [&](const OrbitGuess& from, std::size_t segments) {
    const ShootingStart start = shooting_start(setting.kernels, setting.flow, p, from, segments, setting.translations);
    search.shooting = solve_shooting(setting.kernels, setting.flow, p, start, options.newton);
    if (search.shooting.end != ShootingEnd::converged) return;
    const ShootingResult& found = search.shooting;
    if (!forced && stands_still(setting, p, found)) {
      search.shooting.end = ShootingEnd::collapsed;
      return;
    }
    search.orbit = periodic_orbit(setting, p, found.mesh, found.u, found.value, found.condition);
    if (!is_interrupted()) return;
    search.orbit.reset();  // motions that were to tell more of it may have ended early
    search.shooting.end = ShootingEnd::interrupted;
  };
  attempt(guess, segments_for(options, guess, forced));
  if (!search.orbit && options.segments == 0 && search.shooting.end != ShootingEnd::interrupted) {
    // Far from an orbit a single segment sometimes gets there: its step is not held back by defects inside.
    const OrbitSearch failed = search;
    attempt(guess, 1);
    if (!search.orbit) search = failed;
  }
  if (!search.orbit) {
    search.last = last_state(setting, p, search.shooting);
    return search;
  }
  const long whole = static_cast<long>(search.orbit->points.size());
  const long prime = prime_returns(*search.orbit, setting.translations);
  if (prime == whole) return search;
  OrbitSearch unreduced = search;
  OrbitGuess shorter;
  shorter.start = {search.orbit->x, 0.0, search.orbit->mode, {}};
  shorter.periods = prime;
  shorter.duration = search.orbit->period * static_cast<double>(prime) / static_cast<double>(whole);
  search.orbit.reset();
  attempt(shorter, segments_for(options, shorter, forced));
  if (!search.orbit && is_interrupted()) return search;
  if (!search.orbit) return unreduced;
  search.reduced_from = whole;
  return search;
}

GuessReading guess_from(const OrbitSetting& setting, const ParameterPoint& p, const ArcStart& start, long returns,
                        double longest) {
  GuessReading reading;
  if (p.period > 0.0) {
    reading.guess = OrbitGuess{start, returns, 0.0};
    return reading;
  }
  if (!setting.section) return reading;
  const Arc first = arc_to_section(setting.kernels, setting.flow, p, start, *setting.section, 1, longest);
  if (!first.whole()) {
    reading.stopped = first;
    return reading;
  }
  const ArcStart there{first.x, 0.0, first.end.mode, first.end.fastest};
  const Arc back = arc_to_section(setting.kernels, setting.flow, p, there, *setting.section, returns, longest);
  if (!back.whole()) {
    reading.stopped = back;
    return reading;
  }
  reading.guess = OrbitGuess{there, 0, back.duration};
  return reading;
}

bool same_orbit(const PeriodicOrbit& a, const PeriodicOrbit& b, const Translations& translations) {
  if (a.points.size() != b.points.size()) return false;
  if (std::abs(a.period - b.period) > same_orbit_point * std::max(a.period, b.period)) return false;
  const StateSizes sizes = a.sizes.joined(b.sizes);
  return std::any_of(b.points.begin(), b.points.end(),
                     [&](const Vector& point) { return coincide(a.x, point, translations, sizes); });
}

namespace {

/// All orbits that one start leads to.
std::vector<PeriodicOrbit> orbits_from(const OrbitSetting& setting, const ParameterPoint& p, const Vector& x,
                                       const OrbitsOptions& options) {
  std::vector<PeriodicOrbit> found;
  ArcStart start{x};
  OrbitSetting bounded = setting;  // a start where the model is stiff is given up
  bounded.flow.most_steps = std::min(setting.flow.most_steps, options.most_steps);
  if (options.transient > 0) {
    FlowOptions settling = bounded.flow;
    settling.most_steps *= options.transient;
    const Arc settled = p.period > 0.0
                            ? arc(setting.kernels, settling, p, start, static_cast<double>(options.transient))
                            : arc_to_section(setting.kernels, settling, p, start, *setting.section, options.transient,
                                             options.longest_return * static_cast<double>(options.transient));
    if (!settled.whole()) return found;
    start = {settled.x, 0.0, settled.end.mode, settled.end.fastest};
  }
  for (long k = 1; k <= options.longest_period; ++k) {
    if (options.orbit.newton.interrupted && options.orbit.newton.interrupted()) break;
    const GuessReading guess = guess_from(bounded, p, start, k, options.longest_return * static_cast<double>(k));
    if (!guess.guess) break;
    OrbitSearch search = find_orbit(bounded, p, *guess.guess, options.orbit);
    if (search.orbit) found.push_back(std::move(*search.orbit));
  }
  return found;
}

}  // namespace

std::vector<FoundOrbit> find_orbits(const OrbitSetting& setting, const ParameterPoint& p,
                                    const std::vector<Vector>& starts, const OrbitsOptions& options) {
  std::vector<std::vector<PeriodicOrbit>> each(starts.size());
  std::atomic<std::size_t> done = 0;
  std::mutex telling;
  parallel_for_each(starts.size(), options.threads, [&](std::size_t i) {
    each[i] = orbits_from(setting, p, starts[i], options);
    const std::size_t now = ++done;
    if (!options.progress) return;
    const std::lock_guard lock(telling);
    options.progress(static_cast<double>(now) / static_cast<double>(starts.size()));
  });
  std::vector<FoundOrbit> found;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    for (PeriodicOrbit& orbit : each[i]) {
      const auto known = std::find_if(found.begin(), found.end(), [&](const FoundOrbit& other) {
        return same_orbit(orbit, other.orbit, setting.translations);
      });
      if (known == found.end()) found.push_back({std::move(orbit), {i}});
      else if (known->starts.back() != i) known->starts.push_back(i);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundOrbit& a, const FoundOrbit& b) {
    return a.orbit.points.size() < b.orbit.points.size();
  });
  return found;
}

}  // namespace saltus
