#include "saltus/flow/lane_cruise.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/flow/run_length.hpp"

namespace saltus {

LaneCruise::LaneCruise(const FlowOptions& options, LaneRow& row)
    : options_(options), layout_(row.layout()), row_(row) {}

bool LaneCruise::may_join(std::size_t l) const {
  if (layout_.switches > 0 || on_[l]) return false;
  const Lane& lane = row_[l];
  const FlowRun& run = lane.run;
  const bool under_way = lane.active && lane.in<Free>() && lane.steps_since_event > 0 && !lane.arrived &&
                         !lane.shortened && lane.trial == lane.point.natural_step;
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
  closed_[l] = *closed;
  const FlowRun& run = lane.run;
  on_[l] = true;
  keeps_frame_[l] = run.keep_frame;
  now_[l] = lane.point.t;
  whole_[l] = static_cast<double>(run.end.cycles - now_[l].cycles) * run.period;
  end_phase_[l] = run.end.phase;
  end_rest_[l] = run.end.rest;
  period_[l] = run.period;
  longest_[l] = longest_natural_step(options_, run.period, now_[l].phase);
  step_[l] = lane.trial;
  flown_[l] = lane.flown;
  control_[l] = lane.control;
  steps_before_[l] = lane.result.ledger.steps;
  steps_[l] = 0;
}

void LaneCruise::leave(std::size_t l) {
  if (!on_[l]) return;
  on_[l] = false;
  if (steps_[l] == 0) return;
  Lane& lane = row_[l];
  lane.point.t = now_[l];
  lane.point.natural_step = step_[l];
  lane.trial = step_[l];
  lane.flown = flown_[l];
  lane.control = control_[l];
  lane.after_minimum = false;
  lane.events_here = 0;
  lane.steps_since_event += steps_[l];
  lane.result.ledger.steps += steps_[l];
}

void LaneCruise::leave_all() {
  for (std::size_t l = 0; l < row_.width(); ++l) leave(l);
}

void LaneCruise::choose_steps() {
  LaneStepper& stepper = row_.stepper();
  for (std::size_t l = 0; l < row_.width(); ++l) {
    if (!on_[l]) continue;
    const double left = whole_[l] + ((end_phase_[l] - now_[l].phase) + (end_rest_[l] - now_[l].rest));
    const bool turns = period_[l] > 0.0 && !(now_[l].phase + step_[l] < (1.0 - 1e-12) * period_[l]);
    stepper.h(l) = step_[l];
    if (turns || !(step_[l] < left * (1.0 - 1e-12))) leave(l);
  }
  leave_short_flights();
}

/// Flights that may end within half a trial: see LaneFlow::aim.
void LaneCruise::leave_short_flights() {
  const std::size_t width = row_.width();
  const std::size_t rates = row_.values().rates_behind();
  const double* const h = row_.stepper().h_array();
  std::array<bool, 8> is_short{};
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const double* const gap = row_.values().begin_row(i);
    for (std::size_t l = 0; l < width; ++l) {
      const double value = gap[l], rate = gap[rates + l], second = gap[2 * rates + l];
      const double longest = 0.5 * h[l];
      const bool stays = value >= 0.0 && 2.0 * rate >= -second * longest;
      is_short[l] = is_short[l] || (i != closed_[l] && !(rate <= 0.0) && !stays);
    }
  }
  for (std::size_t l = 0; l < width; ++l)
    if (is_short[l]) leave(l);
}

void LaneCruise::move_on(std::size_t l) {
  LaneStepper& stepper = row_.stepper();
  const double h = stepper.h(l);
  const double longest = period_[l] > 0.0 ? longest_[l] : longest_natural_step(options_, 0.0, now_[l].phase);
  step_[l] = std::min(h * control_[l].grow(stepper.error(l)), longest);
  flown_[l] += h;
  now_[l].advance(h);
  stepper.t(l) = now_[l].phase;
  ++steps_[l];
  if (closed_[l] != none) row_[l].note_sliding(h);
}

/// Before a projection bounds have shown all open gaps to be well above zero: it moves them by rounding and tolerance, rarely by more.
bool LaneCruise::gap_is_due(std::size_t l) const {
  if (closed_[l] == none) return false;
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (i != closed_[l] && !(row_.values().begin(i, l) > 0.0)) return true;
  return false;
}

}  // namespace saltus
