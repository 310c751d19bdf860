#include "saltus/flow/lane_row.hpp"

#include <algorithm>

#include "saltus/numerics/vectors.hpp"

namespace saltus {

LaneRow::LaneRow(const Kernels& kernels, unsigned width, LaneStepper::Carries carries, std::size_t first_seat)
    : kernels_(kernels),
      layout_(kernels.layout()),
      stepper_(kernels, width, carries),
      values_(kernels, stepper_),
      step_beside_(kernels, stepper_),
      projection_(kernels, width) {
  for (std::size_t l = 0; l < width; ++l) {
    lanes_.push_back(std::make_unique<Lane>());
    lanes_[l]->seat = first_seat + l;
  }
  one_mode_.resize(layout_.mode_size());
  one_y_.resize(stepper_.components());
  one_rate_.resize(stepper_.rates() + layout_.contacts + layout_.switches);
}

void LaneRow::clear(std::size_t l) {
  Lane& lane = *lanes_[l];
  const std::size_t seat = lane.seat;
  lane = Lane();
  lane.seat = seat;
}

void LaneRow::exchange(std::size_t l, LaneRow& other, std::size_t other_l) {
  std::swap(lanes_[l], other.lanes_[other_l]);
  stepper_.exchange(l, other.stepper_, other_l);
  values_.exchange(l, other.values_, other_l);
}

// ---- one lane -----------------------------------------------------------------------------------------------------

void LaneRow::store(std::size_t l) {
  const FlowPoint& point = lanes_[l]->point;
  for (std::size_t i = 0; i < layout_.N(); ++i) stepper_.y(i, l) = point.x[index(i)];
  if (stepper_.carries_tangent())
    for (std::size_t c = 0; c < layout_.columns(); ++c)
      for (std::size_t i = 0; i < layout_.N(); ++i)
        stepper_.y(layout_.N() + layout_.tangent(i, c), l) = point.tangent(index(i), index(c));
}

void LaneRow::leave(std::size_t l) {
  FlowPoint& point = lanes_[l]->point;
  for (std::size_t i = 0; i < layout_.N(); ++i) point.x[index(i)] = stepper_.y(i, l);
  if (stepper_.carries_tangent())
    for (std::size_t c = 0; c < layout_.columns(); ++c)
      for (std::size_t i = 0; i < layout_.N(); ++i)
        point.tangent(index(i), index(c)) = stepper_.y(layout_.N() + layout_.tangent(i, c), l);
}

void LaneRow::store_mode(std::size_t l) {
  Lane& lane = *lanes_[l];
  const std::vector<double> mode = mode_inputs(lane.point.mode);
  for (std::size_t i = 0; i < mode.size(); ++i) stepper_.mode(i, l) = mode[i];
  lane.masked = lane.point.mode.is_masked();
  lane.held = lane.point.mode.any_held() ? std::make_unique<HeldField>(*lane.mechanism, lane.point.mode) : nullptr;
}

void LaneRow::field(std::size_t l, double t, const double* y, double* rate, bool with_tangent) {
  const Lane& lane = *lanes_[l];
  if (lane.held) return lane.held->write(t, {y, 1}, {rate, 1}, with_tangent);
  const KernelSet& one = kernels_.at(1);
  const Kernel kernel =
      lane.masked ? (with_tangent ? one.sliding_tangent : one.sliding) : (with_tangent ? one.field_tangent : one.field);
  for (std::size_t i = 0; i < one_mode_.size(); ++i) one_mode_[i] = stepper_.mode(i, l);
  kernel(&t, y, lane.run.parameters.data(), one_mode_.data(), with_tangent ? y + layout_.N() : nullptr, rate);
}

void LaneRow::refresh(std::size_t l) {
  const double t = stepper_.t(l);
  for (std::size_t i = 0; i < one_mode_.size(); ++i) one_mode_[i] = stepper_.mode(i, l);
  for (std::size_t i = 0; i < one_y_.size(); ++i) one_y_[i] = stepper_.y(i, l);
  field(l, t, one_y_.data(), one_rate_.data(), stepper_.carries_tangent());
  for (std::size_t i = 0; i < one_rate_.size(); ++i) stepper_.rate(i, l) = one_rate_[i];
  values_.look_at_one(l, t, one_y_.data(), lanes_[l]->run.parameters.data(), one_mode_.data(), one_rate_.data());
}

void LaneRow::measure(std::size_t l) {
  const Lane& lane = *lanes_[l];
  if (layout_.contacts == 0 && lane.run.watches.empty()) return;
  const FlowPoint& point = lane.point;
  values_.measure(l, lane.mechanism->jets(point.t.phase, point.x, point.mode), point.x, point.fastest,
                  point.natural_step);
}

void LaneRow::list_guards(std::size_t l) {
  Lane& lane = *lanes_[l];
  lane.guards = guards_of(lane.point.mode);
  std::erase_if(lane.guards, [&](const Guard& guard) { return lane.kept_functions.has(guard); });
  if (lane.has_set_aside()) {
    leave(l);
    lane.watch_again();
  }
  for (std::size_t w = 0; w < lane.run.watches.size(); ++w) {
    if (lane.kept_watches[w]) continue;
    const std::size_t row = layout_.contacts + layout_.switches + lane.run.watches[w].surface;
    add_watch(lane.run.watches[w], w, values_.begin(row, l), lane.guards);
  }
}

void LaneRow::keep_frame(std::size_t l) {
  leave(l);
  if (!lanes_[l]->frame.keep(lanes_[l]->point.tangent)) return;
  store(l);
  refresh(l);
}

void LaneRow::turn_columns(std::size_t l, long turns) {
  const Lane& lane = *lanes_[l];
  if (!stepper_.carries_tangent() || lane.run.period_rates.empty()) return;
  for (std::size_t c = 0; c < layout_.varied.size(); ++c)
    for (std::size_t i = 0; i < layout_.N(); ++i)
      stepper_.y(layout_.N() + layout_.tangent(i, layout_.state_columns + c), l) +=
          static_cast<double>(turns) * lane.run.period_rates[c] * stepper_.rate(i, l);
  refresh(l);
}

void LaneRow::note_gaps(std::size_t l) {
  Lane& lane = *lanes_[l];
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (!lane.point.mode.is_closed(i)) lane.note_gap(values_.begin(i, l));
}

// ---- the chosen lanes ---------------------------------------------------------------------------------------------

void LaneRow::look_anew(LaneSet chosen) {
  stepper_.start(chosen);
  values_.look_anew(chosen);
}

void LaneRow::project(LaneSet chosen) {
  std::array<const Mode*, 8> modes{};
  LaneSet sliding;
  for (const std::size_t l : chosen) {
    if (!lanes_[l]->masked) continue;
    sliding.add(l);
    modes[l] = &lanes_[l]->point.mode;
  }
  if (sliding.empty()) return;
  const SlidingProjection::At at{stepper_.t_array(), stepper_.p_array(), stepper_.mode_array(), modes};
  double* const y = &stepper_.y(0, 0);
  projection_.project_state(at, y);
  if (stepper_.carries_tangent()) projection_.project_columns(at, y, y + layout_.N() * width());
  for (const std::size_t l : sliding)
    if (lanes_[l]->held) project_held(l);
  look_anew(sliding);
}

/// The same for a lane that is held where switches meet.
void LaneRow::project_held(std::size_t l) {
  leave(l);
  Lane& lane = *lanes_[l];
  FlowPoint& point = lane.point;
  lane.held->project_state(point.t.phase, point.x);
  if (stepper_.carries_tangent()) lane.held->project_columns(point.t.phase, point.x, point.tangent);
  store(l);
}

void LaneRow::step_beside(LaneSet chosen) {
  if (chosen.empty()) return;
  std::array<double, 8> delta{};
  for (const std::size_t l : chosen) delta[l] = lanes_[l]->beyond();
  step_beside_(stepper_, delta);
  for (const std::size_t l : chosen) lanes_[l]->stand_at_instant();
}

}  // namespace saltus
