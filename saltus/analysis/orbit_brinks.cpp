#include "saltus/analysis/orbit_brinks.hpp"

#include <cmath>
#include <numeric>

#include "saltus/flow/index.hpp"

namespace saltus {

using Kind = SegmentEnd::Kind;

namespace {

double duration_of(const PlannedOrbit& orbit) { return std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0); }

/// A minimum of a switch in segment i at a place where the orbit goes beyond it and straight back: how long that lasts says all.
bool is_of_excursion(const PlannedOrbit& orbit, std::size_t i, const Dip& dip) {
  const std::size_t m = orbit.x.size();
  if (dip.guard.kind != ModeGuard::Kind::switched || m < 2) return false;
  const double near = 1e-3 * duration_of(orbit);
  const SegmentEnd own = {Kind::switched, dip.guard.index, 0.0};
  const auto is_excursion = [&](std::size_t j) {
    const SegmentEnd& before = orbit.plan.segments[(j + m - 1) % m].end;
    return before == own && orbit.plan.segments[j % m].end == own && orbit.tau[j % m] < near;
  };
  return is_excursion(i) || (is_excursion(i + 1) && dip.after > orbit.tau[i] - 2.0 * near) ||
         (is_excursion(i + m - 1) && dip.after < 2.0 * near);
}

}  // namespace

void add_brinks(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                std::vector<Brink>& brinks) {
  const std::vector<SegmentPlan>& all = orbit.plan.segments;
  const SegmentPlan& plan = all[i];
  const Mode next = all[(i + 1) % all.size()].start_mode();
  const EventValue end = mechanism.events(piece.t_end, piece.x_end, piece.dtau);
  if (plan.end.kind == Kind::impact) {
    const std::size_t c = plan.end.index;
    brinks.push_back({Brink::Kind::impact_speed, i, c, orbit.tau[i], -end.rate[index(c)]});
    const ContactValue contact = mechanism.contact(piece.t_end, piece.jump.x, Mode(mechanism.layout()));
    if (contact.restitution[index(c)] == 0.0 && !next.closed[c]) {
      const Vector rate = mechanism.field(piece.t_end, piece.jump.x, next).rate;
      const double away = mechanism.events(piece.t_end, piece.jump.x, rate).gap_second[index(c)];
      brinks.push_back({Brink::Kind::departure, i, c, orbit.tau[i], away});
    }
  }
  // A flight that begins with gap and rate zero, behind a slide or an impact without rebound, has a minimum of no depth there.
  const SegmentEnd& before = all[(i + all.size() - 1) % all.size()].end;
  const auto is_beginning = [&](const Dip& dip) {
    const bool left = before.kind == Kind::release || before.kind == Kind::impact;
    return dip.guard.kind == ModeGuard::Kind::gap && left && before.index == dip.guard.index &&
           dip.after < 1e-3 * orbit.tau[i] && std::abs(dip.value) < 1e-9;
  };
  for (const Dip& dip : piece.dips) {
    if (is_beginning(dip) || is_of_excursion(orbit, i, dip)) continue;
    const Brink::Kind kind = dip.guard.kind == ModeGuard::Kind::gap     ? Brink::Kind::gap
                             : dip.guard.kind == ModeGuard::Kind::force ? Brink::Kind::force
                                                                        : Brink::Kind::switch_side;
    brinks.push_back({kind, i, dip.guard.index, dip.after, dip.value});
  }
  const bool switches = plan.end.kind == Kind::switched || before.kind == Kind::switched;
  // Where an excursion beyond a switch vanishes the equations are singular, and orbits that are none have one of no length: the
  // curve ends a little before, and the touching orbit is found without the excursion.
  const double shortest = before == plan.end ? 1e-4 * duration_of(orbit) : 0.0;
  if (all.size() > 1 && switches && is_event(before) && is_event(plan.end) && !plan.mode.is_masked())
    brinks.push_back({Brink::Kind::switch_order, i, plan.end.index, 0.0, orbit.tau[i] - shortest});
  // Where an orbit is cut inside a slide, the smallest force may lie just there.
  const Vector force = mechanism.field(piece.t_end, piece.x_end, plan.mode).force;
  for (std::size_t c = 0; c < plan.mode.closed.size() && !is_event(plan.end); ++c)
    if (plan.mode.closed[c]) brinks.push_back({Brink::Kind::force, i, c, orbit.tau[i], force[index(c)]});
  for (std::size_t c = 0; c < plan.mode.closed.size(); ++c) {
    if (plan.mode.closed[c]) {
      const bool ends = is_event(plan.end);
      if (ends) brinks.push_back({Brink::Kind::slide_length, i, c, 0.0, orbit.tau[i] - piece.slides});
      continue;
    }
    const bool own = plan.end.kind == Kind::impact && plan.end.index == c;
    if (!own && is_event(plan.end)) brinks.push_back({Brink::Kind::corner, i, c, orbit.tau[i], end.value[index(c)]});
  }
}

}  // namespace saltus
