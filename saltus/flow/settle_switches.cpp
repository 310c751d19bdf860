#include <algorithm>
#include <cmath>

#include "saltus/flow/held_field.hpp"
#include "saltus/flow/instant.hpp"
#include "saltus/flow/root_rest.hpp"
#include "saltus/flow/switch_sides.hpp"
#include "saltus/numerics/vectors.hpp"

// What an instant does to the switches: on which sides the motion goes on, along which surfaces it slides, where it is held.

namespace saltus {
namespace {

/// What tells of the change of a switch, if anything does.
std::optional<EventKind> change_of(const Mode& before, const Mode& after, std::size_t k) {
  return row_of(before.switches()[k]).told_of(after.switches()[k]);
}

std::vector<std::size_t> sliding_or(const Mode& mode, std::size_t k) {
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < mode.switches().size(); ++j)
    if (j == k || mode.slides_along(j)) result.push_back(j);
  return result;
}

/// The mode held by switch k and all that are slid along or are roots of it; x is taken onto their surfaces.
std::optional<Mode> held_at_rest(const Mechanism& mechanism, const Mode& before, std::size_t k, double t, Vector& x,
                                 double scale) {
  constexpr double none = 1e-9;
  const Layout& layout = mechanism.layout();
  std::vector<std::size_t> all = sliding_or(before, k);
  Mode first = before;
  first.hold(k, 1);
  HeldField(mechanism, first).project_state(t, x);
  std::optional<Mode> mode;
  for (int count = 0; count < 2 && all.size() <= HeldField::most; ++count) {
    mode = HeldField::held_by(mechanism, before, all, t, x, scale);
    if (!mode) return std::nullopt;
    HeldField(mechanism, *mode).project_state(t, x);
    const Vector s = mechanism.events(t, x, Vector::Zero(x.size()), *mode).value;
    const std::size_t known = all.size();
    for (std::size_t j = 0; j < layout.switches; ++j) {
      const bool zero = std::abs(s[index(layout.contacts + j)]) <= none * (1e-3 + x.cwiseAbs().maxCoeff());
      if (layout.has_root(j, mechanism.parameters()) && zero && std::find(all.begin(), all.end(), j) == all.end())
        all.push_back(j);
    }
    if (all.size() == known) return mode;
  }
  return all.size() <= HeldField::most ? mode : std::nullopt;
}

/// A time during which the weight of a slide that has come to its limit stays beyond it: the push that ends the slide may be shorter than
/// any pace of a motion at rest. Nothing if the weight goes no farther than it is.
std::optional<double> time_beyond_limit(const Mechanism& mechanism, const Mode& mode, const Trigger& limit, double t,
                                        const Vector& x, double pace) {
  constexpr double shortest = 1e-13;
  constexpr double sure = 1e-9;
  const Vector F = mechanism.field(t, x, mode).rate;
  const auto excess = [&](double after) {
    const double weight = mechanism.field(t + after, x + after * F, mode).weight[index(limit.index)];
    return limit.upper ? weight - 1.0 : -weight;
  };
  const double least = 2.0 * std::abs(excess(0.0)) + sure;
  for (double time = pace; 0.01 * time > shortest * std::abs(t) && time > 1e-12 * pace; time *= 0.1)
    if (excess(0.1 * time) > least && excess(0.01 * time) > least) return time;
  return std::nullopt;
}

}  // namespace

/// The side of every switch anew, from the state after the jump.
Settled Settler::choose_sides(Instant& at) const {
  if (mechanism_.layout().switches == 0) return {};
  const SwitchSides sides(mechanism_, at.t, at.jump.x, at.point.mode, at.point.natural_step, std::nullopt);
  const auto next = sides.next();
  if (!next) return Stop{Outcome::ambiguous_sliding, {}, sliding_or(at.point.mode, at.point.mode.switches().size())};
  at.point.recent.forget();
  const bool begins = at.trigger.kind == Trigger::Kind::begin;
  if (begins) at.mode_minus = *next;  // nothing was there before, but slides are told of
  for (std::size_t k = 0; begins && k < next->switches().size(); ++k)
    if (next->slides_along(k)) at.mode_minus.pass(k, at.mode_minus.side(k));
  at.point.mode = *next;
  return {};
}

/// The mode without a hold from whose surfaces the impacts of the instant have taken the motion: each side is chosen anew.
Mode Settler::freed_by_impacts(const Instant& at, Mode mode) const {
  constexpr double rounding = 1e-12;
  if (at.jump.struck.empty() || !mode.any_held()) return mode;
  const Matrix gradients = HeldField(mechanism_, mode).kept_gradients(at.t, at.x_minus);
  const Vector size = at.x_minus.cwiseAbs() + at.jump.x.cwiseAbs();
  const Vector moved = (gradients * (at.jump.x - at.x_minus)).cwiseAbs() - rounding * (gradients.cwiseAbs() * size);
  if (!(moved.maxCoeff() > 0.0)) return mode;
  const Vector s = mechanism_.events(at.t, at.jump.x, Vector::Zero(at.jump.x.size()), mode).value;
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.is_held(k)) mode.pass(k, s[index(mechanism_.layout().contacts + k)]);
  return mode;
}

/// What changed since the instant began.
void Settler::record_sides(Instant& at) const {
  const Mode& mode = at.point.mode;
  for (std::size_t k = 0; k < mode.switches().size(); ++k) {
    const auto told = change_of(at.mode_minus, mode, k);
    if (!told) continue;
    ++at.ledger.switches;
    if (*told == EventKind::filippov_start) ++at.ledger.sticks;
    at.events.push_back({*told, at.absolute + at.until_told, k, 0, 0, 0, at.jump.x, at.jump.x});
  }
}

/// The common case, a single surface that is passed, or slid along because both sides point at it: nothing else is near zero, and the
/// speeds on both sides are beyond doubt.
bool Settler::meet_plainly(Instant& at) const {
  constexpr double far = 1e-9;
  constexpr double doubt = 1e-6;
  const Layout& layout = mechanism_.layout();
  Mode& mode = at.point.mode;
  const std::size_t k = at.trigger.index;
  if (layout.nested_switches || mode.is_masked()) return false;
  const EventValue now = mechanism_.events(at.t, at.point.x, at.F_minus, mode);
  const double size = far * (1.0 + at.point.x.cwiseAbs().maxCoeff());
  for (std::size_t j = 0; j < layout.switches; ++j)
    if (j != k && !(mode.side(j) * now.value[index(layout.contacts + j)] > size)) return false;
  Mode beyond = mode;
  beyond.pass(k, -mode.side(k));
  const Index row = index(layout.contacts + k);
  const Vector F = mechanism_.field(at.t, at.point.x, beyond).rate;
  const double arrival = -mode.side(k) * now.rate[row];
  const double departure = -mode.side(k) * mechanism_.events(at.t, at.point.x, F, beyond).rate[row];
  if (!(arrival > 0.0) || !(std::abs(departure) > doubt * arrival)) return false;
  departure > 0.0 ? mode.pass(k, -mode.side(k)) : mode.slide(k);
  at.crossed = {k};
  return true;
}

/// A surface with a root that steps have reached by their error, which is large where the root is steep: back onto it.
bool Settler::strays(Instant& at) const {
  const std::size_t k = at.trigger.index;
  Mode on = at.point.mode;
  if (on.is_masked()) return false;
  on.hold(k, 1);
  const HeldField field(mechanism_, on);
  Vector x = at.point.x;
  field.project_state(at.t, x);
  if (!x.allFinite() || !field.is_left_to(at.point.mode.side(k), at.t, x)) return false;
  at.jump.x = x;
  return true;
}

/// A switch was reached, or a slide along switches has come to its end.
Settled Settler::meet_switch(Instant& at) const {
  Mode& mode = at.point.mode;
  const std::size_t k = at.trigger.index;
  const bool leaves = at.trigger.kind == Trigger::Kind::weight;
  if (!leaves && mechanism_.has_roots() && strays(at)) return {};
  if (const auto root = leaves ? std::nullopt : root_of_rest(mechanism_, mode, k, at.t, at.point.x)) {
    if (root->is_left) return Stop{Outcome::ambiguous_sliding, {}, {k}};
    return rest_on(at, k);
  }
  if (leaves && mode.is_held(k)) {
    const HeldField field(mechanism_, mode);
    at.let_go = field.time_let_go(at.t, at.point.x, at.point.natural_step);
    if (const auto side = at.let_go ? field.side_let_go(at.t, at.point.x) : std::nullopt) mode.pass(k, *side);
  }
  if (leaves && mode.slides_alone(k)) {
    at.push = time_beyond_limit(mechanism_, mode, at.trigger, at.t, at.point.x, at.point.natural_step);
    mode.pass(k, at.trigger.upper ? 1.0 : -1.0);
  }
  const bool decided = leaves && !mode.is_held(k);
  if (!leaves && meet_plainly(at)) return {};
  const SwitchSides sides(mechanism_, at.t, at.point.x, mode, at.pace(), leaves ? std::nullopt : std::optional(k),
                          decided ? std::optional(k) : std::nullopt);
  // What friction held at rest on another surface, on whatever side of it, may go through it now, or be held there.
  bool others_off = true;
  for (std::size_t j = 0; j < mode.switches().size(); ++j) others_off = others_off && (j == k || sides.is_off(j));
  const bool nothing_else = decided && others_off && !mechanism_.layout().nested_switches && !mode.is_masked();
  if (!nothing_else) {
    const auto next = sides.next();
    // What cannot be held any longer must not stay as it was.
    if (!next || (at.let_go && *next == at.mode_minus))
      return Stop{Outcome::ambiguous_sliding, {}, sliding_or(at.mode_minus, k)};
    if (!leaves) at.crossed = {k};
    for (std::size_t j = 0; !leaves && j < mode.switches().size(); ++j)
      if (j != k && change_of(mode, *next, j) && !sides.is_off(j)) at.crossed.push_back(j);
    mode = *next;
  }
  return {};
}

/// The motion comes to rest on the surface of a switch whose root slows it down, and stays there. What is left of its way is nothing
/// beside the state, if not beside the time.
Settled Settler::rest_on(Instant& at, std::size_t k) const {
  Stop unknown{Outcome::accumulation_unknown, {}, {k}, Rounds{at.absolute, 0.0}};
  Vector x = at.point.x;
  const auto mode = held_at_rest(mechanism_, at.point.mode, k, at.t, x, at.point.natural_step);
  if (!mode) return unknown;
  const HeldField field(mechanism_, *mode);
  if (!(field.gauge(at.t, x) < 1.0) || !field.is_determined(at.t, x) || !field.is_smooth(at.t, x)) return unknown;
  at.point.mode = *mode;
  at.jump.x = x;
  at.until_told = at.point.recent.left_to_rest();
  return {};
}

/// Keeps what is needed to see that switches accumulate, and where to.
void Settler::note_switch(Instant& at) const {
  FlowPoint& point = at.point;
  const std::size_t k = at.trigger.index;
  if (at.trigger.kind == Trigger::Kind::switched && point.mode.is_held(k)) return point.recent.forget();
  SwitchMet met{at.absolute, k, point.mode.switches()[k], point.x};
  if (point.tangent.cols() > 0 && at.trigger.kind == Trigger::Kind::switched) {
    const Layout& layout = mechanism_.layout();
    const Index N = index(layout.N());
    const Index varied = index(layout.varied.size());
    const Vector jet = mechanism_.jets(at.t, point.x, at.mode_minus).row(index(layout.switch_jet(k))).transpose();
    const double speed = jet.head(N).dot(at.F_minus) + jet[N];
    met.delay = -(jet.head(N).transpose() * point.tangent) / speed;
    met.delay.tail(varied) -= jet.tail(varied).transpose() / speed;
    met.variation = point.tangent + at.F_minus * met.delay;
  }
  point.recent.note(std::move(met));
  if (!point.recent.shrinks() && !point.recent.hurries()) return point.recent.note_speed(0.0);
  const Layout& layout = mechanism_.layout();
  const Index N = index(layout.N());
  const Vector jet = mechanism_.jets(at.t, point.x, at.mode_minus).row(index(layout.switch_jet(k))).transpose();
  const double slope = jet.head(N).cwiseAbs().maxCoeff();
  point.recent.note_speed(slope > 0.0 ? std::abs(jet.head(N).dot(at.F_minus) + jet[N]) / slope : 0.0);
}

/// Switches that accumulate are completed.
Settled Settler::accumulate(Instant& at) const {
  const SwitchHistory& recent = at.point.recent;
  if (const auto limit = recent.limit()) return hold_at(at, *limit);
  if (const auto end = recent.stuck())
    return Stop{Outcome::accumulation_unknown, {}, end->switches, Rounds{end->t, end->ratio}};
  return {};
}

/// The limit of accumulating switches, if a force between those of their sides keeps the motion where their surfaces meet. State and
/// columns are those with which the held motion comes to the limit at its time.
Settled Settler::hold_at(Instant& at, const Accumulation& limit) const {
  constexpr double near = 1e-3;
  Stop unknown{Outcome::accumulation_unknown, {}, limit.switches, Rounds{limit.t, limit.ratio}};
  if (limit.switches.size() > HeldField::most) return unknown;
  Vector x = limit.x.size() > 0 ? limit.x : at.point.x;
  const auto mode = HeldField::held_by(mechanism_, at.point.mode, limit.switches, at.t, x, limit.lasted);
  if (!mode) return unknown;
  const HeldField field(mechanism_, *mode);
  const double t = at.t + limit.left;
  field.project_state(t, x);
  const double moved = (x - at.point.x).cwiseAbs().maxCoeff();
  const double reach = near * (x.cwiseAbs().maxCoeff() + limit.lasted * at.F_minus.cwiseAbs().maxCoeff());
  if (!(moved <= reach) || !(field.gauge(t, x) < 1.0) || !field.is_determined(t, x) || !field.is_smooth(t, x))
    return unknown;
  const Vector F = field.at(t, x).rate;
  if (limit.variation.size() > 0) {
    Matrix tangent = limit.variation - F * limit.delay;
    field.project_columns(t, x, tangent);
    at.limit_tangent = tangent - limit.left * field.column_rates(t, x, tangent);
  }
  at.point.mode = *mode;
  at.jump.x = limit.x.size() > 0 ? Vector(x - limit.left * F) : x;
  ++at.ledger.sticks;
  at.events.push_back(
      {EventKind::accumulation, limit.t, at.trigger.index, 0, 0, 0, at.point.x, x, limit.ratio, limit.switches});
  at.point.recent.forget();
  return {};
}

/// X⁺ = X⁻ + (F⁻ − F⁺) δt over each surface that is passed, the one that was met first: a disturbed motion passes each at a time of
/// its own. Functions that jump with a side do so at its time.
void Settler::carry_through_switches(Instant& at) const {
  FlowPoint& point = at.point;
  if (at.limit_tangent) {
    point.tangent = *at.limit_tangent;
    return;
  }
  const Layout& layout = mechanism_.layout();
  const Index N = index(layout.N());
  Mode mode = at.mode_minus;
  Vector F = at.F_minus;
  for (const std::size_t k : at.crossed) {
    const Vector jet = mechanism_.jets(at.t, at.x_minus, mode).row(index(layout.switch_jet(k))).transpose();
    const bool last = k == at.crossed.back();
    point.mode.slides_alone(k) ? mode.slide(k) : mode.pass(k, point.mode.side(k));
    const Vector beyond = mechanism_.field(at.t, point.x, last ? point.mode : mode).rate;
    const double speed = jet.head(N).dot(F) + jet[N];
    const bool passes = std::abs(speed) > 1e-14 * (jet.head(N).cwiseAbs().dot(F.cwiseAbs()) + std::abs(jet[N]));
    if (!passes || !beyond.allFinite()) continue;
    point.tangent = carried_over(event_jet(jet, at.jump, F, beyond), point.tangent);
    F = beyond;
  }
}

Settled Settler::resume(FlowPoint& point, std::vector<Event>& events, Ledger& ledger) const {
  if (mechanism_.layout().switches == 0) return {};
  const SwitchSides sides(mechanism_, point.t.phase, point.x, point.mode, point.natural_step, std::nullopt);
  if (sides.are_kept()) return {};
  const auto next = sides.next();
  if (!next) return Stop{Outcome::ambiguous_sliding, {}, sliding_or(point.mode, point.mode.switches().size())};
  for (std::size_t k = 0; k < next->switches().size(); ++k)
    if (change_of(point.mode, *next, k)) return settle(point, {Trigger::Kind::switched, k, false}, events, ledger);
  return {};
}

}  // namespace saltus
