#include "saltus/flow/lane_exclusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double roundoff = std::numeric_limits<double>::epsilon();

}  // namespace

LaneExclusion::LaneExclusion(const Kernels& kernels, const FlowOptions& options, LaneStepper& stepper,
                             const LaneValues& values)
    : kernels_(kernels),
      layout_(kernels.layout()),
      options_(options),
      stepper_(stepper),
      values_(values),
      width_(stepper.width()),
      quintic_error_(std::pow(options.rtol, 0.75)),
      multiplier_bounds_(layout_, width_),
      held_(kernels) {
  t_box_.resize(2 * width_);
  // Of z the ends know no second rate: nothing is proven by them alone. Its boxes stay unknown; so are those of δ but for v̇.
  x_box_.assign(2 * layout_.N() * width_, unknown);
  X_box_.assign(6 * layout_.N() * width_, unknown);
  bends_.resize(2 * values.count() * width_);
  proven_.resize(layout_.contacts * width_);
  for (const double value : {0.0, quintic_error_, options.atol})
    proof_scalars_.insert(proof_scalars_.end(), width_, value);
  for (const double value : {0.0, options.rtol, options.atol})
    force_scalars_.insert(force_scalars_.end(), width_, value);
  is_pressed_.resize(width_);
  force_rates_.resize(3 * width_);
  pressed_.fill(none);
  if (values.count() > 0) curve_.emplace(kernels, static_cast<unsigned>(width_));
}

void LaneExclusion::bound(const SlidingModes* sliding) {
  if (values_.count() == 0) return;
  bound_boxes();
  stepper_.functions().event_bends(t_box_.data(), x_box_.data(), stepper_.p_array(), stepper_.mode_array(),
                                   X_box_.data(), bends_.data());
  prove_gaps();
  pressed_.fill(none);
  if (sliding) bound_multipliers(*sliding);
}

/// Boxes of q, q̇, q̈ (and v, v̇, v̈) along the quintics that the ends of the trials give.
void LaneExclusion::bound_boxes() {
  const std::size_t width = width_;
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  for (std::size_t l = 0; l < width; ++l) {
    const double h = stepper_.h(l);
    t_box_[l] = stepper_.t(l) + 0.5 * h;
    t_box_[width + l] = 0.5 * h;
    proof_scalars_[l] = h;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t q = i * width;
    const std::size_t v = (n + i) * width;
    const double* const ends[] = {stepper_.y_array() + q,     stepper_.y_array() + v,
                                  stepper_.rate_array() + v,  stepper_.y_new_array() + q,
                                  stepper_.y_new_array() + v, stepper_.rate_new_array() + v};
    double* const x = x_box_.data() + 2 * q;
    double* const rate = X_box_.data() + 2 * q;
    double* const second = X_box_.data() + 2 * (N * width + q);
    double* const jerk = X_box_.data() + 2 * (N * width + v);
    double* const boxes[] = {x, x + width, rate, rate + width, second, second + width, jerk, jerk + width};
    stepper_.loops().boxes(ends, stepper_.h_array(), boxes, nullptr, 1);
  }
  // v is q̇, and v̇ is q̈.
  std::copy_n(X_box_.data(), 2 * n * width, x_box_.data() + 2 * n * width);
  std::copy_n(X_box_.data() + 2 * N * width, 2 * n * width, X_box_.data() + 2 * n * width);
}

void LaneExclusion::prove_gaps() {
  const std::size_t rates = values_.rates_behind();
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const double* const begin = values_.begin_row(i);
    const double* const end = values_.end_row(i);
    const double* const bend = bends_.data() + 2 * i * width_;
    const double* const streams[] = {begin,           begin + rates, end,           end + rates,
                                     end + 2 * rates, bend,          bend + width_, values_.size_row(i)};
    double* const out[] = {proven_.data() + i * width_};
    stepper_.loops().proven(streams, proof_scalars_.data(), out, nullptr, 1);
  }
}

/// Rates of the forces and weights over the trials, along the same curves.
void LaneExclusion::bound_multipliers(const SlidingModes& sliding) {
  if (!inverse_dynamics_) {
    inverse_dynamics_ = kernels_.inverse_dynamics_bounds(static_cast<unsigned>(width_));
    force_loops_ = &force_loops(static_cast<unsigned>(width_));
    dynamics_.resize(2 * InverseDynamicsLayout(layout_).size() * width_);
    for (std::size_t i = 0; i < layout_.n; ++i)
      std::fill_n(X_box_.data() + (2 * (2 * layout_.N() + layout_.n + i) + 1) * width_, width_, 0.0);
  }
  bound_deviations();
  inverse_dynamics_(t_box_.data(), x_box_.data(), stepper_.p_array(), stepper_.mode_array(), X_box_.data(),
                    dynamics_.data());
  std::array<std::size_t, 8> alone;  // of each lane its only multiplier
  alone.fill(none);
  for (std::size_t l = 0; l < width_; ++l) {
    if (!sliding[l]) continue;
    multiplier_bounds_.choose(*sliding[l]);
    const auto active = multiplier_bounds_.active();
    if (active.size() != 1) continue;
    alone[l] = active.front();
    if (std::find(alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(l), alone[l]) ==
        alone.begin() + static_cast<std::ptrdiff_t>(l))
      multiplier_bounds_.solve_row(dynamics_.data());
  }
  for (std::size_t l = 0; l < width_; ++l) {
    if (!sliding[l] || alone[l] != none) continue;
    multiplier_bounds_.choose(*sliding[l]);
    multiplier_bounds_.solve_lane(dynamics_.data(), l);
  }
  prove_forces({alone.data(), width_});
}

/// Of lanes with one closed contact alone.
void LaneExclusion::prove_forces(std::span<const std::size_t> alone) {
  std::copy_n(stepper_.h_array(), width_, force_scalars_.begin());
  for (std::size_t l = 0; l < width_; ++l) {
    pressed_[l] = none;
    if (alone[l] >= layout_.contacts) continue;
    const auto same = std::find(alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(l), alone[l]);
    if (same != alone.begin() + static_cast<std::ptrdiff_t>(l)) continue;
    const std::size_t u = alone[l];
    const std::size_t row = (stepper_.rates() + u) * width_;
    for (std::size_t other = 0; other < width_; ++other) {
      const MultiplierBounds::Bound bound = multiplier_bounds_(u, other);
      force_rates_[other] = bound.rate.c;
      force_rates_[width_ + other] = bound.rate.r;
      force_rates_[2 * width_ + other] = bound.reach;
    }
    const double* const rate = force_rates_.data();
    const double* const streams[] = {stepper_.rate_array() + row, stepper_.rate_new_array() + row, rate, rate + width_,
                                     rate + 2 * width_};
    double* const out[] = {is_pressed_.data()};
    force_loops_->pressed(streams, force_scalars_.data(), out, nullptr, 1);
    for (std::size_t other = l; other < width_; ++other)
      if (alone[other] == u && is_pressed_[other] > 0.0) pressed_[other] = u;
  }
}

/// How far the accelerations of the true motions may be from those of the quintics; the radii stay zero.
void LaneExclusion::bound_deviations() {
  const std::size_t n = layout_.n;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t q = i * width_;
    const std::size_t v = (n + i) * width_;
    const double* const ends[] = {stepper_.y_array() + q, stepper_.y_array() + v, stepper_.y_new_array() + q,
                                  stepper_.y_new_array() + v};
    double* const out[] = {X_box_.data() + 2 * (2 * layout_.N() + n + i) * width_};
    force_loops_->deviation(ends, proof_scalars_.data(), out, nullptr, 1);
  }
}

bool LaneExclusion::all_gaps_clear(const LaneTrial& trial) const {
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const Guard gap{Guard::Kind::gap, i};
    if (!is_proven(trial, gap) && proof_of(trial, gap) != Proof::clear) return false;
  }
  return true;
}

/// The quintic's error is about rtol^¾ of the sizes.
Proof LaneExclusion::proof_of(const LaneTrial& trial, const Guard& guard) const {
  const double h = trial.h();
  if (!(h > 0.0)) return Proof::clear;  // the end of the run lies behind, by rounding
  if (guard.is_multiplier())
    return trial.lane().held ? look_at_stages(trial, guard) : proof_of_multiplier(trial, guard);
  const EndJet begin = trial.begin(guard);
  const EndJet end = trial.end(guard);
  const double* const bend = bends_.data() + 2 * row_of(guard, layout_) * width_ + trial.l();
  const double c = guard.sign * bend[0];
  const double r = bend[width_];
  const double margin = 10.0 * (quintic_error_ * trial.size_of(begin, end) + stepper_.atol(trial.l()));
  return proof_by_ends(begin, end, h, {c - r, c + r}, margin, trial.beginning_of(guard, begin, end),
                       trial.end_of_flight(guard).has_value());
}

/// The same of a force or a weight: its rate is bounded.
Proof LaneExclusion::proof_of_multiplier(const LaneTrial& trial, const Guard& guard) const {
  const EndJet begin = trial.begin(guard);
  const EndJet end = trial.end(guard);
  const MultiplierBounds::Bound bound = multiplier_bounds_(row_of(guard, layout_), trial.l());
  const double c = guard.sign * bound.rate.c;
  const double margin = bound.reach + 10.0 * (options_.rtol * trial.size_of(begin, end) + options_.atol);
  return proof_by_rates(begin.value, end.value, trial.h(), {c - bound.rate.r, c + bound.rate.r}, margin,
                        trial.beginning_of(guard, begin, end));
}

/// The same where several switches hold the motion. What their hull does is known point by point only: a step is taken if at all its
/// stages the guard is further from zero than it varies, or nowhere smaller than at its ends; others are halved.
Proof LaneExclusion::look_at_stages(const LaneTrial& trial, const Guard& guard) const {
  const double begin = trial.begin(guard).value;
  const double end = trial.end(guard).value;
  const auto [least, largest] = stepper_.multiplier(row_of(guard, layout_), trial.l());
  const double lowest = guard.sign > 0.0 ? least - guard.offset : guard.offset - largest;
  if (lowest > 0.25 * (largest - least)) return Proof::clear;
  if (end <= 0.0) return begin > 0.0 ? Proof::single : Proof::clear;
  return lowest >= std::min(begin, end) ? Proof::clear : Proof::open;
}

// ---- inside a trial -----------------------------------------------------------------------------------------------

/// What is looked for of a guard that the ends left open.
Sought LaneExclusion::sought_of(const LaneTrial& trial, const Guard& guard) const {
  const EndJet begin = trial.begin(guard);
  const EndJet end = trial.end(guard);
  const double tolerance = options_.rtol * trial.size_of(begin, end) + stepper_.atol(trial.l());
  Sought it{row_of(guard, layout_), guard.sign, guard.offset, trial.beginning_of(guard, begin, end)};
  const bool by_clock = !guard.is_multiplier() && layout_.of_time_alone[it.row] != 0;
  it.margin = by_clock ? 0.0 : 10.0 * tolerance;
  it.near = 10.0 * it.margin;
  it.is_gap = guard.kind == Guard::Kind::gap;
  it.of_rates = guard.is_multiplier();
  it.begins_at_minimum = trial.lane().after_minimum;
  it.may_press = it.is_gap && trial.lane().steps_since_event == 0 && end.value < -it.near;
  const double start = it.beginning == Beginning::away ? begin.value : begin.rate;
  it.side = start < 0.0 && (guard.kind == Guard::Kind::surface || it.beginning == Beginning::away) ? -1 : 1;
  it.begin = begin;
  it.end = end;
  return it;
}

/// Over the whole trial a gap is no larger than its own rounding, as it is just behind a release: its zeros and minima there mean nothing.
/// Nor does a force that is nothing but rounding at all stages, as between bodies that move alike without pressing: no bound could tell
/// it from zero.
bool LaneExclusion::is_noise(const LaneTrial& trial, const Guard& guard, const Sought& it) const {
  if (guard.kind == Guard::Kind::force) {
    const auto [least, largest] = stepper_.multiplier(row_of(guard, layout_), trial.l());
    return std::max(std::abs(least), std::abs(largest)) <= rounding_of_force(trial, guard);
  }
  const double size = std::max(std::abs(it.begin->value), std::abs(it.end->value));
  if (guard.kind != Guard::Kind::gap || size > 1e-9 * values_.size(guard, trial.l())) return false;
  const ContactValue at = contact_at_start(trial);
  double sum = 0.0;
  for (std::size_t k = 0; k < layout_.n; ++k)
    sum += std::abs(at.normal(index(guard.index), index(k)) * stepper_.y(k, trial.l()));
  return size <= 32.0 * roundoff * sum;
}

/// What rounding of the accelerations makes of a contact's force, λ = −(n·v̇ + κ)/G: all of it between bodies that move alike without
/// pressing.
double LaneExclusion::rounding_of_force(const LaneTrial& trial, const Guard& guard) const {
  if (guard.kind != Guard::Kind::force) return 0.0;
  const ContactValue at = contact_at_start(trial);
  const std::size_t n = layout_.n;
  double pushed = 0.0;
  for (std::size_t k = 0; k < n; ++k)
    pushed += std::abs(at.normal(index(guard.index), index(k))) *
              std::max(std::abs(stepper_.rate(n + k, trial.l())), std::abs(stepper_.rate_new(n + k, trial.l())));
  return 256.0 * roundoff * pushed / at.delassus(index(guard.index), index(guard.index));
}

ContactValue LaneExclusion::contact_at_start(const LaneTrial& trial) const {
  const FlowPoint& point = trial.lane().point;
  return trial.lane().mechanism->contact(point.t.phase, stepper_.state_in(stepper_.y_array(), trial.l()), point.mode);
}

/// The dense output as the curve that is bounded; with forces and weights if they are wanted, which know its rates: these may be off
/// by some hundred tolerances of the velocities over h.
void LaneExclusion::lay_curve(const LaneTrial& trial, bool with_multipliers) {
  const std::size_t l = trial.l();
  stepper_.prepare_dense();
  const double h = trial.h();
  const std::size_t N = layout_.N();
  curve_->set(stepper_.t(l), h, stepper_.p_array() + l, stepper_.mode_array() + l, width_);
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
  curve_->add_multipliers(trial.lane().point.mode, delta);
}

std::optional<LaneExclusion::Inside> LaneExclusion::first_inside(const LaneTrial& trial) {
  if (!(trial.h() > 0.0)) return std::nullopt;
  std::vector<Sought> sought;
  std::vector<const Guard*> guards;
  bool multipliers = false;
  for (const Guard& guard : trial.lane().guards) {
    if (proof_of(trial, guard) == Proof::clear || (guard.is_multiplier() && trial.lane().held)) continue;
    const Sought it = sought_of(trial, guard);
    if (is_noise(trial, guard, it)) continue;
    sought.push_back(it);
    guards.push_back(&guard);
    multipliers = multipliers || guard.is_multiplier();
  }
  if (sought.empty()) return std::nullopt;
  lay_curve(trial, multipliers);
  if (multipliers) {
    const std::vector<double> reaches = curve_->reaches();
    for (std::size_t s = 0; s < sought.size(); ++s) {
      if (!guards[s]->is_multiplier()) continue;
      const std::size_t u = row_of(*guards[s], layout_);
      sought[s].row = curve_->row_of_multiplier(u);
      sought[s].margin += reaches[u] + rounding_of_force(trial, *guards[s]);
      sought[s].near = 10.0 * sought[s].margin;
    }
  }
  const auto finding = EventSearch(*curve_).first(sought, trial.h());
  if (!finding) return std::nullopt;
  return Inside{*finding, *guards[finding->sought], sought[finding->sought].side > 0};
}

std::optional<HeldBounds::Finding> LaneExclusion::end_of_hold(const LaneTrial& trial) {
  const std::size_t l = trial.l();
  const Lane& lane = trial.lane();
  if (!lane.held || !(trial.h() > 0.0)) return std::nullopt;
  stepper_.prepare_dense();
  const std::size_t N = layout_.N();
  HeldBounds::Curve curve{stepper_.t(l), trial.h(), lane.run.parameters, {}, {}};
  curve.coefficients.resize((LaneStepper::dense_degree + 1) * N);
  for (std::size_t i = 0; i < N; ++i) {
    const auto c = stepper_.dense_polynomial(i, l);
    for (std::size_t k = 0; k < c.size(); ++k) curve.coefficients[k * N + i] = c[k];
  }
  for (std::size_t i = layout_.n; i < N; ++i)
    curve.slack.push_back(1000.0 * (options_.rtol * std::abs(stepper_.y(i, l)) + options_.atol));
  return held_.first_end(curve, *lane.held);
}

/// The second rate over the trial; everything where nothing is known.
Interval LaneExclusion::bend_of(std::size_t row, std::size_t l) const {
  const double c = bends_[2 * row * width_ + l];
  const double r = bends_[(2 * row + 1) * width_ + l];
  return std::isfinite(c) && r < unknown ? Interval{c - r, c + r} : Interval{-unknown, unknown};
}

LowestValues LaneExclusion::lowest_of(const LaneTrial& trial, std::size_t i) {
  const Ledger& ledger = trial.lane().result.ledger;
  const double beyond = trial.lane().beyond();
  const double h = trial.h() + beyond;
  const EndJet begin = values_.begin_gap(i, trial.l());
  EndJet end = values_.end_gap(i, trial.l());
  end.value += beyond * (end.rate + 0.5 * beyond * end.second);
  end.rate += beyond * end.second;
  const Interval bend = bend_of(i, trial.l());
  const Interval rates = rates_between(begin, end, h, bend);
  const bool turns = bend.upper >= 0.0 && rates.lower <= 0.0 && rates.upper >= 0.0;
  const double low = std::min(std::min(begin.value, end.value), meeting_value(begin, end, h, bend.lower));
  LowestValues lowest{low, turns ? low : unknown};
  if (-low > ledger.penetration_bound || lowest.at_minima < ledger.closest_miss_bound[i]) {
    lay_curve(trial, false);
    const LowestValues closer = lowest_values(*curve_, Sought{i}, {0.0, std::min(1.0, h / trial.h())}, trial.h());
    lowest.anywhere = std::max(lowest.anywhere, std::min(closer.anywhere, std::min(begin.value, end.value)));
    lowest.at_minima = std::max(lowest.at_minima, closer.at_minima);
  }
  return lowest;
}

std::optional<Landing> LaneExclusion::passed_on_the_way(const LaneTrial& trial, const Guard& landed,
                                                        double beyond) const {
  const double r = trial.h();
  for (const Guard& guard : trial.lane().guards) {
    if (guard == landed) continue;
    const EndJet begin = trial.begin(guard);
    const EndJet now = trial.end(guard);
    const double noise = guard.is_multiplier()
                             ? std::max(1e-9 * trial.size_of(begin, now), rounding_of_force(trial, guard))
                             : 1e-13 * (values_.size(guard, trial.l()) + std::abs(r * now.rate));
    const bool begins_above = begin.value > noise || (begin.value >= -noise && begin.rate > 0.0);
    // The landing lies a little beyond the trial's end, or before it.
    if (!begins_above || now.value + std::min(beyond, 0.0) * now.rate >= -noise) continue;
    const auto distance = guard.kind == Guard::Kind::gap ? distance_to_zero(now) : std::nullopt;
    if (distance && std::abs(*distance) <= landing_window * r) continue;  // not before the guard: no earlier neighbour
    const double guess = begin.value > noise ? r * begin.value / (begin.value - now.value)
                                             : std::min(next_fall(begin).value_or(0.5 * r), 0.999 * r);
    return Landing{guard, false, StepRoot(0.0, r, guess)};
  }
  return std::nullopt;
}

}  // namespace saltus
