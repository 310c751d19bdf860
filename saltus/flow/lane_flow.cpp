#include "saltus/flow/lane_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/lane_roots.hpp"
#include "saltus/flow/run_length.hpp"
#include "saltus/flow/time_scale.hpp"

namespace saltus {

LaneFlow::LaneFlow(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
                   LaneWork& work, Company company, std::size_t first_seat)
    : EventLoop(kernels, options, work),
      row_(kernels, width, carries, first_seat),
      judge_(kernels, options_, row_),
      strikes_(kernels, options_, row_),
      cruise_(options_, row_),
      company_(company) {
  kinds_.fill(Lane::Kind::idle);
  for (std::size_t l = 0; l < width; ++l) note_kind(l);
  row_.stepper().set_tolerances(options.rtol, options.atol, options.tangent_rtol);
}

void LaneFlow::step() {
  if (!company_ || company_ == Lane::Kind::striking) strike();
  if (company_ != Lane::Kind::striking) advance();
}

void LaneFlow::advance() {
  use_.slots += static_cast<long>(width());
  use_.busy += count_taking_part();
  cruise_.choose_steps();
  for (const std::size_t l : LaneSet::all(width()) - taking_part_) row_.stepper().h(l) = 0.0;
  for (const std::size_t l : taking_part_ - cruise_.lanes()) choose_step(l);
  row_.stepper().attempt();
  row_.values().look_at_ends();
  judge_.look(sliding_modes());
  judge();
  go_to_instants();
  const LaneSet cruising = taken_ & cruise_.lanes();
  for (const std::size_t l : cruise_.with_frames_due(cruising)) row_.keep_frame(l);
  for (const std::size_t l : (taken_ - cruising) | cruise_.to_look_at(cruising)) arrive(l);
}

/// Where a trial that was taken has led.
void LaneFlow::arrive(std::size_t l) {
  if (cruise_.has(l)) {
    cruise_.leave(l);
    arrive_at(l, {});
  } else if (const Standing* const on = row_[l].in<Standing>()) {
    arrive_at(l, {on->guard, false});
  } else {
    Lane& lane = row_[l];
    if (lane.frame.is_due()) row_.keep_frame(l);
    if (!lane.run.watches.empty()) row_.list_guards(l);
    arrive_at(l, {std::nullopt, lane.reaches_end()});
  }
  cruise_.join(l);
}

// ---- lanes and their work -----------------------------------------------------------------------------------------

void LaneFlow::choose(Company company) {
  cruise_.leave_all();
  company_ = company;
  for (std::size_t l = 0; l < width(); ++l) note_kind(l);
}

/// Lanes that do not take part follow the others' kernel, and nobody looks at what it gives them.
void LaneFlow::note_kind(std::size_t l) {
  const Lane& lane = row_[l];
  const Lane::Kind kind = lane.kind();
  unrest_ = unrest_ || kinds_[l] != kind;
  active_.set(l, kind != Lane::Kind::idle);
  kinds_[l] = kind;
  const bool joins = company_ ? kind == *company_ : kind != Lane::Kind::idle;
  count_ += joins - takes_part(l);
  taking_part_.set(l, joins);
  row_.stepper().set_held(l, lane.held.get());
  set_tolerances(l);
  row_.stepper().set_masked(l, company_ ? company_ == Lane::Kind::sliding : lane.active && lane.masked);
}

/// Rounds of switches that accumulate are known as well as the first one, however short: relative to how far the state goes in them.
/// So is the way to a surface on which the motion comes to rest.
void LaneFlow::set_tolerances(std::size_t l) {
  constexpr double finest = 1e-14;
  const FlowPoint& point = row_[l].point;
  // What is nothing beside the absolute tolerance are switches without speed, by rounding, and no pattern.
  const double reach = point.recent.reach();
  LaneStepper& stepper = row_.stepper();
  stepper.atol(l) = options_.atol;
  stepper.rtol(l) = options_.rtol;
  if (layout_.switches == 0) return;  // nothing accumulates, and nothing comes to rest
  if (reach > 1e-4 * options_.atol && std::isfinite(reach)) {
    const double size = point.x.size() > 0 ? point.x.cwiseAbs().maxCoeff() : 0.0;
    stepper.atol(l) = std::min(options_.atol, options_.rtol * reach);
    if (reach < size) stepper.rtol(l) = std::min(options_.rtol, std::max(options_.rtol * reach / size, finest));
  }
  if (const auto& rest = row_[l].to_rest) {
    stepper.atol(l) = std::min(stepper.atol(l), options_.rtol * rest->way);
    stepper.rtol(l) = std::min(stepper.rtol(l), std::max(options_.rtol * rest->way / rest->terms, finest));
  }
}

void LaneFlow::exchange(std::size_t l, LaneFlow& other, std::size_t other_l) {
  cruise_.leave(l);
  other.cruise_.leave(other_l);
  row_.exchange(l, other.row_, other_l);
  note_kind(l);
  other.note_kind(other_l);
  if (takes_part(l)) cruise_.join(l);
  if (other.takes_part(other_l)) other.cruise_.join(other_l);
}

double LaneFlow::first_step(std::size_t l) {
  const Lane& lane = row_[l];
  const FlowPoint& point = lane.point;
  const FieldValue field = lane.mechanism->field(point.t.phase, point.x, point.mode);
  const double size = point.x.cwiseAbs().maxCoeff();
  const double step = std::min(StepControl::first_step(field.rate.cwiseAbs().maxCoeff(), size), options_.largest_step);
  if (size >= 1e-3) return step;
  // A small state may be one in other units.
  const double scale = time_scale(*lane.mechanism, point.t.phase, point.x, point.mode, field.rate);
  return scale > 0.0 ? std::min(step, 0.01 * scale) : step;
}

/// Point → row.
void LaneFlow::enter(std::size_t l) {
  Lane& lane = row_[l];
  const FlowPoint& point = lane.point;
  LaneStepper& stepper = row_.stepper();
  if (lane.trial == 0.0) {  // a new motion
    for (std::size_t i = 0; i < layout_.parameter_inputs(); ++i) stepper.parameter(i, l) = lane.run.parameters[i];
    lane.trial = point.natural_step;
  }
  leave_root(row_, l, lane.flown);
  lane.flown = 0.0;
  lane.to_rest.reset();
  stepper.t(l) = point.t.phase;
  // Rounds become as short as they like, and a function as small as they make it: no step may be longer than one.
  if (point.recent.shrinks() && point.recent.last_round() > 0.0)
    lane.trial = std::min(lane.trial, point.recent.last_round());
  row_.store(l);
  row_.store_mode(l);
  note_kind(l);
  row_.refresh(l);
  row_.measure(l);
  lane.look_at_watches();
  row_.list_guards(l);
}

void LaneFlow::watch_anew(std::size_t l) {
  row_.refresh(l);
  row_.list_guards(l);
}

// ---- one trial ----------------------------------------------------------------------------------------------------

void LaneFlow::choose_step(std::size_t l) {
  Lane& lane = row_[l];
  double& h = row_.stepper().h(l);
  if (const Landing* const landing = lane.in<Landing>()) {
    h = landing->root.next();
    return;
  }
  if (!lane.in<Aimed>()) {
    const double left = until(lane.run.end, lane.point.t, lane.run.period);
    const double longest = std::min(lane.trial, lane.longest_unwatched());
    lane.shortened = lane.shortened || longest < lane.trial;
    const bool to_end = longest >= left * (1.0 - 1e-12);
    h = to_end ? left : std::min(longest, longest_step(options_));
    lane.phase = Free{to_end};
    if (layout_.contacts > 0) aim(l);
  }
  if (const Aimed* const aimed = lane.in<Aimed>()) h = aimed->length;
}

/// A flight much shorter than the natural step: the parabola of the gap knows its length better than the step does.
void LaneFlow::aim(std::size_t l) {
  Lane& lane = row_[l];
  const double longest = 0.5 * row_.stepper().h(l);
  double shortest = longest;
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    if (!lane.is_gap_watched(i)) continue;
    const EndJet begin = row_.values().begin_gap(i, l);
    if (begin.rate <= 0.0) continue;  // not a flight: an approach may graze, and needs a look at what lies behind
    // From zero or above it lasts 2 γ/|ḧ| at least: no root is needed to see that it is long.
    if (begin.value >= 0.0 && 2.0 * begin.rate >= -begin.second * shortest) continue;
    const auto fall = next_fall(begin);
    if (!fall || *fall >= shortest || *fall < 1e-12 * longest) continue;
    shortest = *fall;
    lane.phase = Aimed{i, shortest};
  }
}

/// Of lanes whose forces and weights are bounded over their trials: what several switches hold is looked at by its stages alone.
const LaneExclusion::SlidingModes* LaneFlow::sliding_modes() {
  if (!may_slide()) return nullptr;
  sliding_modes_.fill(nullptr);
  bool some = false;
  for (const std::size_t l : taking_part_) {
    const Lane& lane = row_[l];
    if (!lane.masked || lane.held || lane.in<Landing>()) continue;
    sliding_modes_[l] = &lane.point.mode;
    some = true;
  }
  return some ? &sliding_modes_ : nullptr;
}

/// First all lanes by the ends of their trials, those that cruise at once; then those that these leave in doubt.
void LaneFlow::judge() {
  const LaneJudge::Cruising cruising = judge_.judge_all(cruise_);
  const LaneSet once_more = cruise_.try_again(cruising.inexact);
  taken_ = cruising.undisturbed;
  LaneSet doubtful;
  for (const std::size_t l : taking_part_ - taken_ - once_more) {
    cruise_.leave(l);
    const auto verdict = judge_.judge(l);
    if (verdict) taken_.set(l, is_taken(l, *verdict));
    else doubtful.add(l);
  }
  for (const std::size_t l : doubtful) taken_.set(l, is_taken(l, judge_.judge_inside(l)));
}

bool LaneFlow::is_taken(std::size_t l, const LaneJudge::Verdict& verdict) {
  if (verdict.kind == LaneJudge::Kind::in_new_mode) {
    leave(l);
    enter(l);
    row_[l].phase = Free{};
  }
  if (verdict.kind == LaneJudge::Kind::ended) {
    end(l, verdict.outcome);
    refill(l);
  }
  return verdict.kind == LaneJudge::Kind::taken;
}

/// The trial was taken. Returns the completed turns of the forcing.
long LaneFlow::move_on(std::size_t l) {
  Lane& lane = row_[l];
  LaneStepper& stepper = row_.stepper();
  const long turns = lane.Motion::move_on(stepper.h(l), lane.beyond(), lane.reaches_end());
  stepper.t(l) = lane.point.t.phase;
  lane.flown += stepper.h(l);
  lane.after_minimum = lane.in<Passing>() != nullptr;
  if (lane.in<Aimed>() || lane.in<Passing>()) lane.phase = Free{};
  lane.trial = lane.point.natural_step;
  if (lane.to_rest) set_tolerances(l);
  return turns;
}

/// Trials that were taken become the motion, as far as the instants that they lead to.
void LaneFlow::go_to_instants() {
  row_.stepper().take(taken_);
  row_.values().take(taken_);
  const LaneSet cruising = taken_ & cruise_.lanes();
  cruise_.move_on(cruising);
  if (taken_ != cruising) go_singly(taken_ - cruising);
  if (may_slide()) row_.project(taken_);
}

/// Those that do not cruise.
void LaneFlow::go_singly(LaneSet chosen) {
  LaneSet beside;
  std::array<long, 8> turns{};
  for (const std::size_t l : chosen) {
    turns[l] = move_on(l);
    const Standing* const on = row_[l].in<Standing>();
    if (on && on->before_root) come_to_root(row_, l);
    // Those that strike make this short step together as well.
    beside.set(l, on && on->beyond != 0.0 && !(turns[l] == 0 && strikes_.may_be_plain(l, on->guard)));
  }
  row_.step_beside(beside);
  for (const std::size_t l : chosen)
    if (turns[l] != 0) row_.turn_columns(l, turns[l]);
}

namespace {

/// A surface on which the step has ended to rounding, from above: its polynomial may say that it ended before it, and the next step begins
/// behind it.
std::optional<Guard> overdue_surface(const Lane& lane, const LaneValues& values, std::size_t l) {
  if (lane.steps_since_event == 0) return std::nullopt;
  for (const Guard& guard : lane.guards) {
    if (guard.kind != Guard::Kind::surface || (lane.arrived && was_met(guard, *lane.arrived))) continue;
    const EndJet now = values.begin_jet(guard, l);
    const double noise =
        8.0 * std::numeric_limits<double>::epsilon() * (values.size(guard, l) + std::abs(guard.offset));
    if (now.value <= 0.0 && now.value >= -noise && -now.rate * lane.flown > 1e3 * noise) return guard;
  }
  return std::nullopt;
}

}  // namespace

/// A gap that is closed and closing, or a switch that is passed and on its way, although nothing was found in the step: rounding of
/// its end, or the projection of a slide, took it over the edge.
std::optional<Guard> LaneFlow::overdue(std::size_t l) {
  constexpr double passed = 1e-8;  // a weight
  const Mode& mode = row_[l].point.mode;
  const LaneValues& values = row_.values();
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (row_[l].is_gap_watched(i) && values.begin(i, l) <= 0.0 && values.begin_rate(i, l) < 0.0)
      return Guard{Guard::Kind::gap, i};
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    const std::size_t row = layout_.contacts + k;
    const double side = mode.side(k);
    if (row_[l].kept_functions.has({Guard::Kind::switched, k})) continue;
    if (!mode.slides_along(k) && side * values.begin(row, l) < 0.0 && side * values.begin_rate(row, l) < 0.0)
      return Guard{Guard::Kind::switched, k, side};
  }
  if (row_[l].held && row_[l].steps_since_event > 0)
    for (const Guard& guard : row_[l].guards)
      if (guard.is_multiplier() && row_.trial(l).begin(guard).value < -passed) return guard;
  return overdue_surface(row_[l], values, l);
}

// ---- plain impacts ------------------------------------------------------------------------------------------------

/// An impact that may be a plain one is done together with those of other lanes.
bool LaneFlow::carry_over(std::size_t l, const Guard& guard) {
  Lane& lane = row_[l];
  if (!strikes_.may_be_plain(l, guard)) {
    lane.phase = Free{};
    return false;
  }
  lane.phase = Striking{guard.index, lane.beyond()};
  note_kind(l);
  return true;
}

/// The plain impacts of all lanes that stand before one; what turns out not to be plain goes the long way.
void LaneFlow::strike() {
  for (const SingleImpact::Blow& blow : strikes_.strike()) {
    row_[blow.lane].phase = Free{};
    note_kind(blow.lane);
    if (blow.record) {
      strikes_.fly_on(blow);
      if (takes_part(blow.lane)) cruise_.join(blow.lane);
      continue;
    }
    cross(blow.lane, {Guard::Kind::gap, blow.contact});
    if (!row_[blow.lane].active) refill(blow.lane);
  }
}

}  // namespace saltus
