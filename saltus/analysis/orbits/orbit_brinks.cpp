#include "saltus/analysis/orbits/orbit_brinks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/analysis/orbits/struck_together.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

using Kind = SegmentEnd::Kind;

namespace {

double duration_of(const PlannedOrbit& orbit) { return std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0); }

/// A minimum of a switch in segment i at a place where the orbit goes beyond it and straight back: how long that lasts says all.
bool is_of_excursion(const PlannedOrbit& orbit, std::size_t i, const Dip& dip) {
  const std::size_t m = orbit.x.size();
  if (dip.guard.kind != Guard::Kind::switched || m < 2) return false;
  const double near = 1e-3 * duration_of(orbit);
  const SegmentEnd own = {Kind::switched, dip.guard.index, 0.0};
  const auto is_excursion = [&](std::size_t j) {
    const SegmentEnd& before = orbit.plan.segments[(j + m - 1) % m].end;
    return before == own && orbit.plan.segments[j % m].end == own && orbit.tau[j % m] < near;
  };
  return is_excursion(i) || (is_excursion(i + 1) && dip.after > orbit.tau[i] - 2.0 * near) ||
         (is_excursion(i + m - 1) && dip.after < 2.0 * near);
}

/// Of the switch that ends segment i, if the force jumps there. A flight beyond it before a slide returns the slower the shorter it is:
/// its duration says all.
void add_arrival(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                 const EventValue& end, std::vector<Brink>& brinks) {
  const SegmentPlan& plan = orbit.plan.segments[i];
  const std::size_t after = (i + 1) % orbit.x.size();
  const SegmentPlan& next = orbit.plan.segments[after];
  const std::size_t k = plan.end.index;
  const Index row = index(mechanism.layout().contacts + k);
  const double sign = plan.mode.side(k);
  const double speed = -sign * end.rate[row];
  const FieldValue beyond = mechanism.field(piece.t_end, piece.jump.x, next.start_mode());
  if (next.mode.slides_alone(k)) {
    const double weight = beyond.weight[index(k)];
    const bool returns = orbit.plan.segments[(i + orbit.x.size() - 1) % orbit.x.size()].end == plan.end;
    if (!returns) brinks.push_back({Brink::Kind::arrival, i, k, orbit.tau[i], speed});
    brinks.push_back({Brink::Kind::entry, after, k, 0.0, sign > 0.0 ? weight : 1.0 - weight});
    return;
  }
  const double left = -sign * mechanism.events(piece.t_end, piece.jump.x, beyond.rate).rate[row];
  if (std::abs(left - speed) <= 1e-9 * (std::abs(left) + std::abs(speed))) return;
  brinks.push_back({Brink::Kind::arrival, i, k, orbit.tau[i], speed});
  brinks.push_back({Brink::Kind::passage, i, k, orbit.tau[i], left});
}

/// A segment between these events is a slide along switch k from its beginning to its end. One that another switch cuts short is not: where that
/// part vanishes, two switches are met in one instant.
bool is_whole_stick(const SegmentEnd& before, const SegmentEnd& end, std::size_t k) {
  const bool switched = before.kind == Kind::switched || end.kind == Kind::switched;
  const bool foreign =
      (before.kind == Kind::switched && before.index != k) || (end.kind == Kind::switched && end.index != k);
  return !(switched && foreign);
}

/// The duration of a slide along a switch. One that leaves on the side it came from vanishes where the switch is reached without speed:
/// that speed says all.
void add_stick_length(const PlannedOrbit& orbit, std::size_t i, std::vector<Brink>& brinks) {
  const SegmentPlan& plan = orbit.plan.segments[i];
  const SegmentEnd& before = orbit.plan.segments[(i + orbit.x.size() - 1) % orbit.x.size()].end;
  if (!is_event(plan.end) || !is_event(before) || is_touching_stick(orbit.plan, i)) return;
  for (std::size_t k = 0; k < plan.mode.switches().size(); ++k)
    if (plan.mode.slides_alone(k) && is_whole_stick(before, plan.end, k))
      brinks.push_back({Brink::Kind::stick_length, i, k, 0.0, orbit.tau[i]});
}

/// A minimum of a switch, at which the force jumps, that segment i has just passed, and leaves without speed or back to where it came from: that speed
/// says all.
bool is_of_departure(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                     const Dip& dip) {
  const SegmentPlan& plan = orbit.plan.segments[i];
  const SegmentPlan& before = orbit.plan.segments[(i + orbit.x.size() - 1) % orbit.x.size()];
  const std::size_t k = dip.guard.index;
  if (dip.guard.kind != Guard::Kind::switched || !(before.end == SegmentEnd{Kind::switched, k})) return false;
  const double t = piece.t_end - orbit.tau[i];
  const auto speed = [&](const Mode& mode) {
    const Vector rate = mechanism.field(t, orbit.x[i], mode).rate;
    return plan.mode.side(k) * mechanism.events(t, orbit.x[i], rate).rate[index(mechanism.layout().contacts + k)];
  };
  return speed(plan.start_mode()) < 1e-9 * speed(before.mode);
}

bool is_told_by_others(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                       const Dip& dip) {
  return is_of_excursion(orbit, i, dip) || is_of_departure(mechanism, orbit, i, piece, dip);
}

/// What the duration of a flight is called that leads from one event to a switch.
Brink::Kind kind_between(const SegmentEnd& before, const SegmentEnd& end, const Mode& next) {
  if (end.kind != Kind::switched || !next.slides_alone(end.index) || before.index != end.index)
    return Brink::Kind::switch_order;
  if (before.kind == Kind::switched) return Brink::Kind::entry_flight;
  const bool slid = before.kind == Kind::weight_low || before.kind == Kind::weight_high;
  return slid ? Brink::Kind::slip_length : Brink::Kind::switch_order;
}

Brink::Kind kind_of(const Dip& dip) {
  switch (dip.guard.kind) {
    case Guard::Kind::gap: return Brink::Kind::gap;
    case Guard::Kind::force: return Brink::Kind::force;
    case Guard::Kind::switched: return Brink::Kind::switch_side;
    default: return Brink::Kind::stick_weight;
  }
}

/// The speeds with which closed contacts are struck by the impulse of the impact that ends segment i, and it again by theirs.
void add_blow_speeds(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                     std::vector<Brink>& brinks) {
  const std::vector<std::vector<std::size_t>>& blows = orbit.plan.segments[i].end.blows;
  for (std::size_t k = 1; k < blows.size(); ++k) {
    SegmentEnd so_far = orbit.plan.segments[i].end;
    so_far.blows.resize(k);
    const Jump jump = struck_by(no_jump(mechanism.layout(), piece.x_end), mechanism, piece.t_end, so_far);
    const Vector gamma = mechanism.contact(piece.t_end, jump.x, Mode(mechanism.layout())).gamma;
    for (const std::size_t c : blows[k])
      brinks.push_back({Brink::Kind::blow_speed, i, c, orbit.tau[i], -gamma[index(c)]});
  }
}

/// In which the value of a brink is measured; 0: it has no unit, or none that is known. A force is what gives the contact's point the acceleration
/// that belongs to its speed.
double unit_of(const Brink& brink, const Matrix& changes, const Matrix& delassus, double duration) {
  const std::size_t contacts = static_cast<std::size_t>(delassus.rows());
  const auto size = [&](std::size_t row) { return changes.row(index(row)).sum(); };
  switch (brink.kind) {
    case Brink::Kind::gap:
    case Brink::Kind::corner: return size(brink.index);
    case Brink::Kind::impact_speed:
    case Brink::Kind::blow_speed: return size(contacts + brink.index);
    case Brink::Kind::departure: return size(contacts + brink.index) / duration;
    case Brink::Kind::switch_side: return size(2 * contacts + brink.index);
    case Brink::Kind::arrival:
    case Brink::Kind::passage: return size(2 * contacts + brink.index) / duration;
    case Brink::Kind::slide_length:
    case Brink::Kind::switch_order:
    case Brink::Kind::stick_length:
    case Brink::Kind::entry_flight:
    case Brink::Kind::slip_length:
    case Brink::Kind::hop_length: return duration;
    case Brink::Kind::force:
      return size(contacts + brink.index) / (duration * delassus(index(brink.index), index(brink.index)));
    case Brink::Kind::stick_weight:
    case Brink::Kind::entry: return 0.0;
  }
  return 0.0;
}

void add_values(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                const Matrix& changes, std::vector<Brink>& brinks) {
  const std::vector<SegmentPlan>& all = orbit.plan.segments;
  const SegmentPlan& plan = all[i];
  const Mode next = all[(i + 1) % all.size()].start_mode();
  const EventValue end = mechanism.events(piece.t_end, piece.x_end, piece.dtau);
  if (plan.end.kind == Kind::impact) {
    const std::size_t c = plan.end.index;
    brinks.push_back({Brink::Kind::impact_speed, i, c, orbit.tau[i], -end.rate[index(c)]});
    add_blow_speeds(mechanism, orbit, i, piece, brinks);
    const ContactValue contact = mechanism.contact(piece.t_end, piece.x_end, Mode(mechanism.layout()));
    if (contact.restitution[index(c)] == 0.0 && !next.is_closed(c)) {
      const Vector rate = mechanism.field(piece.t_end, piece.jump.x, next).rate;
      const double away = mechanism.events(piece.t_end, piece.jump.x, rate).gap_second[index(c)];
      brinks.push_back({Brink::Kind::departure, i, c, orbit.tau[i], away});
    }
  }
  if (plan.end.kind == Kind::switched) add_arrival(mechanism, orbit, i, piece, end, brinks);
  add_stick_length(orbit, i, brinks);
  // A flight that begins with gap and rate zero, behind a slide or an impact without rebound, has a minimum of no depth there; so has
  // one that leaves a switch along which it slid.
  const SegmentEnd& before = all[(i + all.size() - 1) % all.size()].end;
  const auto is_beginning = [&](const Dip& dip) {
    const bool left = before.kind == Kind::release || before.kind == Kind::impact;
    const bool slid = before.kind == Kind::weight_low || before.kind == Kind::weight_high;
    const bool own = (dip.guard.kind == Guard::Kind::gap && left) || (dip.guard.kind == Guard::Kind::switched && slid);
    const std::size_t row =
        (dip.guard.kind == Guard::Kind::gap ? 0 : 2 * mechanism.layout().contacts) + dip.guard.index;
    return own && before.index == dip.guard.index && dip.after < 1e-3 * orbit.tau[i] &&
           std::abs(dip.value) < 1e-9 * changes.row(index(row)).sum();
  };
  for (const Dip& dip : piece.dips) {
    if (is_beginning(dip) || is_told_by_others(mechanism, orbit, i, piece, dip)) continue;
    brinks.push_back({kind_of(dip), i, dip.guard.index, dip.after, dip.value});
  }
  const bool switches = plan.end.kind == Kind::switched || before.kind == Kind::switched;
  // Where an excursion beyond a switch, or away from it between two slides, vanishes the equations are singular, and orbits that are none have one of no length: the
  // curve ends a little before, and the touching orbit is found without the excursion.
  const Brink::Kind between = kind_between(before, plan.end, next);
  const double least = before == plan.end ? 1e-4 : between == Brink::Kind::slip_length ? 1e-5 : 0.0;
  const double shortest = least * duration_of(orbit);
  bool parts = !plan.mode.any_closed();
  for (std::size_t k = 0; k < plan.mode.switches().size(); ++k)
    parts = parts && (!plan.mode.slides_alone(k) || !is_whole_stick(before, plan.end, k));
  if (all.size() > 1 && switches && is_event(before) && is_event(plan.end) && parts)
    brinks.push_back({between, i, plan.end.index, 0.0, orbit.tau[i] - shortest});
  // Where an orbit is cut inside a slide, the smallest force may lie just there.
  const Vector force = mechanism.field(piece.t_end, piece.x_end, plan.mode).force;
  for (std::size_t c = 0; c < plan.mode.contacts().size() && !is_event(plan.end); ++c)
    if (plan.mode.is_closed(c)) brinks.push_back({Brink::Kind::force, i, c, orbit.tau[i], force[index(c)]});
  const std::vector<std::size_t> struck = struck_with(orbit.plan, i);
  for (std::size_t c = 0; c < plan.mode.contacts().size(); ++c) {
    if (plan.mode.is_closed(c)) {
      const bool ends = is_event(plan.end);
      if (ends) brinks.push_back({Brink::Kind::slide_length, i, c, 0.0, orbit.tau[i] - piece.slides});
      continue;
    }
    const bool own = plan.end.kind == Kind::impact && std::find(struck.begin(), struck.end(), c) != struck.end();
    if (!own && is_event(plan.end)) brinks.push_back({Brink::Kind::corner, i, c, orbit.tau[i], end.value[index(c)]});
  }
}

}  // namespace

void add_brinks(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                const Vector& sizes, std::vector<Brink>& brinks) {
  const double duration = duration_of(orbit);
  const Matrix jets = mechanism.jets(piece.t_end, piece.x_end).cwiseAbs();
  Matrix changes(jets.rows(), sizes.size() + 1);
  changes << jets.leftCols(sizes.size()) * sizes.asDiagonal(), jets.col(sizes.size()) * duration;
  Matrix delassus(0, 0);
  if (mechanism.layout().contacts > 0)
    delassus = mechanism.contact(piece.t_end, piece.x_end, Mode(mechanism.layout())).delassus;
  std::vector<Brink> found;
  add_values(mechanism, orbit, i, piece, changes, found);
  for (Brink& brink : found) {
    const double unit = unit_of(brink, changes, delassus, duration);
    if (unit > 0.0 && std::isfinite(unit)) brink.value /= unit;
    brinks.push_back(brink);
  }
}

}  // namespace saltus
