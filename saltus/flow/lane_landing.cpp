#include <algorithm>
#include <cmath>
#include <limits>

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
  if (layout_.mass_varies && !(end_values_[(layout_.event_outputs() - 1) * lanes_.size() + l] > 0.0))
    return reject(l, Outcome::singular_mass);
  if (const auto gap = undefined_gap(l, end_values_)) {
    lane.result.contacts = {*gap};
    return reject(l, Outcome::gap_undefined);
  }
  if (lane.in<Landing>()) return land(l);
  if (errors_[l] > 1.0) return reject(l, Outcome::step_too_small);
  if (const auto verdict = judge_unseen(l)) return *verdict;
  std::optional<std::pair<Guard, double>> ahead;  // the first crossing that the ends prove
  for (const Guard& guard : lane.guards) {
    const Proof proof = proof_of(l, guard);
    if (proof == Proof::clear) continue;
    if (proof == Proof::open && guard.is_multiplier() && lane.held) return shorten(l, 0.5);
    if (proof == Proof::open) doubtful_[l] = true;
    if (doubtful_[l]) continue;
    const double theta = fall_of(l, guard);
    if (!ahead || theta < ahead->second) ahead = {guard, theta};
  }
  if (doubtful_[l]) return Verdict::retry;
  if (ahead) return head_for(l, ahead->first, ahead->second);
  return go_on(l);
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

/// An open contact whose gap is not a number.
std::optional<std::size_t> LaneFlow::undefined_gap(std::size_t l, const LaneArray& values) const {
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (std::isnan(values[i * lanes_.size() + l]) && !motion(l).point.mode.is_closed(i)) return i;
  return std::nullopt;
}

/// Nothing happens inside the trial: it is taken, unless a little more would end the flight that it aimed at.
LaneFlow::Verdict LaneFlow::go_on(std::size_t l) {
  Lane& lane = motion(l);
  const double h = stepper_.h(l);
  if (Aimed* const aimed = lane.in<Aimed>(); aimed && !aimed->corrected) {
    const auto more = distance_to_zero(end_jet(l, {Guard::Kind::gap, aimed->contact}));
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
  follow_inside(l);
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

/// Over the whole step the gap is no larger than its own rounding, as it is just behind a release: its zeros and minima there mean nothing.
bool LaneFlow::is_noise(std::size_t l, const Guard& guard, double size) const {
  if (guard.kind != Guard::Kind::gap || size > 1e-10) return false;
  const ContactValue at = contact_at_start(l);
  double sum = 0.0;
  for (std::size_t k = 0; k < layout_.n; ++k)
    sum += std::abs(at.normal(index(guard.index), index(k)) * stepper_.y(k, l));
  return size <= 32.0 * epsilon * sum;
}

/// What rounding of the accelerations makes of a contact's force, λ = −(n·v̇ + κ)/G: all of it between bodies that move alike without
/// pressing.
double LaneFlow::rounding_of_force(std::size_t l, const Guard& guard) const {
  if (guard.kind != Guard::Kind::force) return 0.0;
  const ContactValue at = contact_at_start(l);
  const std::size_t n = layout_.n;
  double pushed = 0.0;
  for (std::size_t k = 0; k < n; ++k)
    pushed += std::abs(at.normal(index(guard.index), index(k))) *
              std::max(std::abs(stepper_.rate(n + k, l)), std::abs(stepper_.rate_new(n + k, l)));
  return 256.0 * epsilon * pushed / at.delassus(index(guard.index), index(guard.index));
}

ContactValue LaneFlow::contact_at_start(std::size_t l) const {
  const Lane& lane = motion(l);
  Vector x(index(layout_.N()));
  for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.y(i, l);
  return lane.mechanism->contact(lane.point.t.phase, x, lane.point.mode);
}

/// A gap that falls from the very instant in which it was dealt with: its contact was left at rest but for rounding. What is zero
/// again a while later has been open in the meantime.
bool LaneFlow::presses_again(std::size_t l, const Guard& guard) const {
  constexpr double at_once = 1e-6;  // of the natural step
  const Lane& lane = motion(l);
  return guard.kind == Guard::Kind::gap && lane.steps_since_event == 0 && lane.arrived &&
         stepper_.h(l) <= at_once * lane.point.natural_step && was_met(guard, *lane.arrived) &&
         begin_jet(l, guard).value <= 0.0 && begin_jet(l, guard).rate < 0.0;
}

/// A gap whose rate and second rate vanish where it closes, beside what they were on the way, like x³: it has no normal there.
bool LaneFlow::closes_flatly(std::size_t l, const Guard& guard) const {
  if (guard.kind != Guard::Kind::gap) return false;
  const EndJet end = end_jet(l, guard);
  const double size = size_of(l, begin_jet(l, guard), end);
  const double r = stepper_.h(l);
  return r * std::abs(end.rate) < 1e-8 * size && r * r * std::abs(end.second) < 1e-4 * size;
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
  const EndJet now = end_jet(l, landing.guard);
  if (landing.on_minimum) return land_on_minimum(l, now);
  const Guard guard = landing.guard;
  if (!guard.is_multiplier()) {
    // Without a second rate the parabola is a line, and good from nearer only.
    const double window = (guard.kind == Guard::Kind::gap ? landing_window : 1e-8) * r;
    if (const auto beyond = distance_to_zero(now); beyond && std::abs(*beyond) <= window)
      return stand_on(l, guard, *beyond);
  }
  if (!landing.root.improve(now.value, now.rate, 0.5 * epsilon * r)) return Verdict::retry;
  const double size = size_of(l, begin_jet(l, guard), now);
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

/// A gap that was open at the start of the step, or left zero there, and is closed where a true step has led: its zero was
/// thought to lie behind.
std::optional<Landing> LaneFlow::passed_on_the_way(std::size_t l, const Guard& landed) const {
  const double r = stepper_.h(l);
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const Guard gap{Guard::Kind::gap, i};
    if (motion(l).point.mode.is_closed(i) || (landed.kind == Guard::Kind::gap && landed.index == i)) continue;
    const EndJet begin = begin_jet(l, gap);
    const EndJet now = end_jet(l, gap);
    const double noise = 1e-13 * (1.0 + std::abs(r * now.rate));
    if (now.value >= -noise || (begin.value <= noise && begin.rate <= 0.0)) continue;
    const auto distance = distance_to_zero(now);
    if (distance && std::abs(*distance) <= landing_window * r) continue;  // not before the guard: no earlier neighbour
    const double guess = begin.value > noise ? r * begin.value / (begin.value - now.value)
                                             : std::min(next_fall(begin).value_or(0.5 * r), 0.999 * r);
    return Landing{gap, false, StepRoot(0.0, r, guess)};
  }
  return std::nullopt;
}

/// Another gap that closes between the end of the trial and the zero of the guard, or just before both.
std::optional<LaneFlow::Neighbour> LaneFlow::earlier_neighbour(std::size_t l, const Guard& guard, double beyond) const {
  const double r = stepper_.h(l);
  std::optional<Neighbour> first;
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const Guard gap{Guard::Kind::gap, i};
    if (motion(l).point.mode.is_closed(i) || (guard.kind == Guard::Kind::gap && guard.index == i)) continue;
    const EndJet begin = begin_jet(l, gap);
    const double noise = 1e-13 * (1.0 + std::abs(r * begin.rate));
    if (begin.value <= noise && begin.rate <= 0.0) continue;
    const auto distance = distance_to_zero(end_jet(l, gap));
    if (!distance || std::abs(*distance) > landing_window * r || *distance >= (first ? first->beyond : beyond))
      continue;
    first = Neighbour{gap, *distance};
  }
  return first;
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
  const double size = std::min(std::abs(now.second) * r * r, size_of(l, begin_jet(l, guard), now));
  const double near = 10.0 * (options_.rtol * (1.0 + size) + options_.atol);
  lane.note_miss({guard.index, r, now.value, now.rate, near}, end_state(l));
  follow_inside(l);
  return Verdict::accept;
}

Vector LaneFlow::end_state(std::size_t l) const {
  Vector x(index(layout_.N()));
  for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.y_new(i, l);
  return x;
}

/// The trial ends on the guard's zero, or so near that a short step beside it leads there.
LaneFlow::Verdict LaneFlow::stand_on(std::size_t l, const Guard& guard, double beyond) {
  Lane& lane = motion(l);
  if (presses_again(l, guard)) return keep_closed(l, guard);
  if (closes_flatly(l, guard)) {
    lane.result.contacts = {guard.index};
    lane.result.details = GapFault::no_normal;
    end(l, Outcome::gap_undefined);
    refill(l);
    return Verdict::retry;
  }
  if (const auto neighbour = earlier_neighbour(l, guard, beyond)) return stand_on(l, neighbour->gap, neighbour->beyond);
  if (const auto earlier = passed_on_the_way(l, guard)) {
    lane.phase = *earlier;
    return Verdict::retry;
  }
  // Corrections below rounding would only add noise: the gap that is left is carried on.
  lane.phase = Standing{guard, std::abs(beyond) > 4.0 * epsilon * stepper_.h(l) ? beyond : 0.0};
  grow(l);
  follow_inside(l);
  return Verdict::accept;
}

/// y(t − δ) → y(t) of the chosen lanes, which stand δ = `beyond` before their time, |δ| ≤ landing_window h, by the midpoint rule;
/// its error, of third order in δ, is below rounding.
void LaneFlow::step_beside(std::span<const bool> chosen) {
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) return;
  const std::size_t width = lanes_.size();
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  const std::size_t C = stepper_.carries_tangent() ? layout_.columns() : 0;
  std::array<double, 8> delta{};
  std::array<double, 8> t{};
  for (std::size_t l = 0; l < width; ++l) {
    delta[l] = chosen[l] ? motion(l).beyond() : 0.0;
    t[l] = stepper_.t(l) - 0.5 * delta[l];
  }
  // The rates of component i; δq̇ = δv stands among the values.
  const auto rates_of = [&](std::size_t i, const double* values, const double* rates) {
    if (i < N) return rates + i * width;
    return i < N + n * C ? values + (i + n * C) * width : rates + (i - n * C) * width;
  };
  for (std::size_t i = 0; i < stepper_.components(); ++i) {
    const double* const rates = rates_of(i, stepper_.y_array(), stepper_.rate_array());
    for (std::size_t l = 0; l < width; ++l) middle_[i * width + l] = stepper_.y(i, l) + 0.5 * delta[l] * rates[l];
  }
  stepper_.evaluate(t.data(), middle_.data(), middle_rate_.data());
  for (std::size_t i = 0; i < stepper_.components(); ++i) {
    const double* const rates = rates_of(i, middle_.data(), middle_rate_.data());
    for (std::size_t l = 0; l < width; ++l)
      if (chosen[l]) stepper_.y(i, l) += delta[l] * rates[l];
  }
  // The state's rate there; what comes next computes all others anew.
  stepper_.evaluate_state(stepper_.t_array(), stepper_.y_array(), middle_rate_.data());
  for (std::size_t l = 0; l < width; ++l) {
    if (!chosen[l]) continue;
    motion(l).stand_at_instant();
    for (std::size_t i = 0; i < N; ++i) stepper_.rate(i, l) = middle_rate_[i * width + l];
  }
}

}  // namespace saltus
