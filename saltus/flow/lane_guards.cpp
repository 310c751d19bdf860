#include <algorithm>
#include <cmath>

#include "saltus/flow/lane_flow.hpp"
#include "saltus/flow/mode_guards.hpp"

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

std::size_t LaneFlow::row_of(const Guard& guard) const {
  switch (guard.kind) {
    case Guard::Kind::switched: return layout_.contacts + guard.index;
    case Guard::Kind::surface: return layout_.contacts + layout_.switches + guard.index;
    case Guard::Kind::weight: return layout_.contacts + guard.index;
    default: return guard.index;
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

double LaneFlow::node_value(std::size_t l, std::size_t node, const Guard& guard) const {
  if (node == 0) return begin_jet(l, guard).value;
  if (node == node_count - 1) return end_jet(l, guard).value;
  const std::size_t row = row_of(guard);
  const double value = guard.is_multiplier() ? node_forces_[node][(layout_.N() + row) * lanes_.size() + l]
                                             : node_values_[node][row * lanes_.size() + l];
  return guard.sign * (value - guard.offset);
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

double LaneFlow::margin_of(std::size_t l, const Guard& guard, double size) const {
  if (guard.is_multiplier() || motion(l).landing) return 0.0;
  return 100.0 * (options_.rtol * size + options_.atol);
}

Outlook LaneFlow::outlook_of(std::size_t l, const Guard& guard) const {
  if (guard.is_multiplier()) {
    // Seen at every stage of the step: far from zero compared with how much it varies there? The stages are nowhere further apart
    // than 0.27 of the step: between them a parabola that varies by 1 over the step falls by less than 0.08.
    const auto [least, largest] = stepper_.multiplier(row_of(guard), l);
    const double above = guard.sign > 0.0 ? least - guard.offset : guard.offset - largest;
    return {above > 0.25 * (largest - least) ? Outlook::Kind::clear : Outlook::Kind::doubtful};
  }
  const EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const double h = stepper_.h(l);
  if (guard.kind == Guard::Kind::gap) {
    const double size = std::max(std::abs(begin.value), std::abs(end.value));
    return outlook(begin, end, h, margin_of(l, guard, size), beginning_of(l, guard, begin, end));
  }
  // Without second rates: both ends on one side, far from zero compared with what the ends' slopes could do between.
  const double reach = h * std::max(std::abs(begin.rate), std::abs(end.rate));
  const bool far_positive = begin.value > reach && end.value > reach;
  const bool far_negative = begin.value < -reach && end.value < -reach;
  return {far_positive || far_negative ? Outlook::Kind::clear : Outlook::Kind::doubtful};
}

/// Event functions at the ends of the trials, and which gaps surely stay open on the way.
void LaneFlow::look_at_ends() {
  if (!has_events_) return;
  stepper_.functions().events(stepper_.t_new_array(), stepper_.y_new_array(), stepper_.p_array(), stepper_.mode_array(),
                              stepper_.rate_new_array(), end_values_.data());
  const std::size_t rows = event_count_ * lanes_.size();
  const double* const begin = begin_values_.data();
  const double* const end = end_values_.data();
  if (layout_.contacts > 0)
    stepper_.clearances({begin, begin + rows, begin + 2 * rows, end, end + rows, end + 2 * rows}, clearances_.data(),
                        layout_.contacts);
  bound_bends();
}

/// A gap that stays open, and that the step does not begin on.
bool LaneFlow::is_clear(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  return guard.kind == Guard::Kind::gap && !(lane.arrived && lane.arrived->index == guard.index) &&
         clearances_[guard.index * lanes_.size() + l] > 0.0;
}

/// Dense output and samples at the nodes, when the ends of some lane's step say nothing.
void LaneFlow::sample_nodes() {
  bool wanted = false;
  for (std::size_t l = 0; l < lanes_.size(); ++l) wanted = wanted || (doubtful_[l] && sampled_[l]);
  if (!wanted) return;
  make_dense();
  bool forces = false;
  for (std::size_t l = 0; l < lanes_.size(); ++l) forces = forces || (takes_part(l) && motion(l).masked);
  for (std::size_t node = 1; node + 1 < node_count; ++node) {
    std::array<double, 8> theta{};
    theta.fill(nodes()[node]);
    stepper_.sample(theta);
    stepper_.functions().events(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                stepper_.mode_array(), stepper_.rate_array(), node_values_[node].data());
    if (forces)
      stepper_.functions().sliding(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                   stepper_.mode_array(), nullptr, node_forces_[node].data());
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (const HeldField* const held = motion(l).held.get())
        held->write(stepper_.t_sample_array()[l], {stepper_.sample_array() + l, lanes_.size()},
                    {node_forces_[node].data() + l, lanes_.size()}, false);
  }
}

}  // namespace saltus
