#include <algorithm>
#include <cmath>

#include "saltus/flow/lane_flow.hpp"

// The event functions of a lane's mode, and what the ends of a step say about them.

namespace saltus {

void LaneFlow::list_guards(std::size_t l) {
  Lane& lane = motion(l);
  lane.guards = guards_of(lane.point.mode);
  if (lane.has_set_aside()) {
    leave(l);
    lane.watch_again();
  }
  for (std::size_t w = 0; w < lane.run.watches.size(); ++w) {
    if (lane.kept_watches[w]) continue;
    const std::size_t row = layout_.contacts + layout_.switches + lane.run.watches[w].surface;
    add_watch(lane.run.watches[w], w, begin_values_[row * lanes_.size() + l], lane.guards);
  }
}

EndJet LaneFlow::jet_of(std::size_t l, const Guard& guard, const LaneArray& values, double multiplier) const {
  if (guard.is_multiplier()) return {guard.sign * (multiplier - guard.offset), 0.0, 0.0};
  const std::size_t width = lanes_.size();
  const std::size_t row = row_of(guard);
  return {guard.sign * (values[row * width + l] - guard.offset), guard.sign * values[(event_count_ + row) * width + l],
          guard.kind == Guard::Kind::gap ? values[(2 * event_count_ + row) * width + l] : 0.0};
}

EndJet LaneFlow::begin_jet(std::size_t l, const Guard& guard) const {
  return jet_of(l, guard, begin_values_,
                guard.is_multiplier() ? stepper_.rate(stepper_.rates() + row_of(guard), l) : 0.0);
}

EndJet LaneFlow::end_jet(std::size_t l, const Guard& guard) const {
  return jet_of(l, guard, end_values_,
                guard.is_multiplier() ? stepper_.rate_new(stepper_.rates() + row_of(guard), l) : 0.0);
}

/// Does the step begin on the guard's zero, moving or at rest?
Beginning LaneFlow::beginning_of(std::size_t l, const Guard& guard, const EndJet& begin, const EndJet& end) const {
  const double size = std::max(std::abs(begin.value), std::abs(end.value));
  const double h = stepper_.h(l);
  if (guard.is_multiplier()) {
    const bool just_begun = motion(l).steps_since_event == 0;
    return just_begun && std::abs(begin.value) <= 1e-10 * size ? Beginning::at_zero : Beginning::away;
  }
  // Where switches accumulate their functions become as small as they like: only what they change by tells what is zero.
  const double unit = guard.kind == Guard::Kind::switched ? 0.0 : 1.0;
  const double tiny = 1e-13 * (unit + std::abs(h * begin.rate)) + 1e-12 * size;
  const auto& arrived = motion(l).arrived;
  const bool handled = arrived && was_met(guard, *arrived);
  if (!handled && std::abs(begin.value) > tiny) return Beginning::away;
  // The last step ended just short of the zero: it is still to come.
  if (!handled && begin.value > 0.0 && begin.rate < 0.0) return Beginning::away;
  const double moved = std::abs(h * begin.rate);
  const double bent = h * h * std::abs(begin.second) + size;
  return moved > 1e-10 * bent ? Beginning::at_zero : Beginning::at_rest;
}

/// Where a guard that falls through zero once in the trial does so, in parts of it; slightly above 1: just behind its end.
double LaneFlow::fall_of(std::size_t l, const Guard& guard) const {
  EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const double h = stepper_.h(l);
  if (guard.is_multiplier()) return begin.value / (begin.value - end.value);
  if (beginning_of(l, guard, begin, end) != Beginning::away) begin.value = 0.0;
  if (guard.kind != Guard::Kind::gap) return fall_of_cubic(begin, end, h);
  if (const auto beyond = end_of_flight(l, guard)) return 1.0 + *beyond / h;
  return fall_of_quintic(begin, end, h);
}

/// A gap that falls, and is zero so near the end of the trial that a short step beside it leads there: how far from it.
std::optional<double> LaneFlow::end_of_flight(std::size_t l, const Guard& guard) const {
  if (guard.kind != Guard::Kind::gap) return std::nullopt;
  const auto beyond = distance_to_zero(end_jet(l, guard));
  return beyond && std::abs(*beyond) <= landing_window * stepper_.h(l) ? beyond : std::nullopt;
}

/// Event functions at the ends of the trials, and bounds of what they do between.
void LaneFlow::look_at_ends() {
  if (!has_events_) return;
  stepper_.functions().events(stepper_.t_new_array(), stepper_.y_new_array(), stepper_.p_array(), stepper_.mode_array(),
                              stepper_.rate_new_array(), end_values_.data());
  bound_bends();
  bound_multipliers();
}

/// A gap that is proven to stay open for all lanes at once, and that the step does not begin on.
bool LaneFlow::is_proven(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  return guard.kind == Guard::Kind::gap && proven_[guard.index * lanes_.size() + l] > 0.0 &&
         !(lane.arrived && lane.arrived->index == guard.index);
}

}  // namespace saltus
