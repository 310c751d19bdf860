#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/lane_flow.hpp"

// What is proven of the event functions of a step: over the whole of it by its ends, in pieces by its dense output.

namespace saltus {

/// Bounds of all second rates over the trials: boxes of q, q̇, q̈ (and v, v̇, v̈) along the quintics that the ends give; and which gaps
/// they prove clear. For all lanes at once.
void LaneFlow::bound_bends() {
  if (event_count_ == 0) return;
  const std::size_t width = lanes_.size();
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  for (std::size_t l = 0; l < width; ++l) {
    const double h = stepper_.h(l);
    box_t_[l] = stepper_.t(l) + 0.5 * h;
    box_t_[width + l] = 0.5 * h;
    proof_scalars_[l] = h;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t q = i * width;
    const std::size_t v = (n + i) * width;
    const double* const ends[] = {stepper_.y_array() + q,     stepper_.y_array() + v,
                                  stepper_.rate_array() + v,  stepper_.y_new_array() + q,
                                  stepper_.y_new_array() + v, stepper_.rate_new_array() + v};
    double* const x = box_x_.data() + 2 * q;
    double* const rate = box_X_.data() + 2 * q;
    double* const jerk = box_X_.data() + 2 * (N * width + v);
    double* const second = box_X_.data() + 2 * (N * width + q);
    double* const boxes[] = {x, x + width, rate, rate + width, second, second + width, jerk, jerk + width};
    stepper_.loops().boxes(ends, stepper_.h_array(), boxes, nullptr, 1);
  }
  // v is q̇, and v̇ is q̈.
  std::copy_n(box_X_.data(), 2 * n * width, box_x_.data() + 2 * n * width);
  std::copy_n(box_X_.data() + 2 * N * width, 2 * n * width, box_X_.data() + 2 * n * width);
  stepper_.functions().event_bends(box_t_.data(), box_x_.data(), stepper_.p_array(), stepper_.mode_array(),
                                   box_X_.data(), bends_.data());
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const double* const begin = begin_values_.data() + i * width;
    const double* const end = end_values_.data() + i * width;
    const double* const bend = bends_.data() + 2 * i * width;
    const std::size_t rows = event_count_ * width;
    const double* const streams[] = {begin, begin + rows, end, end + rows, end + 2 * rows, bend, bend + width};
    double* const out[] = {proven_.data() + i * width};
    stepper_.loops().proven(streams, proof_scalars_.data(), out, nullptr, 1);
  }
}

/// Rates of the forces and weights over the trials, along the same curves.
void LaneFlow::bound_multipliers() {
  const std::size_t width = lanes_.size();
  const auto wants = [&](std::size_t l) {
    return takes_part(l) && motion(l).masked && !motion(l).held && !motion(l).in<Landing>();
  };
  bool wanted = false;
  for (std::size_t l = 0; l < width; ++l) wanted = wanted || wants(l);
  if (!wanted) return;
  const std::size_t columns = layout_.contacts + layout_.switches;
  if (!inverse_dynamics_) {
    inverse_dynamics_ = kernels_.inverse_dynamics_bounds(static_cast<unsigned>(width));
    dynamics_.resize(2 * InverseDynamicsLayout(layout_).size() * width);
    multiplier_bounds_.resize(columns * width);
  }
  bound_deviations();
  inverse_dynamics_(box_t_.data(), box_x_.data(), stepper_.p_array(), stepper_.mode_array(), box_X_.data(),
                    dynamics_.data());
  for (std::size_t l = 0; l < width; ++l) {
    if (!wants(l)) continue;
    multipliers_.choose(motion(l).point.mode);
    const auto bounds = multipliers_.solve(dynamics_.data() + l, width);
    std::copy(bounds.begin(), bounds.end(), multiplier_bounds_.begin() + static_cast<std::ptrdiff_t>(l * columns));
  }
}

/// How far the accelerations of the true motions may be from those of the quintics. An error of θ³(1 − θ)³ in q is 24 times as large,
/// over h², in q̈.
void LaneFlow::bound_deviations() {
  const std::size_t width = lanes_.size();
  const std::size_t n = layout_.n;
  for (std::size_t i = 0; i < n; ++i) {
    double* const deviation = box_X_.data() + 2 * (2 * layout_.N() + n + i) * width;
    for (std::size_t l = 0; l < width; ++l) {
      const double h = stepper_.h(l);
      const double q = std::max(std::abs(stepper_.y(i, l)), std::abs(stepper_.y_new(i, l)));
      const double v = std::max(std::abs(stepper_.y(n + i, l)), std::abs(stepper_.y_new(n + i, l)));
      deviation[l] = 240.0 * (quintic_error_ * std::max(q, h * v) + options_.atol) / (h * h);
      deviation[width + l] = 0.0;
    }
  }
}

/// max |g| and h |ġ| at both ends: what errors are relative to.
double LaneFlow::size_of(std::size_t l, const EndJet& begin, const EndJet& end) const {
  const double h = stepper_.h(l);
  return std::max(std::max(std::abs(begin.value), std::abs(end.value)),
                  h * std::max(std::abs(begin.rate), std::abs(end.rate)));
}

/// What the ends of the trial and the bound of g̈ say. The quintic's error is about rtol^¾ of the sizes.
Proof LaneFlow::proof_of(std::size_t l, const Guard& guard) const {
  if (!(stepper_.h(l) > 0.0)) return Proof::clear;  // the end of the run lies behind, by rounding
  if (guard.is_multiplier()) return motion(l).held ? look_at_stages(l, guard) : proof_of_multiplier(l, guard);
  const EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const double h = stepper_.h(l);
  const double* const bend = bends_.data() + 2 * row_of(guard) * lanes_.size() + l;
  const double c = guard.sign * bend[0];
  const double r = bend[lanes_.size()];
  const double margin = 10.0 * (quintic_error_ * size_of(l, begin, end) + options_.atol);
  return proof_by_ends(begin, end, h, {c - r, c + r}, margin, beginning_of(l, guard, begin, end),
                       end_of_flight(l, guard).has_value());
}

/// The same of a force or a weight: its rate is bounded.
Proof LaneFlow::proof_of_multiplier(std::size_t l, const Guard& guard) const {
  const EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const MultiplierBounds::Bound& bound = multiplier_bounds_[l * (layout_.contacts + layout_.switches) + row_of(guard)];
  const double c = guard.sign * bound.rate.c;
  const double margin = bound.reach + 10.0 * (options_.rtol * size_of(l, begin, end) + options_.atol);
  return proof_by_rates(begin.value, end.value, stepper_.h(l), {c - bound.rate.r, c + bound.rate.r}, margin,
                        beginning_of(l, guard, begin, end));
}

/// The same where several switches hold the motion. What their hull does is known point by point only: a step is taken if at all its
/// stages the guard is further from zero than it varies, or nowhere smaller than at its ends; others are halved.
Proof LaneFlow::look_at_stages(std::size_t l, const Guard& guard) const {
  const double begin = begin_jet(l, guard).value;
  const double end = end_jet(l, guard).value;
  const auto [least, largest] = stepper_.multiplier(row_of(guard), l);
  const double lowest = guard.sign > 0.0 ? least - guard.offset : guard.offset - largest;
  if (lowest > 0.25 * (largest - least)) return Proof::clear;
  if (end <= 0.0) return begin > 0.0 ? Proof::single : Proof::clear;
  return lowest >= std::min(begin, end) ? Proof::clear : Proof::open;
}

/// What is looked for of a guard that the ends left open.
Sought LaneFlow::sought_of(std::size_t l, const Guard& guard) const {
  const Lane& lane = motion(l);
  const EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const double tolerance = options_.rtol * size_of(l, begin, end) + options_.atol;
  Sought it{row_of(guard), guard.sign, guard.offset, beginning_of(l, guard, begin, end)};
  it.margin = 10.0 * tolerance;
  it.near = 100.0 * tolerance;
  it.is_gap = guard.kind == Guard::Kind::gap;
  it.of_rates = guard.is_multiplier();
  it.begins_at_minimum = lane.after_minimum;
  it.may_press = it.is_gap && lane.steps_since_event == 0 && end.value < -it.near;
  const double start = it.beginning == Beginning::away ? begin.value : begin.rate;
  it.side = start < 0.0 && (guard.kind == Guard::Kind::surface || it.beginning == Beginning::away) ? -1 : 1;
  it.begin = begin;
  it.end = end;
  return it;
}

/// The dense output as the curve that is bounded; with forces and weights if they are wanted, which know its rates: these may be off
/// by some hundred tolerances of the velocities over h.
void LaneFlow::lay_curve(std::size_t l, bool with_multipliers) {
  make_dense();
  const double h = stepper_.h(l);
  const std::size_t N = layout_.N();
  curve_->set(stepper_.t(l), h, stepper_.p_array() + l, stepper_.mode_array() + l, lanes_.size());
  std::vector<double>& coefficients = curve_->coefficients(LaneStepper::dense_degree);
  for (std::size_t i = 0; i < N; ++i) {
    const auto c = stepper_.dense_polynomial(i, l);
    for (std::size_t k = 0; k < c.size(); ++k) coefficients[k * N + i] = c[k];
  }
  if (!with_multipliers) return;
  std::vector<double> delta;
  for (std::size_t i = 0; i < N; ++i) {
    const double size = std::max(std::abs(stepper_.y(i, l)), std::abs(stepper_.y_new(i, l)));
    delta.push_back(100.0 * (options_.rtol * size + options_.atol) / h);
  }
  curve_->add_multipliers(motion(l).point.mode, delta);
}

/// Everything that the ends left open, by the dense output.
std::optional<LaneFlow::Inside> LaneFlow::first_inside(std::size_t l) {
  if (!(stepper_.h(l) > 0.0)) return std::nullopt;
  std::vector<Sought> sought;
  std::vector<const Guard*> guards;
  bool multipliers = false;
  for (const Guard& guard : motion(l).guards) {
    if (proof_of(l, guard) == Proof::clear || (guard.is_multiplier() && motion(l).held)) continue;
    const Sought it = sought_of(l, guard);
    if (is_noise(l, guard, std::max(std::abs(it.begin->value), std::abs(it.end->value)))) continue;
    if (guard.kind == Guard::Kind::force) {
      // At all stages nothing but rounding, as between bodies that move alike without pressing: no bound could tell it from zero.
      const auto [least, largest] = stepper_.multiplier(row_of(guard), l);
      if (std::max(std::abs(least), std::abs(largest)) <= rounding_of_force(l, guard)) continue;
    }
    sought.push_back(it);
    guards.push_back(&guard);
    multipliers = multipliers || guard.is_multiplier();
  }
  if (sought.empty()) return std::nullopt;
  lay_curve(l, multipliers);
  if (multipliers) {
    const std::vector<double> reaches = curve_->reaches();
    for (std::size_t s = 0; s < sought.size(); ++s) {
      if (!guards[s]->is_multiplier()) continue;
      const std::size_t u = row_of(*guards[s]);
      sought[s].row = curve_->row_of_multiplier(u);
      sought[s].margin += reaches[u] + rounding_of_force(l, *guards[s]);
      sought[s].near = 10.0 * sought[s].margin;
    }
  }
  const auto finding = EventSearch(*curve_).first(sought, stepper_.h(l));
  if (!finding) return std::nullopt;
  return Inside{*finding, *guards[finding->sought], sought[finding->sought].side > 0};
}

/// A lane of which the ends do not prove everything.
LaneFlow::Verdict LaneFlow::judge_inside(std::size_t l) {
  const auto inside = first_inside(l);
  // A flight that ends with the trial ends there, whatever the polynomial says about the last of it.
  for (const Guard& guard : motion(l).guards) {
    const auto beyond = end_of_flight(l, guard);
    if (beyond && (!inside || inside->finding.place > 1.0 - 2.0 * landing_window) && begins_open(l, guard))
      return head_for(l, guard, 1.0 + *beyond / stepper_.h(l));
  }
  return inside ? turn_to(l, *inside) : go_on(l);
}

/// A gap that is positive behind the start of the trial.
bool LaneFlow::begins_open(std::size_t l, const Guard& guard) const {
  const EndJet begin = begin_jet(l, guard);
  return beginning_of(l, guard, begin, end_jet(l, guard)) == Beginning::away ? begin.value > 0.0 : begin.rate > 0.0;
}

/// For the books: bounds of the gaps over a trial that is taken, closer ones only where they would enter them.
void LaneFlow::note_bounds(std::size_t l) {
  Lane& lane = motion(l);
  const Ledger& ledger = lane.result.ledger;
  const double beyond = lane.beyond();
  const double h = stepper_.h(l) + beyond;
  if (!(h > 0.0)) return;
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    if (lane.point.mode.is_closed(i)) continue;
    const Guard gap{Guard::Kind::gap, i};
    const EndJet begin = gap_jet(begin_values_, l, i);
    EndJet end = gap_jet(end_values_, l, i);
    end.value += beyond * (end.rate + 0.5 * beyond * end.second);
    end.rate += beyond * end.second;
    const double c = bends_[2 * i * lanes_.size() + l];
    const double r = bends_[(2 * i + 1) * lanes_.size() + l];
    const Interval bend =
        std::isfinite(c) && r < std::numeric_limits<double>::infinity()
            ? Interval{c - r, c + r}
            : Interval{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    const Interval rates = rates_between(begin, end, h, bend);
    const bool turns = bend.upper >= 0.0 && rates.lower <= 0.0 && rates.upper >= 0.0;
    const double low = std::min(std::min(begin.value, end.value), meeting_value(begin, end, h, bend.lower));
    LowestValues lowest{low, turns ? low : std::numeric_limits<double>::infinity()};
    if (-low > ledger.penetration_bound || lowest.at_minima < ledger.closest_miss_bound[i]) {
      lay_curve(l, false);
      const LowestValues closer =
          lowest_values(*curve_, Sought{row_of(gap)}, {0.0, std::min(1.0, h / stepper_.h(l))}, stepper_.h(l));
      lowest.anywhere = std::max(lowest.anywhere, std::min(closer.anywhere, std::min(begin.value, end.value)));
      lowest.at_minima = std::max(lowest.at_minima, closer.at_minima);
    }
    lane.note_depth(-lowest.anywhere);
    lane.note_lowest(i, lowest.at_minima);
  }
}

/// What was found inside is looked at by true steps; what could not be decided makes the step shorter.
LaneFlow::Verdict LaneFlow::turn_to(std::size_t l, const Inside& inside) {
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

}  // namespace saltus
