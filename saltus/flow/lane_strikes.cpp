#include "saltus/flow/lane_strikes.hpp"

#include <cmath>

namespace saltus {

LaneStrikes::LaneStrikes(const Kernels& kernels, const FlowOptions& options, LaneRow& row)
    : options_(options), row_(row), single_impact_(kernels, options, static_cast<unsigned>(row.width())) {}

bool LaneStrikes::may_be_plain(std::size_t l, const Guard& guard) const {
  const Lane& lane = row_[l];
  const bool countable = lane.result.ledger.impacts + lane.result.ledger.slides < options_.most_events;
  return guard.kind == Guard::Kind::gap && !lane.masked && row_.layout().switches == 0 && countable &&
         !is_near_watched(l);
}

/// A watched surface may be passed at the very instant.
bool LaneStrikes::is_near_watched(std::size_t l) const {
  constexpr double near = 10.0 * landing_window;  // the trial may have ended that part of it before the instant
  for (const Watch& watch : row_[l].run.watches) {
    const std::size_t row = row_.layout().contacts + row_.layout().switches + watch.surface;
    double value = row_.values().begin(row, l);
    if (watch.modulo > 0.0) value -= watch.modulo * std::round(value / watch.modulo);
    const double reach = std::abs(row_.stepper().h(l) * row_.values().begin_rate(row, l));
    if (std::abs(value) <= near * (row_.values().size(row, l) + watch.modulo + reach)) return true;
  }
  return false;
}

std::span<const SingleImpact::Blow> LaneStrikes::strike() {
  LaneStepper& stepper = row_.stepper();
  std::vector<SingleImpact::Blow>& blows = blows_;
  blows.clear();
  for (std::size_t l = 0; l < row_.width(); ++l) {
    Lane& lane = row_[l];
    if (const Striking* const before = lane.in<Striking>())
      blows.push_back({l, before->contact, lane.point.natural_step, lane.point.fastest, lane.result.ledger});
  }
  if (blows.empty()) return blows;
  LaneSet beside;
  for (const SingleImpact::Blow& blow : blows) beside.set(blow.lane, row_[blow.lane].beyond() != 0.0);
  row_.step_beside(beside);
  double* const y = &stepper.y(0, 0);
  const bool tangent = stepper.carries_tangent();
  single_impact_.strike({stepper.t_array(), stepper.p_array(), stepper.rate_array()}, blows, y,
                        tangent ? y + row_.layout().N() * row_.width() : nullptr);
  LaneSet struck;
  for (const SingleImpact::Blow& blow : blows) struck.set(blow.lane, blow.record.has_value());
  if (tangent) {
    row_.look_anew(struck);
  } else {
    stepper.set_rates(struck, single_impact_.rate_plus());
    row_.values().begin_with(struck, single_impact_.events_plus());
  }
  return blows;
}

void LaneStrikes::fly_on(const SingleImpact::Blow& blow) {
  const std::size_t l = blow.lane;
  Lane& lane = row_[l];
  lane.steps_since_event = 0;
  lane.point.note_strikes({&blow.contact, 1}, lane.point.t.absolute(lane.run.period));
  if (lane.run.keep_events) {
    lane.result.events.push_back({EventKind::impact, lane.point.t.absolute(lane.run.period), blow.contact,
                                  blow.record->gamma_minus, blow.record->gamma_plus, blow.record->impulse,
                                  row_.stepper().state_in(single_impact_.x_minus_array(), l),
                                  row_.stepper().state_in(row_.stepper().y_array(), l)});
  }
  row_.note_gaps(l);
  if (lane.run.keep_frame) row_.keep_frame(l);
  if (!lane.run.watches.empty()) row_.list_guards(l);
}

}  // namespace saltus
