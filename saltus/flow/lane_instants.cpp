#include "saltus/flow/framed_settling.hpp"
#include "saltus/flow/index.hpp"
#include "saltus/flow/lane_flow.hpp"

// What happens at an instant that a step has led to.

namespace saltus {

/// In free motion, and nothing but the gap has been met.
bool LaneFlow::may_strike_plainly(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  const bool countable = lane.result.ledger.impacts + lane.result.ledger.slides < options_.most_events;
  return guard.kind == Guard::Kind::gap && !lane.masked && layout_.switches == 0 && countable;
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
    arrive(l, trigger_of(guard));
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
  if (lane.run.keep_frame) keep_frame(l);
  if (!lane.run.watches.empty()) list_guards(l);
}

void LaneFlow::meet_section(std::size_t l, const Guard& guard) {
  Lane& lane = motion(l);
  lane.result.events.push_back({EventKind::section, lane.point.t.absolute(lane.run.period), guard.watch, -guard.sign,
                                0.0, 0.0, lane.point.x, lane.point.x});
  ++lane.crossings;
  refresh(l);
  list_guards(l);
  if (lane.run.stop_after > 0 && lane.crossings >= lane.run.stop_after) end(l, Outcome::stopped);
}

/// An instant: settles the point and puts it back into the stepper. False: the run ended.
bool LaneFlow::arrive(std::size_t l, const Trigger& trigger) {
  Lane& lane = motion(l);
  const std::size_t before = lane.result.events.size();
  const Settled settled = settle_framed(Settler(*lane.mechanism, options_, lane.run.period), lane.frame, lane.point,
                                        trigger, lane.result.events, lane.result.ledger);
  lane.steps_since_event = 0;
  load(l);
  const long total = lane.result.ledger.impacts + lane.result.ledger.switches + lane.result.ledger.slides;
  if (!lane.run.keep_events) lane.result.events.resize(before);
  if (settled.stop || total > options_.most_events) {
    lane.result.message = settled.message;
    lane.result.contacts = settled.contacts;
    end(l, settled.stop.value_or(Outcome::too_many_events));
    return false;
  }
  return true;
}

}  // namespace saltus
