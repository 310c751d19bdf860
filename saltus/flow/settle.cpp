#include "saltus/flow/settle.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "saltus/flow/chatter.hpp"
#include "saltus/flow/closing.hpp"
#include "saltus/flow/coinciding_sections.hpp"
#include "saltus/flow/gap_size.hpp"
#include "saltus/flow/held_field.hpp"
#include "saltus/flow/impact_rounds.hpp"
#include "saltus/flow/instant.hpp"
#include "saltus/flow/sliding_projection.hpp"
#include "saltus/flow/switch_sides.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

Vector Settler::gap_accelerations(double t, const Vector& x, const Mode& mode) const {
  return mechanism_.events(t, x, mechanism_.field(t, x, mode).rate, mode).gap_second;
}

/// Which gaps are closed at this instant: the one that triggered it, the contacts that slide, and those whose gap is at rounding
/// level, or below it and closing.
static std::vector<char> touching_contacts(const ContactValue& at, const FlowPoint& point, const Trigger& trigger) {
  std::vector<char> touching = point.mode.closed_contacts();
  for (std::size_t i = 0; i < touching.size(); ++i) {
    const double rounding = 1e-13 * gap_size(at, point.x, i, point.fastest, point.natural_step);
    const double h = at.h[index(i)];
    if (h <= rounding && (h >= -rounding || at.gamma[index(i)] < 0.0)) touching[i] = 1;
  }
  if (trigger.kind == Trigger::Kind::gap || trigger.kind == Trigger::Kind::touch) touching[trigger.index] = 1;
  return touching;
}

namespace {

/// Has the normal of a contact vanished where its gap closes, compared with where it was just before?
bool loses_normal(const Mechanism& mechanism, double t, const FlowPoint& point, const ContactValue& now,
                  std::size_t i) {
  constexpr double just_before = 1e-6;  // of the natural step
  constexpr double vanished = 1e-10;  // the normal's square
  const Index n = now.normal.cols();
  const double dt = just_before * (point.natural_step > 0.0 ? point.natural_step : 1.0);
  Vector earlier = point.x;
  earlier.head(n) -= dt * point.x.segment(n, n);
  const double was = mechanism.contact(t - dt, earlier, point.mode).delassus(index(i), index(i));
  return now.delassus(index(i), index(i)) <= vanished * was;
}

/// A closed contact whose force falls through zero in the very instant in which another is released. To a step that begins there the
/// force is zero at the start, which is no crossing: the contact would be kept, and pull.
std::optional<std::size_t> overdue_release(const Mechanism& mechanism, const FlowPoint& point) {
  const double t = point.t.phase;
  const double pace = point.natural_step > 0.0 ? point.natural_step : 1.0;
  const double apart = 1e-5 * pace;
  const FieldValue now = mechanism.field(t, point.x, point.mode);
  for (std::size_t i = 0; i < point.mode.contacts().size(); ++i) {
    if (!point.mode.is_closed(i)) continue;
    const auto force_after = [&](double dt) {
      return mechanism.field(t + dt, point.x + dt * now.rate, point.mode).force[index(i)];
    };
    const double fall = (force_after(-apart) - force_after(apart)) / (2.0 * apart);
    if (fall > 0.0 && now.force[index(i)] < fall * 1e-8 * pace) return i;
  }
  return std::nullopt;
}

}  // namespace

Settled Settler::settle(FlowPoint& point, const Trigger& trigger, std::vector<Event>& events, Ledger& ledger) const {
  const double t = point.t.phase;
  Instant at{point,   trigger,
             events,  ledger,
             t,       point.t.absolute(period_),
             point.x, point.mode,
             {},      no_jump(mechanism_.layout(), point.x),
             {}};
  const bool by_switch = trigger.kind == Trigger::Kind::switched || trigger.kind == Trigger::Kind::weight;
  if (trigger.kind == Trigger::Kind::begin)
    if (Settled stopped = choose_sides(at)) return stopped;
  at.F_minus = mechanism_.field(t, point.x, point.mode).rate;
  const std::size_t contacts = point.mode.contacts().size();
  if (Settled stopped = look_at_gaps(at)) return stopped;
  if (contacts > 0 && !by_switch && trigger.kind != Trigger::Kind::force) {
    if (Settled stopped = strike(at)) return stopped;
    if (Settled stopped = close_resting(at)) return stopped;
    if (!at.jump.struck.empty())
      if (Settled stopped = choose_sides(at)) return stopped;
    if (Settled stopped = agree(at)) return stopped;
    if (trigger.kind == Trigger::Kind::begin) record_sides(at);
    record_contacts(at);
    if (trigger.kind != Trigger::Kind::begin && !at.jump.struck.empty()) record_sides(at);
  } else if (trigger.kind == Trigger::Kind::begin) {
    record_sides(at);
  }
  if (trigger.kind == Trigger::Kind::force) {
    point.mode.open(trigger.index);
    events.push_back({EventKind::slide_end, at.absolute, trigger.index, 0, 0, 0, point.x, point.x});
    // What the contact kept on the surface of a switch was on none of its sides.
    if (!SwitchSides(mechanism_, t, point.x, point.mode, point.natural_step, std::nullopt).are_kept()) {
      if (Settled stopped = choose_sides(at)) return stopped;
      record_sides(at);
    }
  }
  if (by_switch) {
    if (Settled stopped = meet_switch(at)) return stopped;
    // A force that jumps may press a contact that rested, or pull at one that was pressed.
    if (Settled stopped = close_resting(at)) return stopped;
    if (Settled stopped = agree(at)) return stopped;
    record_sides(at);
    note_switch(at);
    if (Settled stopped = accumulate(at)) return stopped;
    record_contacts(at);
  }
  finish(at);
  std::optional<std::size_t> next = pulling_contact(mechanism_, t, point.x, point.mode);
  if (!next && trigger.kind == Trigger::Kind::force) next = overdue_release(mechanism_, point);
  if (next) return settle(point, {Trigger::Kind::force, *next, false}, events, ledger);
  return {};
}

/// Which contacts touch, and whether their gaps make sense.
Settled Settler::look_at_gaps(Instant& at) const {
  if (at.point.mode.contacts().empty()) return {};
  const ContactValue now = mechanism_.contact(at.t, at.point.x, at.point.mode);
  for (std::size_t i = 0; i < at.point.mode.contacts().size(); ++i)
    if (std::isnan(now.h[index(i)])) return Stop{Outcome::gap_undefined, {i}, {}, GapFault::not_a_number};
  at.touching = touching_contacts(now, at.point, at.trigger);
  if (at.trigger.kind != Trigger::Kind::gap || at.point.mode.is_closed(at.trigger.index)) return {};
  if (!loses_normal(mechanism_, at.t, at.point, now, at.trigger.index)) return {};
  return Stop{Outcome::gap_undefined, {at.trigger.index}, {}, GapFault::no_normal};
}

/// The impacts of the instant, and their records.
Settled Settler::strike(Instant& at) const {
  const ContactValue before = mechanism_.contact(at.t, at.point.x, at.point.mode);
  const std::vector<char> met = joined_to(before, at.touching, {at.trigger.index});
  auto left = left_of_rounds(at.point, met, at.trigger, at.absolute);
  const auto resolve = [&](ImpactLaw law) { return resolve_impacts(mechanism_, at.t, at.point.x, at.touching, law); };
  ImpactResolution resolved = resolve(left ? ImpactLaw::sequential : options_.impact_law);
  if (left && resolved.stop) {
    left.reset();
    resolved = resolve(options_.impact_law);
  }
  if (resolved.stop) return resolved.stop;
  at.jump = std::move(resolved.jump);
  if (left) at.jump = stopped(at.jump, mechanism_, at.t, at.x_minus, at.point.mode, at.touching);
  for (const std::size_t i : at.jump.struck) {
    double& fastest = at.point.fastest[i];
    // One that others have driven together in this instant approached at none of the speeds before it.
    const double driven = 0.5 * at.jump.impulse[index(i)] * before.delassus(index(i), index(i));
    fastest = std::max({fastest, std::abs(before.gamma[index(i)]), driven});
  }
  at.point.note_strikes(at.jump.struck, at.absolute);
  const ContactValue after = mechanism_.contact(at.t, at.jump.x, at.point.mode);
  std::vector<std::size_t> listed = at.jump.struck;
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  for (const std::size_t i : listed) {
    at.events.push_back({EventKind::impact, at.absolute, i, before.gamma[index(i)], after.gamma[index(i)],
                         at.jump.impulse[index(i)], at.x_minus, at.jump.x});
    at.ledger.smallest_gamma[i] = std::min(at.ledger.smallest_gamma[i], std::abs(before.gamma[index(i)]));
  }
  note_energy(at, before);
  at.ledger.impacts += static_cast<long>(at.jump.struck.size());
  at.ledger.log_contraction += at.jump.log_contraction;
  if (left && !(end_ && *left >= until(*end_, at.point.t, period_))) note_accumulation(at, after, *left);
  complete_chatter(at);
  at.point.mode = freed_by_impacts(at, at.point.mode);
  return {};
}

/// Impacts in turn on contacts that rest now came to their end.
void Settler::note_accumulation(Instant& at, const ContactValue& now, double left) const {
  const std::vector<char> met = joined_to(now, at.touching, {at.trigger.index});
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (!met[i] || std::abs(now.gamma[index(i)]) > 100.0 * rest_speed(now, at.x_minus, at.jump.x, i)) continue;
    at.events.push_back(
        {EventKind::chatter, at.absolute + left, i, now.gamma[index(i)], 0.0, 0.0, at.jump.x, at.jump.x});
    ++at.ledger.chatters;
  }
}

/// How well a single impact obeys
///   ΔT = −½ (1 − e²) (γ⁻)² / (nᵀM⁻¹n) − Λ h_t.
void Settler::note_energy(Instant& at, const ContactValue& before) const {
  if (at.jump.struck.size() != 1) return;
  const double T_minus = mechanism_.energy(at.t, at.x_minus, at.mode_minus).first;
  const double T_plus = mechanism_.energy(at.t, at.jump.x, at.mode_minus).first;
  const Index i = index(at.jump.struck.front());
  const Index n = before.normal.cols();
  const double gamma = before.gamma[i];
  const double e = before.restitution[i];
  const double h_t = gamma - before.normal.row(i).dot(at.x_minus.segment(n, n));
  const double expected = -0.5 * (1.0 - e * e) * gamma * gamma / before.delassus(i, i) - at.jump.impulse[i] * h_t;
  const double scale = std::max(std::abs(T_minus), std::abs(T_plus)) + std::abs(at.jump.impulse[i] * h_t) + 1e-300;
  at.ledger.energy_residual = std::max(at.ledger.energy_residual, std::abs(T_plus - T_minus - expected) / scale);
}

/// Does an impact on contact i move another one that touches? Its impacts are then not those of i alone.
static bool moves_others(const ContactValue& at, const std::vector<char>& touching, std::size_t i) {
  for (std::size_t j = 0; j < touching.size(); ++j)
    if (j != i && touching[j] && moves(at, i, j)) return true;
  return false;
}

/// How long the rest of the chatter of contact i lasts, if it is to be completed at this instant.
std::optional<double> Settler::rest_of_chatter(const Instant& at, const ContactValue& now, std::size_t i) const {
  constexpr double slowest = 1e-5;
  const double u = now.gamma[index(i)];
  if (u <= rest_speed(now, at.x_minus, at.jump.x, i)) return std::nullopt;
  const double fastest = fastest_impact(now, i, at.point.fastest);
  Mode others = at.point.mode;
  others.open(i);
  const double size = gap_size(now, at.jump.x, i, at.point.fastest, at.point.natural_step);
  const ChatterLimits limits{fastest, at.point.natural_step, options_.rtol, 2e-16 * size};
  const bool alone = !moves_others(now, at.touching, i);
  auto time =
      alone || u <= slowest * fastest ? chatter_time(mechanism_, at.t, at.jump.x, others, i, limits) : std::nullopt;
  // What the run does not come to see the end of is followed impact by impact.
  if (time && end_ && *time >= until(*end_, at.point.t, period_)) time.reset();
  if (time) return time;
  const double a = gap_accelerations(at.t, at.jump.x, others)[index(i)];
  if (Rebound{u, a, now.restitution[index(i)]}.is_invisible(size)) return 0.0;
  return std::nullopt;
}

/// Struck contacts that leave so slowly that infinitely many impacts follow at once: they are completed together, and contacts
/// that rest are held, or the end of one chatter would strike them anew.
void Settler::complete_chatter(Instant& at) const {
  const ContactValue now = mechanism_.contact(at.t, at.jump.x, at.point.mode);
  const Vector before = at.jump.x;
  std::vector<char> ending(at.touching.size(), 0);
  if (at.jump.struck.empty()) return;
  const std::vector<char> moved = joined_to(now, at.touching, at.jump.struck);
  for (std::size_t i = 0; i < ending.size(); ++i) {
    if (!moved[i]) continue;  // struck, or slid along and set free by the impulse of another
    const auto remaining = rest_of_chatter(at, now, i);
    if (!remaining) continue;
    ending[i] = 1;
    if (now.gamma[index(i)] <= 100.0 * rest_speed(now, at.x_minus, before, i)) continue;  // it rests, but for rounding
    at.events.push_back(
        {EventKind::chatter, at.absolute + *remaining, i, -now.gamma[index(i)], 0.0, 0.0, before, before});
    ++at.ledger.chatters;
  }
  if (std::find(ending.begin(), ending.end(), 1) == ending.end()) return;
  for (std::size_t i = 0; i < ending.size(); ++i)
    if (at.touching[i] && std::abs(now.gamma[index(i)]) <= 100.0 * rest_speed(now, at.x_minus, before, i))
      ending[i] = 1;
  at.jump = followed_by(at.jump, mechanism_, at.t, ending, std::vector<char>(ending.size(), 0));
  for (Event& event : at.events)
    if (event.kind == EventKind::chatter && event.x_minus == before) event.x_plus = at.jump.x;
}

/// Touching contacts at rest. One that was closed, and that no impulse has moved, is at rest though all speeds be rounding.
std::vector<std::size_t> Settler::resting(const Instant& at) const {
  std::vector<std::size_t> members;
  if (at.touching.empty()) return members;
  const ContactValue now = mechanism_.contact(at.t, at.jump.x, at.point.mode);
  const std::vector<char> moved = joined_to(now, at.touching, at.jump.struck);
  for (std::size_t i = 0; i < at.touching.size(); ++i) {
    const bool kept = !moved[i] && at.mode_minus.is_closed(i);
    if (at.touching[i] && (kept || std::abs(now.gamma[index(i)]) <= 100.0 * rest_speed(now, at.x_minus, at.jump.x, i)))
      members.push_back(i);
  }
  return members;
}

/// Which of the contacts that rest stay closed.
Settled Settler::close_resting(Instant& at) const {
  if (at.touching.empty()) return {};
  const std::vector<std::size_t> members = resting(at);
  if (members.empty() && !at.point.mode.any_closed()) return {};
  std::vector<char> together = at.mode_minus.closed_contacts();
  // One that was struck again and again until it came to rest was struck together with the others, whatever the law.
  for (const std::size_t i : at.jump.struck)
    if (options_.impact_law == ImpactLaw::moreau || std::ranges::count(at.jump.struck, i) > 1) together[i] = 1;
  // One that friction keeps touching needs no force.
  Mode apart = at.point.mode;
  for (const std::size_t i : members) apart.open(i);
  const KeptFunctions kept = kept_functions(mechanism_, at.t, {at.jump.x, apart, at.pace().motion});
  for (const std::size_t i : members)
    if (kept.gaps[i]) together[i] = 0;
  const Vector pulls = pulls_of(mechanism_, at.t, at.jump.x, freed_by_impacts(at, at.mode_minus))
                           .cwiseMax(pulls_of(mechanism_, at.t, at.jump.x, at.point.mode));
  const Closing closing = closing_of(mechanism_, at.t, at.jump.x, at.point.mode, members, together,
                                     {at.x_minus, pulls, at.point.natural_step});
  if (closing.stop) return Stop{*closing.stop, closing.contacts};
  for (std::size_t i = 0; i < at.touching.size(); ++i) {
    const bool closes = std::find(closing.contacts.begin(), closing.contacts.end(), i) != closing.contacts.end();
    closes ? at.point.mode.close(i) : at.point.mode.open(i);
  }
  return {};
}

/// Contacts that rest and switches on whose surface the motion stands decide each other: a contact that opens takes its force from a
/// switch that it held, and a switch that slides holds what the contact presses on. The sides are chosen for the contacts as they are
/// and the contacts for the sides, until both agree; where that goes round in circles, all closed sets are tried.
Settled Settler::agree(Instant& at) const {
  constexpr int most_rounds = 8;
  constexpr std::size_t most_resting = 6;
  if (mechanism_.layout().switches == 0 || at.touching.empty()) return {};
  const std::vector<std::size_t> members = resting(at);
  if (members.empty()) return {};
  const bool meets = at.trigger.kind == Trigger::Kind::switched;
  const std::optional<std::size_t> met = meets ? std::optional(at.trigger.index) : std::nullopt;
  // Where a weight reaches its limit the slide is over.
  const bool leaves = at.trigger.kind == Trigger::Kind::weight;
  Mode released = freed_by_impacts(at, at.mode_minus);
  if (leaves && !at.point.mode.slides_along(at.trigger.index))
    released.pass(at.trigger.index, at.point.mode.side(at.trigger.index));
  const auto sides_for = [&](const Mode& contacts) {
    Mode before = released;
    for (std::size_t i = 0; i < contacts.contacts().size(); ++i)
      contacts.is_closed(i) ? before.close(i) : before.open(i);
    const SwitchSides sides(mechanism_, at.t, at.jump.x, before, at.pace(), met);
    return sides.are_kept() && !at.let_go ? std::optional(before) : sides.next();
  };
  Mode& mode = at.point.mode;
  // If nothing else happens the force does not jump: what presses goes on pressing.
  if (leaves && mode == released) return {};
  for (int round = 0; round < most_rounds; ++round) {
    const Mode last = mode;
    const auto next = sides_for(mode);
    if (!next) break;
    mode = *next;
    if (Settled stopped = close_resting(at)) return stopped;
    if (mode == last) return {};
  }
  for (std::size_t set = 0; members.size() <= most_resting && set < std::size_t{1} << members.size(); ++set) {
    for (std::size_t i = 0; i < members.size(); ++i) set >> i & 1 ? mode.close(members[i]) : mode.open(members[i]);
    const auto next = sides_for(mode);
    if (!next) continue;
    mode = *next;
    const Mode wanted = mode;
    if (!close_resting(at) && mode == wanted) return {};
  }
  return Stop{Outcome::ambiguous_sliding, members, {}};
}

/// Contacts that closed or opened since the instant began.
void Settler::record_contacts(Instant& at) const {
  for (std::size_t i = 0; i < at.point.mode.contacts().size(); ++i) {
    const auto told = row_of(at.mode_minus.contacts()[i]).told_of(at.point.mode.contacts()[i]);
    if (!told) continue;
    if (*told == EventKind::slide_start) ++at.ledger.slides;
    // A completed chatter ends, and sliding begins, at the accumulation time.
    double instant = at.absolute;
    for (auto event = at.events.rbegin(); event != at.events.rend() && event->t >= at.absolute; ++event)
      if (event->kind == EventKind::chatter && event->index == i) instant = event->t;
    at.events.push_back({*told, instant, i, 0, 0, 0, at.jump.x, at.jump.x});
  }
}

/// X⁺ = S_k … S₁ X⁻ over contacts struck one after the other in one instant: a disturbed motion meets each at a time of its own, and
/// their order does not matter, or the impact would be ambiguous. Nothing if the jump is not made so, or a closed contact takes part,
/// which has no time of its own.
static std::optional<Matrix> carried_one_by_one(const Mechanism& mechanism, double t, const Vector& x_minus,
                                                const Mode& mode_minus, const Jump& jump, const FlowPoint& after) {
  const Layout& layout = mechanism.layout();
  const auto was_closed = [&](std::size_t i) { return mode_minus.is_closed(i); };
  if (jump.struck.size() < 2 || std::any_of(jump.struck.begin(), jump.struck.end(), was_closed)) return std::nullopt;
  Vector x = x_minus;
  Vector largest = x_minus.cwiseAbs();
  Matrix tangent = after.tangent;
  for (const std::size_t i : jump.struck) {
    std::vector<char> struck(layout.contacts, 0);
    struck[i] = 1;
    const Jump one = followed_by(no_jump(layout, x), mechanism, t, struck, std::vector<char>(layout.contacts, 1));
    const bool last = &i == &jump.struck.back();
    const Vector jet = mechanism.jets(t, x, mode_minus).row(index(i)).transpose();
    const Vector beyond =
        last ? mechanism.field(t, after.x, after.mode).rate : mechanism.field(t, one.x, mode_minus).rate;
    tangent = carried_over(event_jet(jet, one, mechanism.field(t, x, mode_minus).rate, beyond), tangent);
    x = one.x;
    largest = largest.cwiseMax(x.cwiseAbs());
  }
  if (((x - jump.x).cwiseAbs().array() > 1e-12 * largest.array()).any()) return std::nullopt;
  return tangent;
}

/// State and tangent after the instant.
void Settler::finish(Instant& at) const {
  FlowPoint& point = at.point;
  point.x = at.jump.x;
  if (!at.jump.struck.empty())
    at.ledger.energy_impacts +=
        mechanism_.energy(at.t, point.x, point.mode).first - mechanism_.energy(at.t, at.x_minus, at.mode_minus).first;
  if (point.mode.is_masked()) project_state(point);
  if (point.tangent.cols() == 0) return;
  const Layout& layout = mechanism_.layout();
  const Index varied = index(layout.varied.size());
  // A gap that closes without an impact has no speed to divide by, and nothing jumps: what stays closed is projected.
  const bool through_gap = at.trigger.kind == Trigger::Kind::gap && !at.jump.struck.empty();
  std::optional<Matrix> each_alone;
  if (through_gap && options_.impact_law == ImpactLaw::sequential)
    each_alone = carried_one_by_one(mechanism_, at.t, at.x_minus, at.mode_minus, at.jump, point);
  if (each_alone) {
    point.tangent = *each_alone;
  } else if (at.trigger.kind == Trigger::Kind::switched) {
    carry_through_switches(at);
  } else if (through_gap) {
    const Vector jet = mechanism_.jets(at.t, at.x_minus, at.mode_minus).row(index(at.trigger.index)).transpose();
    const Vector beyond = mechanism_.field(at.t, point.x, point.mode).rate;
    point.tangent = carried_over(event_jet(jet, at.jump, at.F_minus, beyond), point.tangent);
  } else if (at.trigger.kind == Trigger::Kind::begin || at.trigger.kind == Trigger::Kind::touch) {
    point.tangent = at.jump.dR_dx * point.tangent;
    point.tangent.rightCols(varied) += at.jump.dR_dp;
  }
  if (point.mode.is_masked()) project_tangent(point);
}

void Settler::project(FlowPoint& point) const {
  project_state(point);
  if (point.tangent.cols() > 0) project_tangent(point);
}

void Settler::project_state(FlowPoint& point) const {
  if (point.mode.any_held()) HeldField(mechanism_, point.mode).project_state(point.t.phase, point.x);
  const std::vector<double> inputs = mode_inputs(point.mode);
  const Mode* const modes[] = {&point.mode};
  SlidingProjection(mechanism_.kernels(), 1)
      .project_state({&point.t.phase, mechanism_.parameters(), inputs.data(), modes}, point.x.data());
}

void Settler::project_tangent(FlowPoint& point) const {
  const Layout& layout = mechanism_.layout();
  const std::vector<double> inputs = mode_inputs(point.mode);
  std::vector<double> X(layout.N() * layout.columns());
  const auto each = [&](auto action) {
    for (std::size_t c = 0; c < layout.columns(); ++c)
      for (std::size_t i = 0; i < layout.N(); ++i) action(X[layout.tangent(i, c)], point.tangent(index(i), index(c)));
  };
  each([](double& ours, double theirs) { ours = theirs; });
  const Mode* const modes[] = {&point.mode};
  SlidingProjection(mechanism_.kernels(), 1)
      .project_columns({&point.t.phase, mechanism_.parameters(), inputs.data(), modes}, point.x.data(), X.data());
  each([](double ours, double& theirs) { theirs = ours; });
  if (point.mode.any_held()) HeldField(mechanism_, point.mode).project_columns(point.t.phase, point.x, point.tangent);
}

}  // namespace saltus
