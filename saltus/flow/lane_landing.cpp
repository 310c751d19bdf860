#include <algorithm>
#include <cmath>

#include "saltus/flow/lane_flow.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

// ---- decisions ----------------------------------------------------------------------------------------------------

/// What becomes of a trial, as far as its ends tell; where they do not, the lane is marked doubtful.
LaneFlow::Verdict LaneFlow::judge(std::size_t l) {
  Lane& lane = motion(l);
  errors_[l] = stepper_.error(l);
  const bool finite = std::isfinite(errors_[l]);
  if (!finite) return reject(l, Outcome::left_domain);
  if (!values_.mass_is_regular(l)) return reject(l, Outcome::singular_mass);
  if (const auto gap = trial(l).undefined_gap()) {
    lane.result.contacts = {*gap};
    return reject(l, Outcome::gap_undefined);
  }
  if (lane.in<Landing>()) return land(l);
  if (errors_[l] > 1.0) return reject(l, Outcome::step_too_small);
  if (const auto verdict = judge_unseen(l)) return *verdict;
  std::optional<std::pair<Guard, double>> ahead;  // the first crossing that the ends prove
  for (const Guard& guard : lane.guards) {
    if (exclusion_.is_proven(trial(l), guard)) continue;
    const Proof proof = exclusion_.proof_of(trial(l), guard);
    if (proof == Proof::clear) continue;
    if (proof == Proof::open && guard.is_multiplier() && lane.held) return shorten(l, 0.5);
    if (proof == Proof::open) doubtful_[l] = true;
    if (doubtful_[l]) continue;
    const double theta = trial(l).fall_of(guard);
    if (!ahead || theta < ahead->second) ahead = {guard, theta};
  }
  if (doubtful_[l]) return Verdict::retry;
  if (ahead) return head_for(l, ahead->first, ahead->second);
  return go_on(l);
}

/// A lane of which the ends do not prove everything.
LaneFlow::Verdict LaneFlow::judge_inside(std::size_t l) {
  const auto inside = exclusion_.first_inside(trial(l));
  // A flight that ends with the trial ends there, whatever the polynomial says about the last of it.
  for (const Guard& guard : motion(l).guards) {
    const auto beyond = trial(l).end_of_flight(guard);
    if (beyond && (!inside || inside->finding.place > 1.0 - 2.0 * landing_window) && trial(l).begins_open(guard))
      return head_for(l, guard, 1.0 + *beyond / stepper_.h(l));
  }
  return inside ? turn_to(l, *inside) : go_on(l);
}

/// What was found inside is looked at by true steps; what could not be decided makes the step shorter.
LaneFlow::Verdict LaneFlow::turn_to(std::size_t l, const LaneExclusion::Inside& inside) {
  Lane& lane = motion(l);
  const Finding& it = inside.finding;
  const double h = stepper_.h(l);
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
  return Verdict::retry;
}

/// Once more, over part of the trial: as it is, it could not be decided. In a very short time nothing gets anywhere.
LaneFlow::Verdict LaneFlow::shorten(std::size_t l, double part) {
  Lane& lane = motion(l);
  const double next = part * stepper_.h(l);
  if (next < 1e-12 * lane.point.natural_step) return go_on(l);
  lane.trial = next;
  lane.shortened = true;
  lane.phase = Free{};
  return Verdict::retry;
}

/// Nothing happens inside the trial: it is taken, unless a little more would end the flight that it aimed at.
LaneFlow::Verdict LaneFlow::go_on(std::size_t l) {
  Lane& lane = motion(l);
  const double h = stepper_.h(l);
  if (Aimed* const aimed = lane.in<Aimed>(); aimed && !aimed->corrected) {
    const auto more = distance_to_zero(values_.end_gap(aimed->contact, l));
    if (more && *more > 0.0 && *more < 0.25 * h) {
      *aimed = {aimed->contact, h + *more, true};
      return Verdict::retry;
    }
  }
  if (const auto root = root_ahead(l)) {
    const Verdict verdict = stand_on(l, root->guard, root->delta);
    if (Standing* const on = lane.in<Standing>()) on->before_root = on->guard.kind == Guard::Kind::switched;
    return verdict;
  }
  grow(l);
  write_down(l);
  return Verdict::accept;
}

/// A single crossing at θ: stand on it if the trial ends there, else go there by a true step.
LaneFlow::Verdict LaneFlow::head_for(std::size_t l, const Guard& guard, double theta) {
  Lane& lane = motion(l);
  const double h = stepper_.h(l);
  // Only a gap, whose second rate is known, is met by a short step beside the trial's end at first sight.
  if (guard.kind != Guard::Kind::gap || std::abs(theta - 1.0) > landing_window) {
    lane.phase = Landing{guard, false, StepRoot(0.0, h, theta * h)};
    return Verdict::retry;
  }
  if (lane.reaches_end() && theta > 1.0) return go_on(l);  // behind the end of the run
  return stand_on(l, guard, (theta - 1.0) * h);
}

/// A contact that was let go in this very instant and presses again at once: it stays closed.
LaneFlow::Verdict LaneFlow::keep_closed(std::size_t l, const Guard& guard) {
  Lane& lane = motion(l);
  lane.point.mode.close(guard.index);
  leave(l);
  enter(l);
  lane.phase = Free{};
  return Verdict::retry;
}

// ---- landing ------------------------------------------------------------------------------------------------------

/// A true step towards a guard has been made: go on, or stand on it.
LaneFlow::Verdict LaneFlow::land(std::size_t l) {
  Lane& lane = motion(l);
  Landing& landing = *lane.in<Landing>();
  const double r = stepper_.h(l);
  const EndJet now = trial(l).end(landing.guard);
  if (landing.on_minimum) return land_on_minimum(l, now);
  const Guard guard = landing.guard;
  if (!guard.is_multiplier()) {
    // Without a second rate the parabola is a line, and good from nearer only.
    const double window = (guard.kind == Guard::Kind::gap ? landing_window : 1e-8) * r;
    if (const auto beyond = distance_to_zero(now); beyond && std::abs(*beyond) <= window)
      return stand_on(l, guard, *beyond);
  }
  if (!landing.root.improve(now.value, now.rate, 0.5 * epsilon * r)) return Verdict::retry;
  const double size = trial(l).size_of(trial(l).begin(guard), now);
  const double close = guard.is_multiplier() ? 1e-6 * size : 10.0 * (options_.rtol * size + options_.atol);
  if (now.value > close) {
    // There is no zero: what looked like one from afar was the interpolation's. As far as this the step is a true one.
    lane.phase = Free{};
    lane.trial = r;
    lane.shortened = true;
    return Verdict::retry;
  }
  return stand_on(l, guard, 0.0);
}

LaneFlow::Verdict LaneFlow::land_on_minimum(std::size_t l, const EndJet& now) {
  Lane& lane = motion(l);
  Landing& landing = *lane.in<Landing>();
  const double r = stepper_.h(l);
  // Below zero already: the crossing lies before this point.
  const double depth_noise = 8.0 * epsilon * (1.0 + std::abs(landing.guard.offset) + std::abs(now.second) * r * r);
  if (now.value < -depth_noise) {
    const double back = now.second > 0.0 ? std::sqrt(2.0 * -now.value / now.second) : 0.5 * r;
    landing = Landing{landing.guard, false, StepRoot(0.0, r, std::max(r - back, 0.5 * r))};
    return Verdict::retry;
  }
  // The rate is negative before the minimum, positive after it: its negative falls through zero there.
  if (!landing.root.improve(-now.rate, -now.second, 1e-9 * r)) return Verdict::retry;
  const Guard guard = landing.guard;
  lane.phase = Passing{};
  // Relative to the gaps and speeds of the step: a sharp edge far away bends by much more than it is known.
  const double size = std::min(std::abs(now.second) * r * r, trial(l).size_of(trial(l).begin(guard), now));
  const double near = 10.0 * (options_.rtol * (1.0 + size) + options_.atol);
  lane.note_miss({guard.index, r, now.value, now.rate, near}, stepper_.state_in(stepper_.y_new_array(), l));
  write_down(l);
  return Verdict::accept;
}

/// The trial ends on the guard's zero, or so near that a short step beside it leads there.
LaneFlow::Verdict LaneFlow::stand_on(std::size_t l, const Guard& guard, double beyond) {
  Lane& lane = motion(l);
  if (trial(l).presses_again(guard)) return keep_closed(l, guard);
  if (trial(l).closes_flatly(guard)) {
    lane.result.contacts = {guard.index};
    lane.result.details = GapFault::no_normal;
    end(l, Outcome::gap_undefined);
    refill(l);
    return Verdict::retry;
  }
  if (const auto neighbour = trial(l).earlier_neighbour(guard, beyond))
    return stand_on(l, neighbour->gap, neighbour->beyond);
  if (const auto earlier = exclusion_.passed_on_the_way(trial(l), guard, beyond)) {
    lane.phase = *earlier;
    return Verdict::retry;
  }
  // Corrections below rounding would only add noise: the gap that is left is carried on.
  lane.phase = Standing{guard, std::abs(beyond) > 4.0 * epsilon * stepper_.h(l) ? beyond : 0.0};
  grow(l);
  write_down(l);
  return Verdict::accept;
}

/// The last short way of the chosen lanes to their instant.
void LaneFlow::step_beside(std::span<const bool> chosen) {
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) return;
  std::array<double, 8> delta{};
  for (std::size_t l = 0; l < lanes_.size(); ++l) delta[l] = chosen[l] ? motion(l).beyond() : 0.0;
  step_beside_(stepper_, delta);
  for (std::size_t l = 0; l < lanes_.size(); ++l)
    if (chosen[l]) motion(l).stand_at_instant();
}

}  // namespace saltus
