#include "saltus/analysis/motion_run.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/analysis/recurrence.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_section_points = 400;
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
      point_(start_point(kernels, {}, start_.x, carries_of(kernels))) {
  if (has_tangent()) point_.tangent = accumulator_.frame();
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
  run.measure_divergence = options_.sum_rule && has_tangent() && !in_transient_;
  const bool counting = counts_returns() || !in_transient_;
  if (options_.section && start_.period == 0.0 && counting) run.watches = {*options_.section};
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
    outcome_ = result.outcome;
    message_ = std::move(result.message);
    contacts_ = std::move(result.contacts);
    finished_ = true;
    point_ = std::move(result.end);
    return;
  }
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
  impacts_ += result.ledger.impacts;
  log_contraction_ += result.ledger.log_contraction;
  divergence_ += result.divergence;
  double sliding = 0.0;
  for (const double time : result.ledger.sliding_time) sliding = std::max(sliding, time);
  sliding_ += sliding;
  finished_ = finished_ || done_ >= options_.length * (1.0 - 1e-12) || is_exact_enough();
}

/// Adds to what is done: the length of the run, or the returns that it saw. A motion that does not return any more is given up.
void MotionRun::count(const FlowResult& result) {
  double part = step_;
  if (counts_returns()) {
    part = static_cast<double>(std::count_if(result.events.begin(), result.events.end(), [](const Event& event) {
      return event.kind == EventKind::section && event.index == 0;
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
  const bool annihilates = result.ledger.annihilates() || point_.mode.is_masked();
  const auto rank = annihilates ? SpectrumAccumulator::Rank::may_drop : SpectrumAccumulator::Rank::full;
  // In the transient the frame turns towards the leading directions.
  accumulator_.absorb(point_.tangent, time_of(step_), rank);
  point_.tangent = accumulator_.frame();
  // Without a transient, or just after an impact, the step has yet to find its size.
  const bool chooses = start_.period == 0.0 && options_.interval <= 0.0;
  if (chooses && !in_transient_ && accumulator_.intervals() <= 20)
    chosen_interval_ = std::max(chosen_interval_, tangent_steps * point_.natural_step);
}

/// The sums start anew, with a full frame: what the transient annihilated need not be so on the attractor.
void MotionRun::begin_measuring() {
  in_transient_ = false;
  done_ = 0.0;
  section_.clear();
  returns_ = 0;
  first_ = point_.x;
  if (!has_tangent()) return;
  const Matrix frame = accumulator_.frame();
  accumulator_ = SpectrumAccumulator(kernels_.layout().N(), frame);
  if (start_.period == 0.0 && options_.interval <= 0.0)
    chosen_interval_ = std::max(1e-6, tangent_steps * point_.natural_step);
  point_.tangent = accumulator_.frame();
}

void MotionRun::remember(const FlowResult& result) {
  const std::size_t before = section_.size();
  if (start_.period > 0.0) {
    if (std::abs(done_ - std::round(done_)) < 1e-9) section_.push_back(point_.x);
  } else {
    for (const Event& event : result.events)
      if (event.kind == EventKind::section && event.index == 0 && options_.section) section_.push_back(event.x_minus);
  }
  returns_ += section_.size() - before;
  if (section_.size() > 2 * most_section_points)
    section_.erase(section_.begin(), section_.end() - static_cast<std::ptrdiff_t>(most_section_points));
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
  const std::size_t watched = options_.section && start_.period == 0.0 && !of_section ? 1 : 0;
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

bool MotionRun::at_rest() const {
  if (start_.period > 0.0) return false;
  const Mechanism mechanism(kernels_, start_.parameters);
  const Vector rate = mechanism.field(point_.t.phase, point_.x, point_.mode).rate;
  if (rate.cwiseAbs().maxCoeff() < 1e-8 * (1.0 + point_.x.cwiseAbs().maxCoeff())) return true;
  // The step does not grow beyond stability: what is left of the motion is the error that a step is allowed.
  const FlowOptions& flow = options_.flow;
  for (Eigen::Index i = 0; i < rate.size(); ++i)
    if (std::abs(rate[i]) * point_.natural_step > 10.0 * (flow.rtol * std::abs(point_.x[i]) + flow.atol)) return false;
  return true;
}

bool MotionRun::is_exact_enough() const {
  if (!has_tangent() || !options_.error || accumulator_.intervals() < 100 || accumulator_.intervals() % 50 != 0)
    return false;
  const Exponents now = accumulator_.exponents();
  return *std::max_element(now.standard_errors.begin(), now.standard_errors.end()) < *options_.error;
}

Verdict MotionRun::verdict_without_exponents(std::optional<std::size_t> period) const {
  if (at_rest()) return {MotionKind::equilibrium, 0, 0, "the state does not move any more"};
  if (period) return {MotionKind::periodic, *period, 0, "the section repeats"};
  return {MotionKind::undecided, 0, 0, "the section does not repeat"};
}

/// Kaplan and Yorke's. The trivial exponent of an autonomous motion is zero by theory: what errors make of it does not count.
double MotionRun::dimension_of(const Exponents& exponents) const {
  if (start_.period > 0.0) return kaplan_yorke(exponents.values, 1);
  std::vector<double> values = exponents.values;
  const auto trivial =
      std::min_element(values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  const double error = exponents.standard_errors[static_cast<std::size_t>(trivial - values.begin())];
  if (!at_rest() && std::abs(*trivial) < std::max(1e-3, 4.0 * error)) *trivial = 0.0;
  return kaplan_yorke(values, 0);
}

Evidence MotionRun::evidence(const Exponents& exponents, std::optional<std::size_t> period,
                             const Translations& translations) const {
  Evidence evidence{.exponents = exponents,
                    .intervals = accumulator_.intervals(),
                    .returns = returns_,
                    .rate = static_cast<double>(returns_) / time_,
                    .period = period,
                    .forced = start_.period > 0.0,
                    .at_rest = at_rest(),
                    .cyclic = translations.drifts()};
  if (evidence.forced) evidence.rate = 1.0 / start_.period;
  evidence.settles = !period && converges(section_, translations, options_.longest_period);
  const double allowed = recurrence_tolerance * (1.0 + translations.remainder(point_.x).cwiseAbs().maxCoeff());
  const auto is_near = [&](const Vector& a, const Vector& b) { return state_distance(a, b, translations) <= allowed; };
  if (evidence.at_rest) {
    evidence.throughout = is_near(first_, point_.x);
  } else if (period) {
    evidence.drift = translations.drift_of(section_.back() - section_[section_.size() - 1 - *period]);
    evidence.throughout = true;
    for (std::size_t j = *period; j < section_.size() && evidence.throughout; ++j)
      evidence.throughout = is_near(section_[j], section_[j - *period]);
  }
  return evidence;
}

LyapunovSpectrum MotionRun::spectrum() const {
  LyapunovSpectrum result;
  result.outcome = finished_ ? outcome_ : Outcome::stopped;
  result.message = message_;
  result.contacts = contacts_;
  result.end = point_;
  result.time = in_transient_ ? 0.0 : time_;
  if (in_transient_ || (has_tangent() && accumulator_.intervals() == 0)) return result;
  const bool forced = start_.period > 0.0;
  result.section_points = section_;
  if (result.time > 0.0) {
    result.impacts_per_unit_time = static_cast<double>(impacts_) / result.time;
    result.sliding_fraction = sliding_ / result.time;
  }
  const Translations translations = translations_of(kernels_, start_.parameters);
  const auto period = recurrence_period(section_, translations, options_.longest_period, recurrence_tolerance);
  result.trivial_zero = forced;
  if (has_tangent()) {
    result.exponents = accumulator_.exponents();
    const bool all = kernels_.layout().state_columns == kernels_.layout().N();
    if (all) result.kaplan_yorke = dimension_of(result.exponents);
    if (options_.keep_history) result.history = accumulator_.entries();
    double sum = 0.0;
    for (const double value : result.exponents.values) sum += value;
    const double expected = (divergence_ + log_contraction_) / result.time;
    if (options_.sum_rule && all && std::isfinite(sum) && std::isfinite(expected))
      result.sum_rule_residual = sum - expected;
    result.verdict = verdict_of(evidence(result.exponents, period, translations));
  } else {
    result.verdict = verdict_without_exponents(period);
    if (period && result.verdict.kind == MotionKind::periodic)
      result.verdict.drift = translations.drift_of(section_.back() - section_[section_.size() - 1 - *period]);
  }
  if (outcome_ != Outcome::reached_end)
    result.verdict = {MotionKind::undecided, 0, 0, "the motion cannot be followed to the end of the run"};
  return result;
}

}  // namespace saltus
