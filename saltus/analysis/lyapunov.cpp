#include "saltus/analysis/lyapunov.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "saltus/analysis/recurrence.hpp"

namespace saltus {
namespace {

using Index = Eigen::Index;
constexpr std::size_t most_section_points = 400;
constexpr double recurrence_tolerance = 1e-6;

/// One motion on its way: it hands out runs (the transient, then interval after interval) and takes their results.
class SpectrumRun {
 public:
  SpectrumRun(const Kernels& kernels, const LyapunovStart& start, const LyapunovOptions& options)
      : kernels_(kernels), start_(start), options_(options), accumulator_(kernels.layout().N()) {
    point_ = start_point(kernels, {}, start.x, LaneStepper::Carries::state_and_tangent);
    interval_ = options.interval > 0.0 ? options.interval : 1.0;
  }

  bool finished() const { return finished_; }
  /// Which part of all that is to be done the last run was.
  double last_part() const { return step_ / (options_.transient + options_.length); }

  FlowRun next() {
    FlowRun run;
    run.start = point_;
    run.period = start_.period;
    run.parameters = start_.parameters;
    run.measure_divergence = !in_transient_;
    if (options_.section && start_.period == 0.0) run.watches = {*options_.section};
    run.keep_events = !run.watches.empty();
    step_ = std::min(interval_, (in_transient_ ? options_.transient : options_.length) - done_);
    run.end = after(point_.t, step_);
    return run;
  }

  void take(FlowResult&& result) {
    const double elapsed = time_of(step_);
    if (result.outcome != Outcome::reached_end) {
      outcome_ = result.outcome;
      message_ = std::move(result.message);
      contacts_ = std::move(result.contacts);
      finished_ = true;
      point_ = std::move(result.end);
      return;
    }
    point_ = std::move(result.end);
    done_ += step_;
    const bool annihilates =
        result.ledger.slides > 0 || point_.mode.is_masked() || std::isinf(result.ledger.log_contraction);
    const auto rank = annihilates ? SpectrumAccumulator::Rank::may_drop : SpectrumAccumulator::Rank::full;
    remember_section(result);
    if (in_transient_) {
      accumulator_.absorb(point_.tangent, elapsed, rank);  // the frame turns towards the leading directions meanwhile
      set_frame();
      if (done_ >= options_.transient * (1.0 - 1e-12)) begin_measuring();
      return;
    }
    accumulator_.absorb(point_.tangent, elapsed, rank);
    set_frame();
    // Without a transient, or just after an impact, the step has yet to find its size.
    if (chooses_interval() && accumulator_.intervals() <= 20)
      interval_ = std::max(interval_, 4.0 * point_.natural_step);
    impacts_ += result.ledger.impacts;
    log_contraction_ += result.ledger.log_contraction;
    divergence_ += result.divergence;
    double sliding = 0.0;
    for (const double time : result.ledger.sliding_time) sliding = std::max(sliding, time);
    sliding_ += sliding;
    finished_ = done_ >= options_.length * (1.0 - 1e-12) || is_exact_enough();
  }

  void start_measuring_if_no_transient() {
    if (options_.transient <= 0.0) begin_measuring();
  }

  LyapunovSpectrum spectrum() const;

 private:
  double time_of(double units) const { return start_.period > 0.0 ? units * start_.period : units; }

  Time after(const Time& t, double units) const {
    if (start_.period == 0.0) return {t.cycles, t.phase + units};
    const double whole = std::floor(units);
    return {t.cycles + static_cast<long>(whole), t.phase + (units - whole) * start_.period};
  }

  bool chooses_interval() const { return start_.period == 0.0 && options_.interval <= 0.0; }

  void set_frame() { point_.tangent = accumulator_.frame(); }

  /// The sums start anew, with a full frame: what the transient annihilated need not be so on the attractor.
  void begin_measuring() {
    const Matrix frame = accumulator_.frame();
    accumulator_ = SpectrumAccumulator(kernels_.layout().N(), frame);
    in_transient_ = false;
    done_ = 0.0;
    if (chooses_interval()) interval_ = std::max(1e-6, 4.0 * point_.natural_step);
    set_frame();
    section_.clear();
  }

  void remember_section(const FlowResult& result) {
    if (start_.period > 0.0) {
      if (std::abs(done_ - std::round(done_)) < 1e-9) section_.push_back(point_.x);
    } else {
      for (const Event& event : result.events)
        if (event.kind == EventKind::section) section_.push_back(event.x_minus);
    }
    if (section_.size() > 2 * most_section_points)
      section_.erase(section_.begin(), section_.end() - static_cast<std::ptrdiff_t>(most_section_points));
  }

  bool is_exact_enough() const {
    if (!options_.error || accumulator_.intervals() < 100 || accumulator_.intervals() % 50 != 0) return false;
    const Exponents now = accumulator_.exponents();
    return *std::max_element(now.standard_errors.begin(), now.standard_errors.end()) < *options_.error;
  }

  const Kernels& kernels_;
  const LyapunovStart& start_;
  const LyapunovOptions& options_;
  SpectrumAccumulator accumulator_;
  FlowPoint point_;
  double interval_;
  double step_ = 0.0;
  double done_ = 0.0;
  bool in_transient_ = true;
  bool finished_ = false;
  Outcome outcome_ = Outcome::reached_end;
  std::string message_;
  std::vector<std::size_t> contacts_;
  long impacts_ = 0;
  double log_contraction_ = 0.0;
  double divergence_ = 0.0;
  double sliding_ = 0.0;
  std::vector<Vector> section_;
};

LyapunovSpectrum SpectrumRun::spectrum() const {
  LyapunovSpectrum result;
  result.outcome = finished_ ? outcome_ : Outcome::stopped;
  result.message = message_;
  result.contacts = contacts_;
  result.end = point_;
  result.time = in_transient_ ? 0.0 : accumulator_.elapsed();
  if (in_transient_ || accumulator_.intervals() == 0) return result;
  result.exponents = accumulator_.exponents();
  result.trivial_zero = start_.period > 0.0;
  result.kaplan_yorke = kaplan_yorke(result.exponents.values, result.trivial_zero ? 1 : 0);
  result.impacts_per_unit_time = static_cast<double>(impacts_) / result.time;
  result.sliding_fraction = sliding_ / result.time;
  result.history = accumulator_.entries();
  result.section_points = section_;
  double sum = 0.0;
  for (const double value : result.exponents.values) sum += value;
  const double expected = (divergence_ + log_contraction_) / result.time;
  if (std::isfinite(sum) && std::isfinite(expected)) result.sum_rule_residual = sum - expected;
  const Mechanism mechanism(kernels_, start_.parameters);
  const Vector rate = mechanism.field(point_.t.phase, point_.x, point_.mode).rate;
  const bool at_rest = rate.cwiseAbs().maxCoeff() < 1e-8 * (1.0 + point_.x.cwiseAbs().maxCoeff());
  const auto angles = angle_coordinates(kernels_, start_.parameters, point_.x);
  const auto period = recurrence_period(section_, angles, options_.longest_period, recurrence_tolerance);
  result.verdict = verdict_of(result.exponents, period, result.trivial_zero, at_rest && start_.period == 0.0);
  if (outcome_ != Outcome::reached_end)
    result.verdict = {MotionKind::undecided, 0, 0, "the motion cannot be followed to the end of the run"};
  return result;
}

/// What the threads share: motions that none has begun yet, and who wants to know how far they are.
class Queue {
 public:
  Queue(std::vector<std::unique_ptr<SpectrumRun>>& runs, const std::function<bool()>& interrupted,
        const std::function<void(double)>& progress)
      : runs_(runs), interrupted_(interrupted), progress_(progress) {}

  SpectrumRun* next() {
    const std::size_t index = waiting_.fetch_add(1);
    return index < runs_.size() ? runs_[index].get() : nullptr;
  }
  bool is_interrupted() {
    const std::lock_guard lock(mutex_);
    return interrupted_ && interrupted_();
  }
  void add(double part) {
    const std::lock_guard lock(mutex_);
    done_ += part;
    if (progress_) progress_(done_ / static_cast<double>(runs_.size()));
  }

 private:
  std::vector<std::unique_ptr<SpectrumRun>>& runs_;
  std::atomic<std::size_t> waiting_ = 0;
  std::mutex mutex_;
  double done_ = 0.0;
  const std::function<bool()>& interrupted_;
  const std::function<void(double)>& progress_;
};

/// The lanes of one thread.
class SpectraWork final : public LaneWork {
 public:
  SpectraWork(Queue& queue, unsigned width) : queue_(queue), current_(width, nullptr) {}

  bool next(std::size_t lane, FlowRun& run) override {
    if (queue_.is_interrupted()) return false;
    SpectrumRun*& mine = current_[lane];
    if (!mine || mine->finished()) {
      mine = queue_.next();
      if (!mine) return false;
      mine->start_measuring_if_no_transient();
    }
    run = mine->next();
    return true;
  }
  void done(std::size_t lane, FlowResult&& result) override {
    queue_.add(current_[lane]->last_part());
    current_[lane]->take(std::move(result));
  }

 private:
  Queue& queue_;
  std::vector<SpectrumRun*> current_;
};

}  // namespace

std::string_view name_of(MotionKind kind) {
  switch (kind) {
    case MotionKind::equilibrium: return "equilibrium";
    case MotionKind::periodic: return "periodic";
    case MotionKind::quasi_periodic: return "quasi-periodic";
    case MotionKind::chaotic: return "chaotic";
    case MotionKind::hyperchaotic: return "hyperchaotic";
    case MotionKind::undecided: return "undecided";
  }
  return "";
}

std::vector<LyapunovSpectrum> lyapunov_spectra(const Kernels& kernels, const std::vector<LyapunovStart>& starts,
                                               const LyapunovOptions& options, unsigned width, unsigned threads,
                                               const std::function<bool()>& interrupted,
                                               const std::function<void(double)>& progress) {
  std::vector<std::unique_ptr<SpectrumRun>> runs;
  for (const LyapunovStart& start : starts) runs.push_back(std::make_unique<SpectrumRun>(kernels, start, options));
  Queue queue(runs, interrupted, progress);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(0U, threads, [&](unsigned) {
      SpectraWork work(queue, width);
      flow_lanes(kernels, options.flow, width, LaneStepper::Carries::state_and_tangent, work);
    });
  });
  std::vector<LyapunovSpectrum> spectra;
  for (const auto& run : runs) spectra.push_back(run->spectrum());
  return spectra;
}

Verdict verdict_of(const Exponents& exponents, std::optional<std::size_t> period, bool forced, bool at_rest) {
  Verdict verdict;
  std::size_t positive = 0;
  std::size_t zero = 0;
  for (std::size_t i = 0; i < exponents.values.size(); ++i) {
    const double doubt = std::max(4.0 * exponents.standard_errors[i], 1e-3);
    if (exponents.values[i] > doubt) ++positive;
    else if (exponents.values[i] > -doubt) ++zero;
  }
  const double leading = exponents.values.empty() ? 0.0 : exponents.values.front();
  const double error = exponents.standard_errors.empty() ? 0.0 : exponents.standard_errors.front();
  if (at_rest && positive == 0) {
    verdict.kind = MotionKind::equilibrium;
    verdict.reason = "the state does not move any more";
  } else if (period && positive == 0) {
    verdict.kind = MotionKind::periodic;
    verdict.period = *period;
    verdict.reason = fmt::format("the section repeats after {} point{}, and no exponent is positive", *period,
                                 *period == 1 ? "" : "s");
  } else if (positive >= 1) {
    verdict.kind = positive == 1 ? MotionKind::chaotic : MotionKind::hyperchaotic;
    verdict.reason =
        fmt::format("{} exponent{} positive{}", positive, positive == 1 ? " is" : "s are",
                    error > 0.0 ? fmt::format(", the largest by {:.3g} standard errors", leading / error) : "");
  } else if (zero > (forced ? 0U : 1U)) {
    verdict.kind = MotionKind::quasi_periodic;
    verdict.frequencies = zero + (forced ? 1 : 0);
    verdict.reason =
        fmt::format("{} exponent{} zero within the error, none is positive, and the section does not repeat", zero,
                    zero == 1 ? " is" : "s are");
  } else if (std::isinf(leading)) {
    verdict.reason =
        "contact annihilates every perturbation, so the motion repeats, but not within the points that are compared";
  } else {
    verdict.reason =
        "the section does not repeat within the run, and no exponent is positive or zero: a longer transient is needed";
  }
  return verdict;
}

}  // namespace saltus
