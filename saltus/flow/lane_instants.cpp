#include <algorithm>
#include <cmath>

#include "saltus/flow/coinciding_sections.hpp"
#include "saltus/flow/index.hpp"
#include "saltus/flow/lane_flow.hpp"

// What happens at an instant that a step has led to.

namespace saltus {

/// In free motion, and nothing but the gap has been met.
bool LaneFlow::may_strike_plainly(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  const bool countable = lane.result.ledger.impacts + lane.result.ledger.slides < options_.most_events;
  return guard.kind == Guard::Kind::gap && !lane.masked && layout_.switches == 0 && countable && !is_near_watched(l);
}

/// A watched surface may be passed at the very instant.
bool LaneFlow::is_near_watched(std::size_t l) const {
  constexpr double near = 1e-6;
  const std::size_t width = lanes_.size();
  for (const Watch& watch : motion(l).run.watches) {
    const std::size_t row = layout_.contacts + layout_.switches + watch.surface;
    double value = begin_values_[row * width + l];
    if (watch.modulo > 0.0) value -= watch.modulo * std::round(value / watch.modulo);
    const double reach = std::abs(stepper_.h(l) * begin_values_[(event_count_ + row) * width + l]);
    if (std::abs(value) <= near * (1.0 + watch.modulo + reach)) return true;
  }
  return false;
}

/// The point stands on a guard's zero. An impact that may be a plain one is done together with those of other lanes.
void LaneFlow::meet(std::size_t l) {
  Lane& lane = motion(l);
  if (!may_strike_plainly(l, *lane.landed)) return cross(l);
  lane.strikes = true;
  note_kind(l);
}

/// Lets the instant do its work.
void LaneFlow::cross(std::size_t l) {
  Lane& lane = motion(l);
  const Guard guard = *lane.landed;
  lane.landed.reset();
  lane.arrived = guard;
  unload(l);
  if (guard.kind == Guard::Kind::surface) {
    meet_section(l, guard);
  } else {
    const FlowPoint before = lane.run.watches.empty() ? FlowPoint() : lane.point;
    if (arrive(l, trigger_of(guard)) && !lane.run.watches.empty()) meet_coinciding_sections(l, before);
  }
  if (lane.active) note_penetration(l);
  if (!lane.active) refill(l);
}

/// The plain impacts of all lanes that stand before one; what turns out not to be plain goes the long way.
void LaneFlow::strike() {
  std::vector<SingleImpact::Blow>& blows = blows_;
  blows.clear();
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    Lane& lane = motion(l);
    if (!lane.active || !lane.strikes) continue;
    blows.push_back({l, lane.landed->index, lane.point.natural_step, lane.point.fastest, lane.result.ledger});
  }
  if (blows.empty()) return;
  std::array<bool, 8> beside{};
  for (const SingleImpact::Blow& blow : blows) beside[blow.lane] = motion(blow.lane).beside;
  step_beside({beside.data(), lanes_.size()});
  double* const y = &stepper_.y(0, 0);
  const bool tangent = stepper_.carries_tangent();
  single_impact_.strike({stepper_.t_array(), stepper_.p_array(), stepper_.rate_array()}, blows, y,
                        tangent ? y + layout_.N() * lanes_.size() : nullptr);
  std::array<bool, 8> struck{};
  for (const SingleImpact::Blow& blow : blows) struck[blow.lane] = blow.record.has_value();
  const std::span<const bool> chosen(struck.data(), lanes_.size());
  if (tangent) {
    look_anew(chosen);
  } else {
    stepper_.set_rates(chosen, single_impact_.rate_plus());
    stepper_.copy_lanes(chosen, single_impact_.events_plus(), begin_values_);
  }
  for (const SingleImpact::Blow& blow : blows) {
    motion(blow.lane).strikes = false;
    note_kind(blow.lane);
    if (blow.record) leave(blow);
    else cross(blow.lane);
  }
}

/// A plain impact has been done.
void LaneFlow::leave(const SingleImpact::Blow& blow) {
  const std::size_t l = blow.lane;
  Lane& lane = motion(l);
  lane.arrived = lane.landed;
  lane.landed.reset();
  lane.steps_since_event = 0;
  if (lane.run.keep_events) {
    Vector x_minus(index(layout_.N()));
    Vector x_plus(index(layout_.N()));
    for (std::size_t i = 0; i < layout_.N(); ++i) {
      x_minus[index(i)] = single_impact_.x_minus(i, l);
      x_plus[index(i)] = stepper_.y(i, l);
    }
    lane.result.events.push_back({EventKind::impact, lane.point.t.absolute(lane.run.period), blow.contact,
                                  blow.record->gamma_minus, blow.record->gamma_plus, blow.record->impulse,
                                  std::move(x_minus), std::move(x_plus)});
  }
  note_penetration(l);
  if (!lane.run.watches.empty()) list_guards(l);
}

/// Watched surfaces that are passed by the instant of another event.
void LaneFlow::meet_coinciding_sections(std::size_t l, const FlowPoint& before) {
  Lane& lane = motion(l);
  const auto found = coinciding_sections(*lane.mechanism, lane.run.watches, lane.point.t, lane.run.period,
                                         {before.x, before.mode, before.natural_step},
                                         {lane.point.x, lane.point.mode, lane.point.natural_step}, lane.result.events);
  lane.result.events.insert(lane.result.events.end(), found.begin(), found.end());
  lane.crossings += static_cast<long>(found.size());
  if (!found.empty() && lane.run.stop_after > 0 && lane.crossings >= lane.run.stop_after) end(l, Outcome::stopped);
}

void LaneFlow::meet_section(std::size_t l, const Guard& guard) {
  Lane& lane = motion(l);
  const double t = lane.point.t.absolute(lane.run.period);
  if (!is_known_section(lane.result.events, t, guard.watch, -guard.sign)) {
    lane.result.events.push_back(
        {EventKind::section, t, guard.watch, -guard.sign, 0.0, 0.0, lane.point.x, lane.point.x});
    ++lane.crossings;
  }
  refresh(l);
  list_guards(l);
  if (lane.run.stop_after > 0 && lane.crossings >= lane.run.stop_after) end(l, Outcome::stopped);
}

/// An instant: settles the point and puts it back into the stepper. False: the run ended.
bool LaneFlow::arrive(std::size_t l, const Trigger& trigger) {
  Lane& lane = motion(l);
  const std::size_t before = lane.result.events.size();
  const Settled settled = Settler(*lane.mechanism, options_, lane.run.period)
                              .settle(lane.point, trigger, lane.result.events, lane.result.ledger);
  lane.steps_since_event = 0;
  load(l);
  // Rounds become as short as they like, and a function as small as they make it: no step may be longer than one.
  if (lane.point.recent.shrinks()) lane.trial = std::min(lane.trial, lane.point.recent.last_round());
  return has_settled(l, settled, before);
}

/// A point of an earlier run that may stand on a switching surface. False: the run ended.
bool LaneFlow::resume(std::size_t l) {
  Lane& lane = motion(l);
  const Settled settled =
      Settler(*lane.mechanism, options_, lane.run.period).resume(lane.point, lane.result.events, lane.result.ledger);
  if (settled.stop) load(l);
  return has_settled(l, settled, 0);
}

/// What an instant left behind. False: the run ended.
bool LaneFlow::has_settled(std::size_t l, const Settled& settled, std::size_t events_before) {
  Lane& lane = motion(l);
  const long total = lane.result.ledger.impacts + lane.result.ledger.switches + lane.result.ledger.slides;
  if (!lane.run.keep_events) lane.result.events.resize(events_before);
  if (settled.stop || total > options_.most_events) {
    lane.result.message = settled.message;
    lane.result.contacts = settled.contacts;
    end(l, settled.stop.value_or(Outcome::too_many_events));
    return false;
  }
  return true;
}

}  // namespace saltus
