#include <cmath>

#include "saltus/flow/lane_flow.hpp"

// Plain impacts, done for all lanes that stand before one.

namespace saltus {

/// In free motion, and nothing but the gap has been met.
bool LaneFlow::may_strike_plainly(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  const bool countable = lane.result.ledger.impacts + lane.result.ledger.slides < options_.most_events;
  return guard.kind == Guard::Kind::gap && !lane.masked && layout_.switches == 0 && countable && !is_near_watched(l);
}

/// A watched surface may be passed at the very instant.
bool LaneFlow::is_near_watched(std::size_t l) const {
  constexpr double near = 10.0 * landing_window;  // the trial may have ended that part of it before the instant
  for (const Watch& watch : motion(l).run.watches) {
    const std::size_t row = layout_.contacts + layout_.switches + watch.surface;
    double value = values_.begin(row, l);
    if (watch.modulo > 0.0) value -= watch.modulo * std::round(value / watch.modulo);
    const double reach = std::abs(stepper_.h(l) * values_.begin_rate(row, l));
    if (std::abs(value) <= near * (1.0 + watch.modulo + reach)) return true;
  }
  return false;
}

/// An impact that may be a plain one is done together with those of other lanes.
bool LaneFlow::carry_over(std::size_t l, const Guard& guard) {
  Lane& lane = motion(l);
  if (!may_strike_plainly(l, guard)) {
    lane.phase = Free{};
    return false;
  }
  lane.phase = Striking{guard.index, lane.beyond()};
  note_kind(l);
  return true;
}

/// The plain impacts of all lanes that stand before one; what turns out not to be plain goes the long way.
void LaneFlow::strike() {
  std::vector<SingleImpact::Blow>& blows = blows_;
  blows.clear();
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    Lane& lane = motion(l);
    if (const Striking* const before = lane.in<Striking>())
      blows.push_back({l, before->contact, lane.point.natural_step, lane.point.fastest, lane.result.ledger});
  }
  if (blows.empty()) return;
  std::array<bool, 8> beside{};
  for (const SingleImpact::Blow& blow : blows) beside[blow.lane] = motion(blow.lane).beyond() != 0.0;
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
    values_.begin_with(chosen, single_impact_.events_plus());
  }
  for (const SingleImpact::Blow& blow : blows) {
    motion(blow.lane).phase = Free{};
    note_kind(blow.lane);
    if (blow.record) {
      fly_on(blow);
      continue;
    }
    cross(blow.lane, {Guard::Kind::gap, blow.contact});
    if (!motion(blow.lane).active) refill(blow.lane);
  }
}

/// A plain impact has been done.
void LaneFlow::fly_on(const SingleImpact::Blow& blow) {
  const std::size_t l = blow.lane;
  Lane& lane = motion(l);
  lane.steps_since_event = 0;
  if (lane.run.keep_events) {
    lane.result.events.push_back({EventKind::impact, lane.point.t.absolute(lane.run.period), blow.contact,
                                  blow.record->gamma_minus, blow.record->gamma_plus, blow.record->impulse,
                                  stepper_.state_in(single_impact_.x_minus_array(), l),
                                  stepper_.state_in(stepper_.y_array(), l)});
  }
  note_gaps(l);
  if (lane.run.keep_frame) keep_frame(l);
  if (!lane.run.watches.empty()) list_guards(l);
}

}  // namespace saltus
