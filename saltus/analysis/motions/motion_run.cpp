#include "saltus/analysis/motions/motion_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/analysis/motions/area_contraction.hpp"
#include "saltus/analysis/motions/coming_to_rest.hpp"
#include "saltus/analysis/motions/neighbour_growth.hpp"
#include "saltus/analysis/motions/torus_evidence.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_section_points = 10'000;
constexpr std::size_t most_converging_points = 400;  // that are looked at for it
constexpr double sum_tolerance = 1e-4;  // of the sum rule: what steps of a tangent and their errors may add up to
constexpr double volume_tolerance = 1e-9;  // logarithm, per interval: what the sums of zeros may be
constexpr double rest_tolerance = 1e-6;  // part of its range that a component at rest may move
constexpr double tangent_steps = 4.0;   // natural steps between two QR of an autonomous motion
constexpr double state_steps = 64.0;    // natural steps of one run without tangent
constexpr double transient_periods = 16.0;
constexpr long most_runs_without_return = 2'000;  // of 64 natural steps each

LaneStepper::Carries carries_of(const Kernels& kernels) {
  return kernels.layout().state_columns > 0 ? LaneStepper::Carries::state_and_tangent : LaneStepper::Carries::state;
}

}  // namespace

MotionRun::MotionRun(const Kernels& kernels, LyapunovStart start, const MotionOptions& options)
    : kernels_(kernels),
      start_(std::move(start)),
      options_(options),
      accumulator_(kernels.layout().N(), kernels.layout().state_columns),
      point_(start_point(kernels, {}, start_.x, carries_of(kernels))),
      translations_(translations_of(kernels, start_.parameters)) {
  if (has_tangent()) point_.tangent = accumulator_.frame();
  way_.include(start_.x);
  if (options.interval > 0.0) chosen_interval_ = options.interval;
  const Recording& recording = options.recording;
  if (recording.of == Recording::Of::turning)
    turning_ = std::make_unique<TurningMeter>(kernels, start_.parameters, *recording.quantity);
  if (recording.of == Recording::Of::extremes)
    extremes_ = std::make_unique<QuantityMeter>(kernels, start_.parameters, *recording.quantity);
  if (options_.transient <= 0.0) begin_measuring();
}

Time MotionRun::after(const Time& t, double units) const {
  if (start_.period == 0.0) return {t.cycles, t.phase + units};
  const double whole = std::floor(units);
  return {t.cycles + static_cast<long>(whole), t.phase + (units - whole) * start_.period};
}

/// How long the next run may be. With the tangent: between two QR. Without: one period where the strobe is wanted.
double MotionRun::interval() const {
  if (options_.interval > 0.0 || has_tangent()) return chosen_interval_;
  if (start_.period > 0.0) return in_transient_ ? transient_periods : 1.0;
  return std::max(1e-6, state_steps * point_.natural_step);
}

bool MotionRun::next(FlowRun& run) {
  if (finished_) return false;
  run = FlowRun();
  run.start = point_;
  run.period = start_.period;
  run.parameters = start_.parameters;
  run.keep_frame = has_tangent();
  run.frame_scale = frame_scale_;
  run.measure_range = true;
  run.measure_divergence = options_.sum_rule && has_tangent() && !in_transient_;
  const bool counting = counts_returns() || !in_transient_;
  // What rests on the section, or comes to, crosses it by rounding only.
  watches_section_ = options_.section && start_.period == 0.0 && counting && !rests_;
  if (watches_section_) run.watches = {*options_.section};
  const Recording& recording = options_.recording;
  if (recording.of == Recording::Of::surface && !in_transient_) run.watches.push_back(recording.watch);
  run.keep_events = recording.of == Recording::Of::impacts && !in_transient_;
  if (!in_transient_ && turning_) run.follower = turning_.get();
  if (!in_transient_ && extremes_) run.follower = extremes_.get();
  step_ = counts_returns() ? interval() : std::min(interval(), whole() - done_);
  run.end = after(point_.t, step_);
  return true;
}

void MotionRun::take(FlowResult&& result) {
  if (result.outcome != Outcome::reached_end) {
    stop_ = result;
    finished_ = true;
    point_ = std::move(result.end);
    return;
  }
  note_ranges(result);
  point_ = std::move(result.end);
  count(result);
  if (!in_transient_) {
    remember(result);
    record(result);
  }
  if (has_tangent()) absorb(result);
  if (in_transient_) {
    if (done_ >= options_.transient * (1.0 - 1e-12)) begin_measuring();
    return;
  }
  time_ += time_of(step_);
  range_growth_.note(motion_, time_);
  impacts_ += result.ledger.impacts;
  log_contraction_ += result.ledger.log_contraction;
  divergence_ += result.divergence;
  sliding_ += result.ledger.held_time;
  finished_ = finished_ || done_ >= options_.length * (1.0 - 1e-12) || is_exact_enough();
}

void MotionRun::note_ranges(const FlowResult& result) {
  way_.include(result);
  recent_.include(result);
  if (!in_transient_) motion_.include(result);
  whole_time_ += time_of(step_);
  if (whole_time_ - recent_since_ < 0.125 * whole_time_) return;
  before_ = recent_;
  recent_ = {};
  recent_.include(result.end.x);
  recent_since_ = whole_time_;
  rests_ = options_.section && at_rest();
}

/// Adds to what is done: the length of the run, or the returns that it saw. A motion that does not return any more is given up.
void MotionRun::count(const FlowResult& result) {
  double part = step_;
  if (counts_returns()) {
    part = static_cast<double>(std::count_if(result.events.begin(), result.events.end(), [&](const Event& event) {
      return watches_section_ && event.kind == EventKind::section && event.index == 0;
    }));
    without_return_ = part > 0.0 ? 0 : without_return_ + 1;
    // At rest the step would grow without bound, and so would the runs; rounding may still cross the section now and then.
    if (at_rest() || without_return_ > most_runs_without_return) {
      if (in_transient_) begin_measuring();
      finished_ = true;
    }
  }
  done_ += part;
  last_part_ = part / (options_.transient + options_.length);
}

void MotionRun::absorb(const FlowResult& result) {
  // In the transient the frame turns towards the leading directions.
  accumulator_.absorb(point_.tangent, time_of(step_), SpectrumAccumulator::Rank::full, result.growth);
  point_.tangent = accumulator_.frame();
  // Without a transient, or just after an impact, the step has yet to find its size.
  const bool chooses = start_.period == 0.0 && options_.interval <= 0.0;
  if (chooses && !in_transient_ && accumulator_.intervals() <= 20)
    chosen_interval_ = std::max(chosen_interval_, tangent_steps * point_.natural_step);
  // Of a motion that stands still from the beginning the step knows nothing but how long it was asked to be.
  if (chooses && !in_transient_ && !counts_returns() && motion_.widths().maxCoeff() == 0.0)
    chosen_interval_ = std::max(chosen_interval_, std::min(2.0 * chosen_interval_, 0.01 * options_.length));
}

/// The sizes of the components, to a factor of two and the largest 1, if they differ so much that it matters.
std::vector<double> MotionRun::frame_scale() const {
  constexpr double comparable = 1024.0;
  const Vector widths = way_.widths();
  const double largest = widths.maxCoeff();
  double smallest = largest;
  for (const double width : widths)
    if (width > 0.0) smallest = std::min(smallest, width);
  if (!(largest > comparable * smallest)) return {};
  std::vector<double> scale;
  for (const double width : widths)
    scale.push_back(width > 0.0 ? std::exp2(std::round(std::log2(width / largest))) : 1.0);
  return scale;
}

StateSizes MotionRun::sizes() const {
  StateSizes sizes = state_sizes(kernels_, options_.flow, translations_, motion_, way_, point_);
  sizes.allow_drift(translations_, section_);
  return sizes;
}

/// The sums start anew, with a full frame: what the transient annihilated need not be so on the attractor.
void MotionRun::begin_measuring() {
  in_transient_ = false;
  done_ = 0.0;
  section_.clear();
  section_times_.clear();
  motion_ = {};
  motion_.include(point_.x);
  range_growth_ = {};
  returns_ = 0;
  first_ = point_.x;
  if (!has_tangent()) return;
  const Matrix frame = accumulator_.frame();
  accumulator_ = SpectrumAccumulator(kernels_.layout().N(), frame);
  frame_scale_ = frame_scale();
  accumulator_.measure_in(frame_scale_);
  if (point_.mode.is_masked()) {
    // Directions that fill the frame up need not obey what holds the motion.
    FlowPoint held = point_;
    held.tangent = accumulator_.frame();
    const Mechanism mechanism(kernels_, start_.parameters);
    Settler(mechanism, options_.flow, start_.period).project(held);
    accumulator_.confine(held.tangent);
  }
  if (start_.period == 0.0 && options_.interval <= 0.0)
    chosen_interval_ = std::max(1e-6, tangent_steps * point_.natural_step);
  point_.tangent = accumulator_.frame();
}

void MotionRun::remember(const FlowResult& result) {
  if (start_.period > 0.0) {
    if (std::abs(done_ - std::round(done_)) < 1e-9) add_return(point_.t.absolute(start_.period), point_.x);
  } else {
    for (const Event& event : result.events)
      if (watches_section_ && event.kind == EventKind::section && event.index == 0) add_return(event.t, event.x_minus);
  }
}

void MotionRun::add_return(double t, const Vector& x) {
  ++returns_;
  section_.push_back(x);
  section_times_.push_back(t);
  if (section_.size() <= 2 * most_section_points) return;
  section_.erase(section_.begin(), section_.end() - static_cast<std::ptrdiff_t>(most_section_points));
  section_times_.erase(section_times_.begin(), section_times_.end() - static_cast<std::ptrdiff_t>(most_section_points));
}

void MotionRun::record(const FlowResult& result) {
  const Recording& recording = options_.recording;
  const bool of_section = recording.of == Recording::Of::section;
  if (recording.of == Recording::Of::nothing) return;
  if (turning_ || extremes_) return record_quantity();
  if (of_section && start_.period > 0.0) {
    if (std::abs(done_ - std::round(done_)) < 1e-9)
      recorded_.push_back({point_.t.absolute(start_.period), point_.x, point_.x});
    return;
  }
  const std::size_t watched = watches_section_ && !of_section ? 1 : 0;
  for (const Event& event : result.events) {
    const bool impact = event.kind == EventKind::impact && recording.of != Recording::Of::surface &&
                        (!recording.contact || event.index == *recording.contact);
    const bool crossing =
        event.kind == EventKind::section && event.index == watched && recording.of != Recording::Of::impacts;
    // The last run may see more returns than are asked for.
    if (of_section && counts_returns() && static_cast<double>(recorded_.size()) >= options_.length) return;
    if (impact || crossing) recorded_.push_back({event.t, event.x_minus, event.x_plus, event.gamma_minus});
  }
}

void MotionRun::record_quantity() {
  recorded_.clear();
  const auto add = [this](double value) {
    recorded_.push_back({point_.t.absolute(start_.period), {}, {}, 0.0, value});
  };
  if (turning_) {
    turning_->keep();
    for (const double value : turning_->meter().values()) add(value);
    return;
  }
  extremes_->keep();
  const Amplitudes amplitudes = extremes_->meter().amplitudes();
  add(amplitudes.largest);
  add(amplitudes.smallest);
}

/// In the last eighth of the time no component moved, measured by its range since the start or by what is resolved. The step does not
/// grow beyond stability: what is left of the motion then is the error that a step is allowed.
bool MotionRun::at_rest() const {
  if (start_.period > 0.0 || whole_time_ == 0.0) return false;
  StateRange recent = recent_;
  recent.include(before_);
  const Vector moved = recent.widths();
  const StateSizes measure = sizes();
  const Vector allowed = (rest_tolerance * measure.way).cwiseMax(measure.unresolved);
  const Mechanism mechanism(kernels_, start_.parameters);
  const Vector rate = mechanism.field(point_.t.phase, point_.x, point_.mode).rate.cwiseAbs();
  for (Eigen::Index i = 0; i < rate.size(); ++i)
    if (moved[i] > allowed[i] && rate[i] * point_.natural_step > measure.unresolved[i]) return false;
  return true;
}

bool MotionRun::is_exact_enough() const {
  if (!has_tangent() || !options_.error || accumulator_.intervals() < 100 || accumulator_.intervals() % 50 != 0)
    return false;
  const Exponents now = accumulator_.exponents();
  return *std::max_element(now.standard_errors.begin(), now.standard_errors.end()) < *options_.error;
}

Recurrence MotionRun::recurrence(const StateSizes& measure) const {
  Recurrence seen = recurrence_of(section_, translations_, measure, options_.longest_period);
  const bool forgetful = start_.period > 0.0 && sliding_ > 0.0;
  if (!(seen.period || forgetful) || stop_.outcome != Outcome::reached_end) return seen;
  FlowRun from;
  from.start = point_;
  from.period = start_.period;
  from.parameters = start_.parameters;
  if (start_.period == 0.0) {
    const double once = section_times_.back() - section_times_[section_times_.size() - 1 - *seen.period];
    return unless_coming_to_rest(seen, section_, kernels_, options_.flow, from, once, translations_, measure);
  }
  if (!forgetful) return seen;
  return unless_by_rounding(seen, kernels_, options_.flow, from, translations_, measure);
}

Verdict MotionRun::verdict_without_exponents(const Recurrence& recurrence) const {
  if (at_rest()) return {.kind = MotionKind::equilibrium, .reason = "the state does not move any more"};
  if (recurrence.period)
    return {.kind = MotionKind::periodic, .period = *recurrence.period, .reason = "the section repeats"};
  if (section_.size() < enough_points && !recurrence.grows) return {.reason = too_few_points(section_.size())};
  if (recurrence.by_rounding || recurrence.grows) return {.reason = *recurrence.doubt};
  if (recurrence.doubt) return {.reason = *recurrence.doubt + ": a longer run is needed"};
  return {.kind = MotionKind::not_periodic, .reason = "the section does not repeat"};
}

/// Kaplan and Yorke's. What is zero within its error counts as zero, so that a torus with k frequencies has dimension k, the trivial
/// exponent of time included; an orbit that attracts has dimension 1, a state at rest 0, whatever errors make of their exponents.
double MotionRun::dimension_of(const Evidence& evidence, const Verdict& verdict) const {
  const bool forced = start_.period > 0.0;
  const Exponents& exponents = evidence.exponents;
  std::vector<double> values = exponents.values;
  bool some_positive = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Sign sign = sign_of(evidence, i);
    some_positive = some_positive || sign == Sign::positive;
    if (sign == Sign::zero) values[i] = 0.0;
  }
  if (verdict.kind == MotionKind::periodic && !some_positive) return 1.0;
  if (verdict.kind == MotionKind::equilibrium && !some_positive) return 0.0;
  if (verdict.frequencies > 0) return static_cast<double>(verdict.frequencies);
  if (verdict.most_frequencies > 0)
    return std::min(kaplan_yorke(values, forced ? 1 : 0), static_cast<double>(verdict.most_frequencies));
  if (forced || evidence.at_rest) return kaplan_yorke(values, forced ? 1 : 0);
  // One exponent of an autonomous motion is zero by theory: what errors make of it does not count.
  const auto nearest =
      std::min_element(values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  const double error = exponents.standard_errors[static_cast<std::size_t>(nearest - values.begin())];
  if (std::abs(*nearest) <= std::max(4.0 * error, 0.01 * evidence.pace)) *nearest = 0.0;
  return kaplan_yorke(values, 0);
}

/// Over whole periods of a motion that repeats, as long as it does; over all of it otherwise.
Exponents MotionRun::exponents_of(std::optional<std::size_t> period) const {
  Exponents all = accumulator_.exponents();
  if (!period || section_times_.size() <= *period) return all;
  const std::size_t points = repeating_points(section_, translations_, sizes(), *period);
  const double once = section_times_.back() - section_times_[section_times_.size() - 1 - *period];
  return accumulator_.exponents_over(once, points / *period).value_or(all);
}

std::optional<double> MotionRun::sum_rule_residual() const {
  if (!options_.sum_rule || kernels_.layout().state_columns != kernels_.layout().N()) return std::nullopt;
  double sum = 0.0;
  for (const double value : accumulator_.exponents().values) sum += value;
  const double expected = (divergence_ + log_contraction_) / time_;
  if (!std::isfinite(sum) || !std::isfinite(expected)) return std::nullopt;
  return sum - expected;
}

/// Of a mechanism, as flight and impacts tell along the motion.
bool MotionRun::keeps_volume() const {
  if (!options_.sum_rule || kernels_.layout().n == 0 || accumulator_.dropped() > 0) return false;
  const double intervals = static_cast<double>(accumulator_.intervals());
  return std::abs(divergence_ + log_contraction_) <= volume_tolerance * intervals;
}

/// A torus fills the whole space of states only where all of them are angles.
std::size_t MotionRun::most_frequencies() const {
  const std::size_t N = kernels_.layout().N();
  const bool all_angles = static_cast<std::size_t>(translations_.lattice().cols()) + translations_.drifts() >= N;
  return (all_angles ? N : N - 1) + (start_.period > 0.0 ? 1 : 0);
}

Evidence MotionRun::evidence(const Exponents& exponents, const Recurrence& recurrence) const {
  const auto& period = recurrence.period;
  const double steps_per_return = 5.0;  // intervals of an autonomous motion, roughly
  Evidence evidence{.exponents = exponents,
                    .intervals = accumulator_.intervals(),
                    .returns = returns_,
                    .rate = static_cast<double>(returns_) / time_,
                    .pace = static_cast<double>(returns_) / time_,
                    .period = period,
                    .forced = start_.period > 0.0,
                    .at_rest = at_rest(),
                    .cyclic = translations_.drifts(),
                    .nearly_repeats = recurrence.doubt,
                    .by_rounding = recurrence.by_rounding ? recurrence.doubt : std::nullopt};
  if (evidence.forced) evidence.rate = evidence.pace = 1.0 / start_.period;
  if (evidence.pace == 0.0) evidence.pace = static_cast<double>(evidence.intervals) / (steps_per_return * time_);
  const StateSizes measure = sizes();
  const std::span<const Vector> points(section_);
  evidence.settles = !period && converges(points.last(std::min(points.size(), most_converging_points)), translations_,
                                          measure, options_.longest_period);
  if (evidence.at_rest) {
    evidence.throughout = state_distance(first_, point_.x, translations_, measure) <= recurrence_tolerance;
  } else if (period) {
    evidence.drift = translations_.drift_of(section_.back() - section_[section_.size() - 1 - *period]);
    evidence.throughout = repeating_points(points, translations_, measure, *period) + *period >= points.size();
  } else {
    evidence.excluded = evidence.forced && contracts_areas(kernels_, start_.parameters, translations_);
    evidence.loses_volume = loses_volume(kernels_, start_.parameters);
    evidence.shrink = accumulator_.shrink();
    evidence.averages_converge = averages_converge(points, translations_, measure);
    evidence.bands = doubled_bands(points, translations_, measure);
    evidence.local_growth = accumulator_.local_growth();
  }
  evidence.keeps_volume = keeps_volume();
  evidence.outgrown = range_growth_.until(motion_);
  evidence.most_frequencies = most_frequencies();
  if (const auto residual = sum_rule_residual()) {
    double size = 0.0;
    for (const double value : exponents.values) size += std::abs(value);
    const double allowed = std::max(4.0 * accumulator_.standard_error_of_sum(), sum_tolerance * size);
    evidence.adds_up = std::abs(*residual) <= std::max(allowed, sum_tolerance * evidence.pace);
  }
  return evidence;
}

LyapunovSpectrum MotionRun::spectrum() const {
  LyapunovSpectrum result;
  static_cast<Stop&>(result) = finished_ ? stop_ : Stop{Outcome::stopped};
  result.end = point_;
  result.time = in_transient_ ? 0.0 : time_;
  if (in_transient_ || (has_tangent() && accumulator_.intervals() == 0)) return result;
  const bool forced = start_.period > 0.0;
  result.section_points = section_;
  if (result.time > 0.0) {
    result.impacts_per_unit_time = static_cast<double>(impacts_) / result.time;
    result.sliding_fraction = sliding_ / result.time;
  }
  const StateSizes measure = sizes();
  const Recurrence seen = recurrence(measure);
  const auto period = seen.period;
  result.trivial_zero = forced;
  result.sizes = measure;
  if (has_tangent()) {
    result.exponents = exponents_of(period);
    const Evidence told = evidence(result.exponents, seen);
    result.verdict = verdict_of(told);
    if (kernels_.layout().state_columns == kernels_.layout().N())
      result.kaplan_yorke = dimension_of(told, result.verdict);
    if (options_.keep_history) result.history = accumulator_.entries();
    result.sum_rule_residual = sum_rule_residual();
  } else {
    result.verdict = verdict_without_exponents(seen);
    if (period && result.verdict.kind == MotionKind::periodic)
      result.verdict.drift = translations_.drift_of(section_.back() - section_[section_.size() - 1 - *period]);
  }
  if (stop_.outcome != Outcome::reached_end)
    result.verdict = {.reason = "the motion cannot be followed to the end of the run"};
  return result;
}

}  // namespace saltus
