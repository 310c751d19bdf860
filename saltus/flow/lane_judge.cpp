#include "saltus/flow/lane_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/flow/lane_interior.hpp"
#include "saltus/flow/lane_roots.hpp"

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr LaneJudge::Verdict again{LaneJudge::Kind::again}, taken{LaneJudge::Kind::taken};

}  // namespace

LaneJudge::LaneJudge(const Kernels& kernels, const FlowOptions& options, LaneRow& row)
    : options_(options),
      layout_(kernels.layout()),
      row_(row),
      exclusion_(kernels, options, row.stepper(), row.values()),
      unseen_(UnseenForce::of(kernels, static_cast<unsigned>(row.width()))) {}

void LaneJudge::look(const LaneExclusion::SlidingModes* sliding) {
  unseen_looked_ = false;
  exclusion_.bound(sliding);
}

// ---- decisions ----------------------------------------------------------------------------------------------------

std::optional<LaneJudge::Verdict> LaneJudge::judge(std::size_t l) {
  Lane& lane = row_[l];
  const LaneTrial trial = row_.trial(l);
  const double error = row_.stepper().error(l);
  if (!std::isfinite(error)) return reject(l, Outcome::left_domain);
  if (!row_.values().mass_is_regular(l)) return reject(l, Outcome::singular_mass);
  if (const auto gap = trial.undefined_gap()) {
    lane.result.contacts = {*gap};
    return reject(l, Outcome::gap_undefined);
  }
  if (lane.in<Landing>()) return land(l);
  if (error > 1.0) return reject(l, Outcome::step_too_small);
  if (const auto verdict = judge_unseen(l)) return verdict;
  if (const auto verdict = shorten_to_hold(l)) return verdict;
  std::optional<std::pair<Guard, double>> ahead;  // the first crossing that the ends prove
  bool doubtful = false;
  for (const Guard& guard : lane.guards) {
    if (exclusion_.is_proven(trial, guard) || (lane.end_of_hold && guard.is_multiplier())) continue;
    const Proof proof = exclusion_.proof_of(trial, guard);
    if (proof == Proof::clear) continue;
    if (proof == Proof::open && guard.is_multiplier() && lane.held) return shorten(l, 0.5);
    doubtful = doubtful || proof == Proof::open;
    if (doubtful) continue;
    const double theta = trial.fall_of(guard);
    if (!ahead || theta < ahead->second) ahead = {guard, theta};
  }
  if (doubtful) return std::nullopt;
  if (ahead) return head_for(l, ahead->first, ahead->second);
  return end_clear(l);
}

/// What several switches hold is let go inside the trial, or it is not known of all of it that they hold: once more, to where that is, so
/// that nothing else is looked for behind it.
std::optional<LaneJudge::Verdict> LaneJudge::shorten_to_hold(std::size_t l) {
  constexpr double little = 1e-6;
  Lane& lane = row_[l];
  lane.end_of_hold.reset();
  if (!lane.held) return std::nullopt;
  lane.end_of_hold = exclusion_.end_of_hold(row_.trial(l));
  if (!lane.end_of_hold || lane.end_of_hold->kind == HeldBounds::Finding::Kind::none) return std::nullopt;
  const HeldBounds::Finding& end = *lane.end_of_hold;
  if (end.kind == HeldBounds::Finding::Kind::open) return shorten(l, end.lower > 0.0 ? end.lower : 0.125);
  if (end.lower > 1.0 - 10.0 * little) return std::nullopt;
  lane.trial = end.upper * (1.0 + little) * row_.stepper().h(l);
  lane.shortened = true;
  lane.phase = Free{};
  return again;
}

/// Nothing happens inside the trial, but what is held may be let go at its end.
LaneJudge::Verdict LaneJudge::end_clear(std::size_t l) {
  Lane& lane = row_[l];
  if (!lane.end_of_hold || lane.end_of_hold->kind != HeldBounds::Finding::Kind::crossing) return go_on(l);
  const auto ends_it = [&](const Guard& guard) {
    if (lane.end_of_hold->contact) return guard.kind == Guard::Kind::force && guard.index == *lane.end_of_hold->contact;
    return guard.kind == Guard::Kind::weight;
  };
  const auto guard = std::find_if(lane.guards.begin(), lane.guards.end(), ends_it);
  const double h = row_.stepper().h(l);
  const double middle = 0.5 * (lane.end_of_hold->lower + lane.end_of_hold->upper);
  lane.phase =
      Landing{*guard, false, StepRoot(0.0, std::min(1.0, lane.end_of_hold->upper * (1.0 + 1e-9)) * h, middle * h)};
  return again;
}

LaneJudge::Cruising LaneJudge::judge_all(const LaneCruise& cruise) {
  if (cruise.lanes().empty()) return {};
  const double* const errors = row_.stepper().errors();
  const LaneSet regular = cruise.lanes() & row_.values().with_regular_mass();
  const LaneSet exact = lanes_where(row_.width(), [&](std::size_t l) { return errors[l] <= 1.0; });
  Cruising result;
  result.inexact = regular - exact;
  if (!result.inexact.empty()) {
    const LaneSet finite = lanes_where(row_.width(), [&](std::size_t l) { return std::isfinite(errors[l]); });
    result.inexact = result.inexact & finite & row_.values().with_known_gaps();
  }
  const LaneSet just_met = regular & exact & cruise.just_met();
  const LaneSet sliding = (regular & exact & cruise.sliding()) - just_met;
  LaneSet clear = ((regular & exact) - just_met - sliding) & exclusion_.with_open_gaps();
  for (const std::size_t l : sliding) clear.set(l, exclusion_.all_proven(l, cruise.closed(l)));
  for (const std::size_t l : just_met - cruise.sliding()) clear.set(l, exclusion_.all_gaps_clear(row_.trial(l)));
  if (unseen_ && !clear.empty()) {
    look_for_unseen();
    for (const std::size_t l : clear) clear.set(l, unseen_->shows_all(l));
  }
  result.undisturbed = clear;
  return result;
}

/// A shorter step, or the end of the run if there is none.
LaneJudge::Verdict LaneJudge::reject(std::size_t l, Outcome reason) {
  Lane& lane = row_[l];
  const LaneStepper& stepper = row_.stepper();
  ++lane.result.ledger.rejected;
  const bool by_error = reason == Outcome::step_too_small;
  lane.trial =
      stepper.h(l) * lane.control.shrink(by_error ? stepper.error(l) : std::numeric_limits<double>::infinity());
  if (by_error && !lane.in<Aimed>()) lane.point.natural_step = std::min(lane.point.natural_step, lane.trial);
  if (reason != Outcome::gap_undefined) lane.result.contacts.clear();
  return end_if_still(l, reason);
}

/// Once more, with a trial that is shorter by now, if it moves at all.
LaneJudge::Verdict LaneJudge::end_if_still(std::size_t l, Outcome reason) {
  Lane& lane = row_[l];
  lane.phase = Free{};
  if (StepControl::moves(lane.trial, row_.stepper().t(l))) return again;
  return {Kind::ended, reason};
}

void LaneJudge::look_for_unseen() {
  if (!std::exchange(unseen_looked_, true)) unseen_->look(row_.stepper());
}

/// A shorter trial where the motion may have met a force that this one did not see.
std::optional<LaneJudge::Verdict> LaneJudge::judge_unseen(std::size_t l) {
  LaneStepper& stepper = row_.stepper();
  if (!unseen_ || stepper.h(l) == 0.0) return std::nullopt;
  // Nothing is analytic on a surface with a root; what is held there knows the force without it.
  if (row_[l].held && row_[l].mechanism->has_roots()) return std::nullopt;
  look_for_unseen();
  if (unseen_->shows_all(l)) return std::nullopt;
  stepper.prepare_dense();
  // On the way to a rest the steps know more than the run asks for.
  const double rtol = std::exchange(stepper.rtol(l), row_[l].to_rest ? options_.rtol : stepper.rtol(l));
  const double atol = std::exchange(stepper.atol(l), row_[l].to_rest ? options_.atol : stepper.atol(l));
  const auto unseen = unseen_->first_unseen(
      stepper, l, [&](double t, const double* x, double* rate) { row_.field(l, t, x, rate, false); });
  stepper.rtol(l) = rtol;
  stepper.atol(l) = atol;
  if (!unseen) return std::nullopt;
  Lane& lane = row_[l];
  ++lane.result.ledger.rejected;
  lane.trial = part_to_try(*unseen) * stepper.h(l);
  // Before it the motion goes on as it was; inside, as long as the force is narrow.
  if (lies_ahead(*unseen)) lane.shortened = true;
  else lane.point.natural_step = std::min(lane.point.natural_step, lane.trial);
  return end_if_still(l, Outcome::step_too_small);
}

LaneJudge::Verdict LaneJudge::judge_inside(std::size_t l) {
  const auto inside = exclusion_.first_inside(row_.trial(l));
  // A flight that ends with the trial ends there, whatever the polynomial says about the last of it.
  for (const Guard& guard : row_[l].guards) {
    const auto beyond = row_.trial(l).end_of_flight(guard);
    if (beyond && (!inside || inside->finding.place > 1.0 - 2.0 * landing_window) && row_.trial(l).begins_open(guard))
      return head_for(l, guard, 1.0 + *beyond / row_.stepper().h(l));
  }
  return inside ? turn_to(l, *inside) : end_clear(l);
}

/// What was found inside is looked at by true steps; what could not be decided makes the step shorter.
LaneJudge::Verdict LaneJudge::turn_to(std::size_t l, const LaneExclusion::Inside& inside) {
  Lane& lane = row_[l];
  const Finding& it = inside.finding;
  const double h = row_.stepper().h(l);
  if (it.kind == Finding::Kind::immediate) return keep_closed(l, inside.guard);
  if (it.kind == Finding::Kind::undecided) return shorten(l, it.lower > 0.0 ? it.lower : 0.125);
  if (it.kind == Finding::Kind::undefined) {
    lane.result.contacts = {inside.guard.index};
    if (it.lower * h > 1e-9 * lane.point.natural_step) return shorten(l, it.lower);
    return reject(l, Outcome::gap_undefined);
  }
  const bool minimum = it.kind == Finding::Kind::near_zero;
  const bool from_start = inside.begins_above && !minimum && inside.guard.kind != Guard::Kind::surface;
  const double lower = from_start ? 0.0 : it.lower * h;
  const double upper = std::min(1.0, it.upper * (1.0 + 1e-9)) * h;
  lane.phase = Landing{inside.guard, minimum, StepRoot(lower, upper, std::max(it.place, 1e-3 * it.upper) * h)};
  return again;
}

/// Once more, over part of the trial: as it is, it could not be decided. In a very short time nothing gets anywhere.
LaneJudge::Verdict LaneJudge::shorten(std::size_t l, double part) {
  Lane& lane = row_[l];
  const double next = part * row_.stepper().h(l);
  // At rest the natural step is as long as it likes.
  const double lasts = std::abs(row_.stepper().t(l)) + lane.flown + row_.stepper().h(l);
  if (next < 1e-12 * std::min(lane.point.natural_step, lasts)) return go_on(l);
  lane.trial = next;
  lane.shortened = true;
  lane.phase = Free{};
  return again;
}

/// Nothing happens inside the trial: it is taken, unless a little more would end the flight that it aimed at.
LaneJudge::Verdict LaneJudge::go_on(std::size_t l) {
  Lane& lane = row_[l];
  const double h = row_.stepper().h(l);
  if (Aimed* const aimed = lane.in<Aimed>(); aimed && !aimed->corrected) {
    const auto more = distance_to_zero(row_.values().end_gap(aimed->contact, l));
    if (more && *more > 0.0 && *more < 0.25 * h) {
      *aimed = {aimed->contact, h + *more, true};
      return again;
    }
  }
  if (const auto rest = rest_ahead(row_, l)) {
    lane.point.recent.note_rest(rest->delta);
    return stand_on(l, rest->guard, 0.0);
  }
  if (const auto root = root_ahead(row_, l)) {
    const Verdict verdict = stand_on(l, root->guard, root->delta);
    if (Standing* const on = lane.in<Standing>()) on->before_root = on->guard.kind == Guard::Kind::switched;
    return verdict;
  }
  grow(l);
  write_down(l);
  return taken;
}

/// A single crossing at θ: stand on it if the trial ends there, else go there by a true step.
LaneJudge::Verdict LaneJudge::head_for(std::size_t l, const Guard& guard, double theta) {
  Lane& lane = row_[l];
  const double h = row_.stepper().h(l);
  // Only a gap, whose second rate is known, is met by a short step beside the trial's end at first sight.
  if (guard.kind != Guard::Kind::gap || std::abs(theta - 1.0) > landing_window) {
    lane.phase = Landing{guard, false, StepRoot(0.0, h, theta * h)};
    return again;
  }
  if (lane.reaches_end() && theta > 1.0) return go_on(l);  // behind the end of the run
  return stand_on(l, guard, (theta - 1.0) * h);
}

/// A contact that was let go in this very instant and presses again at once: it stays closed.
LaneJudge::Verdict LaneJudge::keep_closed(std::size_t l, const Guard& guard) {
  Lane& lane = row_[l];
  lane.point.mode.close(guard.index);
  return {Kind::in_new_mode};
}

// ---- landing ------------------------------------------------------------------------------------------------------

/// A true step towards a guard has been made: go on, or stand on it.
LaneJudge::Verdict LaneJudge::land(std::size_t l) {
  Lane& lane = row_[l];
  Landing& landing = *lane.in<Landing>();
  const double r = row_.stepper().h(l);
  const EndJet now = row_.trial(l).end(landing.guard);
  if (landing.on_minimum) return land_on_minimum(l, now);
  const Guard guard = landing.guard;
  if (!guard.is_multiplier()) {
    // Without a second rate the parabola is a line, and good from nearer only.
    const double window = (guard.kind == Guard::Kind::gap ? landing_window : 1e-8) * r;
    if (const auto beyond = distance_to_zero(now); beyond && std::abs(*beyond) <= window)
      return stand_on(l, guard, *beyond);
  }
  if (!landing.root.improve(now.value, now.rate, 0.5 * epsilon * r)) return again;
  const double size = row_.trial(l).size_of(row_.trial(l).begin(guard), now);
  const double close = guard.is_multiplier() ? 1e-6 * size : 10.0 * (options_.rtol * size + options_.atol);
  if (now.value > close) {
    // There is no zero: what looked like one from afar was the interpolation's. As far as this the step is a true one.
    lane.phase = Free{};
    lane.trial = r;
    lane.shortened = true;
    return again;
  }
  return stand_on(l, guard, 0.0);
}

LaneJudge::Verdict LaneJudge::land_on_minimum(std::size_t l, const EndJet& now) {
  Lane& lane = row_[l];
  Landing& landing = *lane.in<Landing>();
  const double r = row_.stepper().h(l);
  // Below zero already: the crossing lies before this point.
  const double known = row_.values().size(landing.guard, l);
  const double depth_noise = 8.0 * epsilon * (known + std::abs(landing.guard.offset) + std::abs(now.second) * r * r);
  if (now.value < -depth_noise) {
    const double back = now.second > 0.0 ? std::sqrt(2.0 * -now.value / now.second) : 0.5 * r;
    landing = Landing{landing.guard, false, StepRoot(0.0, r, std::max(r - back, 0.5 * r))};
    return again;
  }
  // The rate is negative before the minimum, positive after it: its negative falls through zero there.
  if (!landing.root.improve(-now.rate, -now.second, 1e-9 * r)) return again;
  const Guard guard = landing.guard;
  lane.phase = Passing{};
  // Relative to the gaps and speeds of the step: a sharp edge far away bends by much more than it is known.
  const double size = std::min(std::abs(now.second) * r * r, row_.trial(l).size_of(row_.trial(l).begin(guard), now));
  const double near = 10.0 * (options_.rtol * (known + size) + options_.atol);
  lane.note_miss({guard.index, r, now.value, now.rate, near}, row_.stepper().state_in(row_.stepper().y_new_array(), l));
  write_down(l);
  return taken;
}

/// The trial ends on the guard's zero, or so near that a short step beside it leads there.
LaneJudge::Verdict LaneJudge::stand_on(std::size_t l, const Guard& guard, double beyond) {
  Lane& lane = row_[l];
  if (row_.trial(l).presses_again(guard)) return keep_closed(l, guard);
  if (row_.trial(l).closes_flatly(guard)) {
    lane.result.contacts = {guard.index};
    lane.result.details = GapFault::no_normal;
    return {Kind::ended, Outcome::gap_undefined};
  }
  if (const auto neighbour = row_.trial(l).earlier_neighbour(guard, beyond))
    return stand_on(l, neighbour->gap, neighbour->beyond);
  // Any of them may be met before the others: where that many were turned to, those that are left differ by rounding.
  const Landing* const landing = lane.in<Landing>();
  const std::size_t turns = landing ? landing->turns : 0;
  if (turns < lane.guards.size()) {
    if (auto earlier = exclusion_.passed_on_the_way(row_.trial(l), guard, beyond)) {
      earlier->turns = turns + 1;
      lane.phase = *earlier;
      return again;
    }
  }
  // Corrections below rounding would only add noise: the gap that is left is carried on.
  lane.phase = Standing{guard, std::abs(beyond) > 4.0 * epsilon * row_.stepper().h(l) ? beyond : 0.0};
  grow(l);
  write_down(l);
  return taken;
}

// ---- what a trial leaves behind -----------------------------------------------------------------------------------

/// A step cut short by the end of the run or by an event says nothing about the natural step.
void LaneJudge::grow(std::size_t l) {
  Lane& lane = row_[l];
  const double next = row_.stepper().h(l) * lane.control.grow(row_.stepper().error(l));
  const bool whole = lane.in<Free>() && !lane.in<Free>()->to_end && !lane.shortened;
  const bool cut = !whole && next < lane.point.natural_step;
  lane.shortened = false;
  const double longest = longest_natural_step(options_, lane.run.period, lane.point.t.phase);
  if (!cut) lane.point.natural_step = std::min(next, longest);
}

/// A trial that will be taken: what the books and the run want of it.
void LaneJudge::write_down(std::size_t l) {
  Lane& lane = row_[l];
  const double h = row_.stepper().h(l) + lane.beyond();
  if (h == 0.0) return;
  for (std::size_t i = 0; i < layout_.contacts && lane.run.bound_gaps && h > 0.0; ++i) {
    if (!lane.is_gap_watched(i)) continue;
    const LowestValues lowest = exclusion_.lowest_of(row_.trial(l), i);
    lane.note_depth(-lowest.anywhere);
    lane.note_lowest(i, lowest.at_minima);
  }
  LaneInterior(row_.stepper(), lane, l).follow();
}

}  // namespace saltus
