#include "saltus/flow/lane_cruise.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/flow/run_length.hpp"

namespace saltus {

LaneCruise::LaneCruise(const FlowOptions& options, LaneRow& row) : options_(options), layout_(row.layout()), row_(row) {
  closed_.fill(none);
}

bool LaneCruise::may_join(std::size_t l) const {
  if (layout_.switches > 0 || has(l)) return false;
  const Lane& lane = row_[l];
  const FlowRun& run = lane.run;
  const bool under_way = lane.active && lane.in<Free>() && !lane.shortened && lane.trial == lane.point.natural_step;
  const bool measured = !run.watches.empty() || lane.next_sample < run.samples.size() || run.follower ||
                        run.measure_energy || run.measure_divergence || run.measure_range || run.bound_gaps;
  return under_way && !measured;
}

namespace {

/// The only closed contact, `none` without any; nothing if there are several.
std::optional<std::size_t> closed_alone(const Mode& mode) {
  std::size_t found = LaneCruise::none;
  for (std::size_t i = 0; i < mode.contacts().size(); ++i) {
    if (!mode.is_closed(i)) continue;
    if (found != LaneCruise::none) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace

void LaneCruise::join(std::size_t l) {
  if (!may_join(l)) return;
  const Lane& lane = row_[l];
  const auto closed = lane.masked ? closed_alone(lane.point.mode) : none;
  if (!closed) return;
  const FlowRun& run = lane.run;
  const Time& now = lane.point.t;
  on_.add(l);
  just_met_.set(l, lane.steps_since_event == 0 || lane.arrived);
  closed_[l] = *closed;
  sliding_.set(l, *closed != none);
  keeps_frame_.set(l, run.keep_frame);
  phase_[l] = now.phase;
  rest_[l] = now.rest;
  whole_[l] = static_cast<double>(run.end.cycles - now.cycles) * run.period;
  end_phase_[l] = run.end.phase;
  end_rest_[l] = run.end.rest;
  turn_[l] = run.period > 0.0 ? (1.0 - 1e-12) * run.period : std::numeric_limits<double>::infinity();
  period_[l] = run.period;
  step_[l] = lane.trial;
  flown_[l] = lane.flown;
  most_growth_[l] = lane.control.most_growth();
  steps_before_[l] = steps_[l] = lane.result.ledger.steps;
}

void LaneCruise::leave(std::size_t l) {
  if (!has(l)) return;
  on_.remove(l);
  Lane& lane = row_[l];
  lane.point.natural_step = step_[l];
  lane.trial = step_[l];
  lane.control = StepControl(most_growth_[l]);
  const long taken = static_cast<long>(steps_[l] - steps_before_[l]);
  if (taken == 0) return;
  lane.point.t.phase = phase_[l];
  lane.point.t.rest = rest_[l];
  lane.flown = flown_[l];
  lane.arrived.reset();
  lane.after_minimum = false;
  lane.events_here = 0;
  lane.steps_since_event += taken;
  lane.result.ledger.steps += taken;
}

void LaneCruise::leave_all() {
  for (const std::size_t l : on_) leave(l);
}

void LaneCruise::choose_steps() {
  if (on_.empty()) return;
  LaneStepper& stepper = row_.stepper();
  for (const std::size_t l : on_) stepper.h(l) = step_[l];
  alignas(64) Numbers before_ends;
  const double* const streams[] = {phase_.data(),    rest_.data(), whole_.data(), end_phase_.data(),
                                   end_rest_.data(), step_.data(), turn_.data()};
  double* const out[] = {before_ends.data()};
  stepper.loops().before_ends(streams, stepper.h_array(), out, nullptr, 1);
  const LaneSet go_on = lanes_where(row_.width(), [&](std::size_t l) { return before_ends[l] > 0.0; });
  for (const std::size_t l : on_ - (go_on - in_short_flights())) leave(l);
}

/// Flights that may end within half a trial: see LaneFlow::aim.
LaneSet LaneCruise::in_short_flights() const {
  const std::size_t rates = row_.values().rates_behind();
  LaneSet all;
  alignas(64) Numbers stays;
  double* const out[] = {stays.data()};
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const double* const gap = row_.values().begin_row(i);
    const double* const streams[] = {gap, gap + rates, gap + 2 * rates};
    row_.stepper().loops().no_short_flight(streams, row_.stepper().h_array(), out, nullptr, 1);
    LaneSet may_end = lanes_where(row_.width(), [&](std::size_t l) { return !(stays[l] > 0.0); });
    for (const std::size_t l : may_end& sliding_)
      if (closed_[l] == i) may_end.remove(l);
    all = all | may_end;
  }
  return all;
}

LaneSet LaneCruise::try_again(LaneSet chosen) {
  LaneStepper& stepper = row_.stepper();
  LaneSet moving;
  for (const std::size_t l : chosen) {
    StepControl control;
    const double next = stepper.h(l) * control.shrink(stepper.error(l));
    if (!StepControl::moves(next, stepper.t(l))) continue;
    moving.add(l);
    step_[l] = next;
    most_growth_[l] = control.most_growth();
    FlowResult& result = row_[l].result;
    ++result.ledger.rejected;
    result.contacts.clear();
  }
  return moving;
}

void LaneCruise::move_on(LaneSet chosen) {
  LaneStepper& stepper = row_.stepper();
  for (const std::size_t l : chosen) {
    const double h = stepper.h(l);
    StepControl control(most_growth_[l]);
    step_[l] = std::min(h * control.grow(stepper.error(l)), longest_natural_step(options_, period_[l], phase_[l]));
    most_growth_[l] = control.most_growth();
    Time now{0, phase_[l], rest_[l]};
    now.advance(h);
    phase_[l] = now.phase;
    rest_[l] = now.rest;
    flown_[l] += h;
    ++steps_[l];
    stepper.t(l) = now.phase;
  }
  just_met_ = just_met_ - chosen;
  for (const std::size_t l : chosen& sliding_) row_[l].note_sliding(stepper.h(l));
}

LaneSet LaneCruise::with_frames_due(LaneSet chosen) {
  LaneSet due;
  for (const std::size_t l : chosen& keeps_frame_) due.set(l, row_[l].frame.is_due());
  return due;
}

LaneSet LaneCruise::to_look_at(LaneSet chosen) const {
  LaneSet due = lanes_where(row_.width(), [&](std::size_t l) { return steps_[l] % Motion::steps_between_polls == 0; });
  for (const std::size_t l : chosen& sliding_)
    if (gap_is_due(l)) due.add(l);
  return due & chosen;
}

/// Before a projection bounds have shown all open gaps to be well above zero: it moves them by rounding and tolerance, rarely by more.
bool LaneCruise::gap_is_due(std::size_t l) const {
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (i != closed_[l] && !(row_.values().begin(i, l) > 0.0)) return true;
  return false;
}

}  // namespace saltus
