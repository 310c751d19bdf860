#include <algorithm>
#include <cmath>

#include "saltus/flow/lane_flow.hpp"

// The event functions of a lane's mode, and what the ends of a step say about them.

namespace saltus {

void LaneFlow::list_guards(std::size_t l) {
  Lane& lane = motion(l);
  const Mode& mode = lane.point.mode;
  lane.guards.clear();
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    lane.guards.push_back({mode.closed[i] ? Guard::Kind::force : Guard::Kind::gap, i});
  for (std::size_t k = 0; k < layout_.switches; ++k)
    add_switch_guards(mode, k, [&](const Guard& guard) { lane.guards.push_back(guard); });
  for (std::size_t w = 0; w < lane.run.watches.size(); ++w) add_watch(l, w);
}

/// The multiples of the modulus next above and below the start of the step.
void LaneFlow::add_watch(std::size_t l, std::size_t w) {
  Lane& lane = motion(l);
  const Watch& watch = lane.run.watches[w];
  const double value = begin_values_[(layout_.contacts + layout_.switches + watch.surface) * lanes_.size() + l];
  double above = 0.0;
  double below = 0.0;
  if (watch.modulo > 0.0) {
    // On a multiple to rounding (the last crossing left us there) its neighbours come next, and itself from the other side.
    const double turns = value / watch.modulo;
    const bool here = std::abs(turns - std::round(turns)) < 1e-9;
    below = watch.modulo * (here ? std::round(turns) : std::floor(turns));
    above = here ? below : below + watch.modulo;
  }
  const auto add = [&](double sign, double offset) {
    lane.guards.push_back({Guard::Kind::surface, watch.surface, sign, offset, w});
  };
  if (watch.direction != Crossing::down) {
    add(-1.0, above);
    if (watch.modulo > 0.0 && above == below) add(-1.0, above + watch.modulo);
  }
  if (watch.direction != Crossing::up) {
    add(1.0, below);
    if (watch.modulo > 0.0 && above == below) add(1.0, below - watch.modulo);
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
  const bool handled =
      arrived && guard.index == arrived->index &&
      (guard.kind == arrived->kind || (guard.kind == Guard::Kind::gap && arrived->kind == Guard::Kind::force) ||
       (guard.kind == Guard::Kind::switched && arrived->kind == Guard::Kind::weight));
  if (!handled && std::abs(begin.value) > tiny) return Beginning::away;
  // The last step ended just short of the zero: it is still to come.
  if (!handled && begin.value > 0.0 && begin.rate < 0.0) return Beginning::away;
  if (handled && guard.kind == Guard::Kind::surface &&
      std::abs(guard.offset - arrived->offset) > 1e-9 * (1.0 + std::abs(guard.offset)))
    return Beginning::away;  // the same surface at another multiple
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
}

/// A gap that stays open, and that the step does not begin on.
bool LaneFlow::is_clear(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  return guard.kind == Guard::Kind::gap && !(lane.arrived && lane.arrived->index == guard.index) &&
         clearances_[guard.index * lanes_.size() + l] > 0.0;
}

/// Dense output and samples at the nodes, when some lane may have an event inside its step.
void LaneFlow::sample_nodes() {
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
