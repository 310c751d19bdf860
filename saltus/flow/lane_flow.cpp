#include "saltus/flow/lane_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/lane_interior.hpp"
#include "saltus/flow/run_length.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

LaneFlow::LaneFlow(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
                   LaneWork& work, Company company, std::size_t first_seat)
    : EventLoop(kernels, options, work),
      stepper_(kernels, width, carries),
      values_(kernels, stepper_),
      exclusion_(kernels, options_, stepper_, values_),
      step_beside_(kernels, stepper_),
      single_impact_(kernels, options, width),
      projection_(kernels, width),
      company_(company),
      unseen_(UnseenForce::of(kernels, width)) {
  for (std::size_t l = 0; l < width; ++l) {
    lanes_.push_back(std::make_unique<Lane>());
    motion(l).seat = first_seat + l;
    note_kind(l);
  }
  stepper_.set_tolerances(options.rtol, options.atol, options.tangent_rtol);
  one_mode_.resize(layout_.mode_size());
  one_y_.resize(stepper_.components());
  one_rate_.resize(stepper_.rates() + layout_.contacts + layout_.switches);
}

void LaneFlow::step() {
  if (!company_ || company_ == Lane::Kind::striking) strike();
  if (company_ != Lane::Kind::striking) advance();
}

void LaneFlow::advance() {
  use_.slots += static_cast<long>(lanes_.size());
  use_.busy += count_taking_part();
  for (std::size_t l = 0; l < lanes_.size(); ++l) choose_step(l);
  stepper_.attempt();
  unseen_looked_ = false;
  values_.look_at_ends();
  exclusion_.bound(sliding_modes());
  bool some_doubtful = false;
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    doubtful_[l] = false;
    accepted_[l] = takes_part(l) && judge(l) == Verdict::accept;
    some_doubtful = some_doubtful || doubtful_[l];
  }
  if (some_doubtful) {
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (doubtful_[l]) accepted_[l] = judge_inside(l) == Verdict::accept;
  }
  const std::span<const bool> accepted(accepted_.data(), lanes_.size());
  stepper_.take(accepted);
  values_.take(accepted);
  std::array<bool, 8> beside{};
  std::array<long, 8> turns{};
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    if (!accepted_[l]) continue;
    turns[l] = move_on(l);
    const Standing* const on = motion(l).in<Standing>();
    if (on && on->before_root) come_to_root(l);
    // Those that strike make this short step together as well.
    beside[l] = on && on->beyond != 0.0 && !(turns[l] == 0 && may_strike_plainly(l, on->guard));
  }
  step_beside({beside.data(), lanes_.size()});
  for (std::size_t l = 0; l < lanes_.size(); ++l)
    if (turns[l] != 0) turn_columns(l, turns[l]);
  project();
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    if (!accepted_[l]) continue;
    Lane& lane = motion(l);
    if (const Standing* const on = lane.in<Standing>()) {
      arrive_at(l, {on->guard, false});
      continue;
    }
    if (lane.frame.is_due()) keep_frame(l);
    if (!lane.run.watches.empty()) list_guards(l);
    arrive_at(l, {std::nullopt, lane.reaches_end()});
  }
}

// ---- lanes and their work -----------------------------------------------------------------------------------------

void LaneFlow::choose(Company company) {
  company_ = company;
  for (std::size_t l = 0; l < lanes_.size(); ++l) note_kind(l);
}

/// Lanes that do not take part follow the others' kernel, and nobody looks at what it gives them.
void LaneFlow::note_kind(std::size_t l) {
  const Lane& lane = motion(l);
  unrest_ = unrest_ || kinds_[l] != lane.kind();
  kinds_[l] = lane.kind();
  taking_part_ = 0;
  for (std::size_t other = 0; other < lanes_.size(); ++other) taking_part_ += takes_part(other) ? 1 : 0;
  stepper_.set_held(l, lane.held.get());
  set_tolerances(l);
  stepper_.set_masked(l, company_ ? company_ == Lane::Kind::sliding : lane.active && lane.masked);
}

/// Rounds of switches that accumulate are known as well as the first one, however short: relative to how far the state goes in them.
void LaneFlow::set_tolerances(std::size_t l) {
  constexpr double finest = 1e-14;
  const FlowPoint& point = motion(l).point;
  // What is nothing beside the absolute tolerance are switches without speed, by rounding, and no pattern.
  const bool counts = point.recent.reach() > 1e-4 * options_.atol;
  const double reach = counts ? point.recent.reach() : std::numeric_limits<double>::infinity();
  const double size = point.x.size() > 0 ? point.x.cwiseAbs().maxCoeff() : 0.0;
  stepper_.atol(l) = std::min(options_.atol, options_.rtol * reach);
  stepper_.rtol(l) =
      reach < size ? std::min(options_.rtol, std::max(options_.rtol * reach / size, finest)) : options_.rtol;
}

void LaneFlow::exchange(std::size_t l, LaneFlow& other, std::size_t other_l) {
  std::swap(lanes_[l], other.lanes_[other_l]);
  stepper_.exchange(l, other.stepper_, other_l);
  values_.exchange(l, other.values_, other_l);
  note_kind(l);
  other.note_kind(other_l);
}

void LaneFlow::clear(std::size_t l) {
  const std::size_t seat = motion(l).seat;
  motion(l) = Lane();
  motion(l).seat = seat;
}

double LaneFlow::first_step(std::size_t l) {
  const Lane& lane = motion(l);
  const FieldValue field = lane.mechanism->field(lane.point.t.phase, lane.point.x, lane.point.mode);
  return std::min(StepControl::first_step(field.rate.cwiseAbs().maxCoeff(), lane.point.x.cwiseAbs().maxCoeff()),
                  options_.largest_step);
}

/// Point → stepper.
void LaneFlow::enter(std::size_t l) {
  Lane& lane = motion(l);
  const FlowPoint& point = lane.point;
  if (lane.trial == 0.0) {  // a new motion
    for (std::size_t i = 0; i < layout_.parameter_inputs(); ++i) stepper_.parameter(i, l) = lane.run.parameters[i];
    lane.trial = point.natural_step;
  }
  leave_root(l, lane.flown);
  lane.flown = 0.0;
  stepper_.t(l) = point.t.phase;
  // Rounds become as short as they like, and a function as small as they make it: no step may be longer than one.
  if (point.recent.shrinks() && point.recent.last_round() > 0.0)
    lane.trial = std::min(lane.trial, point.recent.last_round());
  store(l);
  const std::vector<double> mode = mode_inputs(point.mode);
  for (std::size_t i = 0; i < mode.size(); ++i) stepper_.mode(i, l) = mode[i];
  lane.masked = point.mode.is_masked();
  lane.held = point.mode.any_held() ? std::make_unique<HeldField>(*lane.mechanism, point.mode) : nullptr;
  note_kind(l);
  refresh(l);
  lane.look_at_watches();
  list_guards(l);
}

/// State and columns of the point → stepper.
void LaneFlow::store(std::size_t l) {
  const FlowPoint& point = motion(l).point;
  for (std::size_t i = 0; i < layout_.N(); ++i) stepper_.y(i, l) = point.x[index(i)];
  if (stepper_.carries_tangent())
    for (std::size_t c = 0; c < layout_.columns(); ++c)
      for (std::size_t i = 0; i < layout_.N(); ++i)
        stepper_.y(layout_.N() + layout_.tangent(i, c), l) = point.tangent(index(i), index(c));
}

/// Stepper → point.
void LaneFlow::leave(std::size_t l) {
  FlowPoint& point = motion(l).point;
  for (std::size_t i = 0; i < layout_.N(); ++i) point.x[index(i)] = stepper_.y(i, l);
  if (stepper_.carries_tangent())
    for (std::size_t c = 0; c < layout_.columns(); ++c)
      for (std::size_t i = 0; i < layout_.N(); ++i)
        point.tangent(index(i), index(c)) = stepper_.y(layout_.N() + layout_.tangent(i, c), l);
}

/// The guards of the mode, and what is watched.
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
    add_watch(lane.run.watches[w], w, values_.begin(row, l), lane.guards);
  }
}

void LaneFlow::watch_anew(std::size_t l) {
  refresh(l);
  list_guards(l);
}

/// The field, tangent included, and the event functions where one lane stands.
void LaneFlow::refresh(std::size_t l) {
  const double t = stepper_.t(l);
  const double* const p = motion(l).run.parameters.data();
  const KernelSet& one = kernels_.at(1);
  const bool tangent = stepper_.carries_tangent();
  const Kernel field =
      motion(l).masked ? (tangent ? one.sliding_tangent : one.sliding) : (tangent ? one.field_tangent : one.field);
  for (std::size_t i = 0; i < one_mode_.size(); ++i) one_mode_[i] = stepper_.mode(i, l);
  for (std::size_t i = 0; i < one_y_.size(); ++i) one_y_[i] = stepper_.y(i, l);
  if (motion(l).held) motion(l).held->write(t, {one_y_.data(), 1}, {one_rate_.data(), 1}, tangent);
  else field(&t, one_y_.data(), p, one_mode_.data(), one_y_.data() + layout_.N(), one_rate_.data());
  for (std::size_t i = 0; i < one_rate_.size(); ++i) stepper_.rate(i, l) = one_rate_[i];
  values_.look_at_one(l, t, one_y_.data(), p, one_mode_.data(), one_rate_.data());
}

// ---- one trial ----------------------------------------------------------------------------------------------------

void LaneFlow::choose_step(std::size_t l) {
  Lane& lane = motion(l);
  if (!takes_part(l)) {
    stepper_.h(l) = 0.0;
    return;
  }
  if (const Landing* const landing = lane.in<Landing>()) {
    stepper_.h(l) = landing->root.next();
    return;
  }
  if (!lane.in<Aimed>()) {
    const double left = until(lane.run.end, lane.point.t, lane.run.period);
    const double longest = std::min(lane.trial, lane.longest_unwatched());
    lane.shortened = lane.shortened || longest < lane.trial;
    const bool to_end = longest >= left * (1.0 - 1e-12);
    stepper_.h(l) = to_end ? left : std::min(longest, longest_step(options_));
    lane.phase = Free{to_end};
    if (layout_.contacts > 0) aim(l);
  }
  if (const Aimed* const aimed = lane.in<Aimed>()) stepper_.h(l) = aimed->length;
}

/// Of lanes whose forces and weights are bounded over their trials: what several switches hold is looked at by its stages alone.
LaneExclusion::SlidingModes LaneFlow::sliding_modes() const {
  LaneExclusion::SlidingModes modes{};
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    const Lane& lane = motion(l);
    if (takes_part(l) && lane.masked && !lane.held && !lane.in<Landing>()) modes[l] = &lane.point.mode;
  }
  return modes;
}

/// A flight much shorter than the natural step: the parabola of the gap knows its length better than the step does.
void LaneFlow::aim(std::size_t l) {
  Lane& lane = motion(l);
  const double longest = 0.5 * stepper_.h(l);
  double shortest = longest;
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    if (lane.point.mode.is_closed(i)) continue;
    const EndJet begin = values_.begin_gap(i, l);
    if (begin.rate <= 0.0) continue;  // not a flight: an approach may graze, and needs a look at what lies behind
    // From zero or above it lasts 2 γ/|ḧ| at least: no root is needed to see that it is long.
    if (begin.value >= 0.0 && 2.0 * begin.rate >= -begin.second * shortest) continue;
    const auto fall = next_fall(begin);
    if (!fall || *fall >= shortest || *fall < 1e-12 * longest) continue;
    shortest = *fall;
    lane.phase = Aimed{i, shortest};
  }
}

/// A shorter step, or the end of the run if there is none.
LaneFlow::Verdict LaneFlow::reject(std::size_t l, Outcome reason) {
  Lane& lane = motion(l);
  ++lane.result.ledger.rejected;
  const bool by_error = reason == Outcome::step_too_small;
  lane.trial = stepper_.h(l) * lane.control.shrink(by_error ? errors_[l] : std::numeric_limits<double>::infinity());
  if (by_error && !lane.in<Aimed>()) lane.point.natural_step = std::min(lane.point.natural_step, lane.trial);
  lane.phase = Free{};
  if (reason != Outcome::gap_undefined) lane.result.contacts.clear();
  if (StepControl::moves(lane.trial, stepper_.t(l))) return Verdict::retry;
  end(l, reason);
  refill(l);
  return Verdict::retry;
}

/// A step cut short by the end of the run or by an event says nothing about the natural step.
void LaneFlow::grow(std::size_t l) {
  Lane& lane = motion(l);
  const double next = stepper_.h(l) * lane.control.grow(errors_[l]);
  const bool whole = lane.in<Free>() && !lane.in<Free>()->to_end && !lane.shortened;
  const bool cut = !whole && next < lane.point.natural_step;
  lane.shortened = false;
  // At rest steps double; beyond a long time they may be as long as it.
  const double far = lane.run.period > 0.0 ? lane.run.period : std::max(1e9, std::abs(lane.point.t.phase));
  const double longest = std::min(longest_step(options_), far);
  if (!cut) lane.point.natural_step = std::min(next, longest);
}

/// A trial that will be taken: what the books and the run want of it.
void LaneFlow::write_down(std::size_t l) {
  Lane& lane = motion(l);
  const double h = stepper_.h(l) + lane.beyond();
  if (h == 0.0) return;
  for (std::size_t i = 0; i < layout_.contacts && lane.run.bound_gaps && h > 0.0; ++i) {
    if (lane.point.mode.is_closed(i)) continue;
    const LowestValues lowest = exclusion_.lowest_of(trial(l), i);
    lane.note_depth(-lowest.anywhere);
    lane.note_lowest(i, lowest.at_minima);
  }
  LaneInterior(stepper_, lane, l).follow();
}

/// The trial was taken. Returns the completed turns of the forcing.
long LaneFlow::move_on(std::size_t l) {
  Lane& lane = motion(l);
  const long turns = lane.Motion::move_on(stepper_.h(l), lane.beyond(), lane.reaches_end());
  stepper_.t(l) = lane.point.t.phase;
  lane.flown += stepper_.h(l);
  lane.after_minimum = lane.in<Passing>() != nullptr;
  if (lane.in<Aimed>() || lane.in<Passing>()) lane.phase = Free{};
  lane.trial = lane.point.natural_step;
  return turns;
}

/// Sliding steps have ended: back to h = γ = 0 and s = 0, where field and event functions are looked at anew.
void LaneFlow::project() {
  std::array<const Mode*, 8> modes{};
  std::array<bool, 8> sliding{};
  bool some = false;
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    sliding[l] = accepted_[l] && motion(l).masked;
    if (sliding[l]) modes[l] = &motion(l).point.mode;
    some = some || sliding[l];
  }
  if (!some) return;
  const SlidingProjection::At at{stepper_.t_array(), stepper_.p_array(), stepper_.mode_array(), modes};
  double* const y = &stepper_.y(0, 0);
  projection_.project_state(at, y);
  if (stepper_.carries_tangent()) projection_.project_columns(at, y, y + layout_.N() * lanes_.size());
  for (std::size_t l = 0; l < lanes_.size(); ++l)
    if (sliding[l] && motion(l).held) project_held(l);
  look_anew({sliding.data(), lanes_.size()});
}

/// The same for a lane that is held where switches meet.
void LaneFlow::project_held(std::size_t l) {
  leave(l);
  FlowPoint& point = motion(l).point;
  motion(l).held->project_state(point.t.phase, point.x);
  if (stepper_.carries_tangent()) motion(l).held->project_columns(point.t.phase, point.x, point.tangent);
  store(l);
}

/// The field and the event functions where the chosen lanes stand.
void LaneFlow::look_anew(std::span<const bool> chosen) {
  stepper_.start(chosen);
  values_.look_anew(chosen);
}

/// A gap that is closed and closing, or a switch that is passed and on its way, although nothing was found in the step: rounding of
/// its end, or the projection of a slide, took it over the edge.
std::optional<Guard> LaneFlow::overdue(std::size_t l) {
  const Mode& mode = motion(l).point.mode;
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (!mode.is_closed(i) && values_.begin(i, l) <= 0.0 && values_.begin_rate(i, l) < 0.0)
      return Guard{Guard::Kind::gap, i};
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    const std::size_t row = layout_.contacts + k;
    const double side = mode.side(k);
    if (!mode.slides_along(k) && side * values_.begin(row, l) < 0.0 && side * values_.begin_rate(row, l) < 0.0)
      return Guard{Guard::Kind::switched, k, side};
  }
  return std::nullopt;
}

void LaneFlow::note_gaps(std::size_t l) {
  Lane& lane = motion(l);
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (!lane.point.mode.is_closed(i)) lane.note_gap(values_.begin(i, l));
}

/// After a step or a plain impact: the frame made orthonormal where its columns are about to become parallel.
void LaneFlow::keep_frame(std::size_t l) {
  leave(l);
  if (!motion(l).frame.keep(motion(l).point.tangent)) return;
  store(l);
  refresh(l);
}

/// A parameter may change the period: at a fixed number of cycles and a fixed phase its column gains ẋ ∂period/∂p per turn.
void LaneFlow::turn_columns(std::size_t l, long turns) {
  Lane& lane = motion(l);
  if (!stepper_.carries_tangent() || lane.run.period_rates.empty()) return;
  for (std::size_t c = 0; c < layout_.varied.size(); ++c)
    for (std::size_t i = 0; i < layout_.N(); ++i)
      stepper_.y(layout_.N() + layout_.tangent(i, layout_.state_columns + c), l) +=
          static_cast<double>(turns) * lane.run.period_rates[c] * stepper_.rate(i, l);
  refresh(l);
}

}  // namespace saltus
