#include "saltus/analysis/response/response.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "saltus/analysis/motions/drifting_amplitude.hpp"
#include "saltus/analysis/motions/lane_jobs.hpp"
#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/analysis/motions/neighbour_growth.hpp"
#include "saltus/analysis/motions/recurrence.hpp"

namespace saltus {
namespace {

constexpr long periods_at_once = 16;  // of one run: its strobes are kept until they are taken
constexpr std::size_t most_strobes = 400;
constexpr double no = std::numeric_limits<double>::quiet_NaN();

struct SharedResponse {
  const Kernels& kernels;
  const ObservedQuantity& quantity;
  const std::vector<RampValue>& values;
  const std::vector<Ramp>& ramps;
  const ResponseOptions& options;
  std::mutex mutex;
};

/// Multipliers of the motion that repeats after so many periods.
Stability stability_of_orbit(const SharedResponse& shared, const RampValue& value, const Vector& x,
                             std::size_t period) {
  FlowRun run;
  run.start = start_point(shared.kernels, {}, x, LaneStepper::Carries::state_and_tangent);
  run.end = {static_cast<long>(period), 0.0};
  run.period = value.period;
  run.parameters = value.parameters;
  run.keep_events = false;
  const FlowResult around = flow(shared.kernels, shared.options.flow, run);
  if (around.outcome != Outcome::reached_end) return Stability::unstable;
  const bool annihilates = around.ledger.annihilates() || run.start.mode.annihilates();
  const auto N = static_cast<Eigen::Index>(shared.kernels.layout().N());
  std::vector<Multiplier> found = multipliers({{around.end.tangent.leftCols(N), annihilates}});
  mark_trivial(found, false, translations_of(shared.kernels, value.parameters).drifts());
  return stability_of(found);
}

/// One ramp: value after value, each with its transient and its measured periods.
class ResponseJob final : public LaneJob {
 public:
  ResponseJob(SharedResponse& shared, std::size_t ramp) : shared_(shared), ramp_(ramp) {}

  bool next(FlowRun& run) override {
    while (!busy_) {
      if (place_ >= ramp().values.size()) return false;
      begin();
    }
    run = FlowRun();
    run.start = point_;
    run.period = value().period;
    run.parameters = value().parameters;
    const long left = in_transient_ ? transient_ - done_ : length_ - done_;
    step_ = std::min(left, periods_at_once);
    run.end = {run.start.t.cycles + step_, 0.0};
    run.keep_events = false;
    run.measure_range = true;
    if (in_transient_) return true;
    run.follower = meter_.get();
    for (long k = 1; k <= step_; ++k) run.samples.push_back({run.start.t.cycles + k, 0.0});
    return true;
  }

  void take(FlowResult&& result) override {
    if (result.outcome == Outcome::stopped) return;  // interrupted: nothing follows
    way_.include(result);
    if (result.outcome == Outcome::reached_end && !in_transient_) measure(result);
    point_ = std::move(result.end);
    done_ += step_;
    if (result.outcome != Outcome::reached_end) return finish(result.outcome);
    if (in_transient_ && done_ >= transient_) {
      in_transient_ = false;
      done_ = 0;
      point_.t = {};  // a whole number of periods has passed
    } else if (!in_transient_ && done_ >= length_) {
      finish(Outcome::reached_end);
    }
  }

 private:
  const Ramp& ramp() const { return shared_.ramps[ramp_]; }
  const RampValue& value() const { return shared_.values[ramp().values[place_]]; }

  void begin() {
    if (const auto known = shared_.options.known ? shared_.options.known(ramp_, place_) : std::nullopt)
      return follow(*known);
    const Vector& start = last_ ? *last_ : place_ == 0 && ramp().start ? *ramp().start : value().x;
    point_ = start_point(shared_.kernels, {}, admissible(shared_.kernels, value().parameters, start),
                         LaneStepper::Carries::state);
    transient_ = std::lround(value().transient);
    length_ = std::lround(value().length);
    in_transient_ = transient_ > 0;
    done_ = 0;
    strobes_.clear();
    way_ = motion_ = {};
    held_time_ = 0.0;
    way_.include(point_.x);
    meter_ = std::make_unique<QuantityMeter>(shared_.kernels, value().parameters, shared_.quantity);
    busy_ = true;
  }

  void measure(const FlowResult& result) {
    meter_->keep();
    motion_.include(result);
    held_time_ += result.ledger.held_time;
    for (const Sample& sample : result.samples) strobes_.push_back(sample.x);
    if (strobes_.size() > 2 * most_strobes)
      strobes_.erase(strobes_.begin(), strobes_.end() - static_cast<std::ptrdiff_t>(most_strobes));
  }

  void finish(Outcome outcome) {
    ResponsePoint point{.ramp = ramp_, .place = place_, .outcome = outcome, .end = point_.x};
    if (outcome == Outcome::reached_end) {
      const Translations translations = translations_of(shared_.kernels, value().parameters);
      const std::size_t longest = shared_.options.longest_period;
      StateSizes sizes = state_sizes(shared_.kernels, shared_.options.flow, translations, motion_, way_, point_);
      sizes.allow_drift(translations, strobes_);
      Recurrence recurrence = recurrence_of(strobes_, translations, sizes, longest);
      if (held_time_ > 0.0) {
        FlowRun from;
        from.start = point_;
        from.period = value().period;
        from.parameters = value().parameters;
        recurrence =
            unless_by_rounding(std::move(recurrence), shared_.kernels, shared_.options.flow, from, translations, sizes);
      }
      point.period = recurrence.period.value_or(0);
      point.doubtful = recurrence.doubt.has_value();
      point.grows = recurrence.grows;
      if (point.period > 0) point.stability = stability_of_orbit(shared_, value(), point_.x, point.period);
      point.strobes = strobes_.size();
      point.amplitudes = amplitudes(static_cast<long>(point.period), translations);
      point.drifts = point.period == 0 && follows(translations);
    }
    {
      const std::lock_guard lock(shared_.mutex);
      shared_.options.found(point);
    }
    follow(point);
  }

  /// Where a coordinate drifts without repeating, its amplitude would be that of the run.
  bool follows(const Translations& translations) const {
    const Mechanism mechanism(shared_.kernels, value().parameters);
    return follows_drift(mechanism, 0.0, point_.x, translations.cyclic());
  }

  /// Of all that was measured; of a motion whose period is no part of that, or that comes back up to a translation, over its next period:
  /// parts of one would count more than others.
  Amplitudes amplitudes(long period, const Translations& translations) const {
    const Amplitudes all = meter_->meter().amplitudes();
    if (period == 0) return follows(translations) ? Amplitudes{no, no, no, no, no} : all;
    const Vector gain = strobes_.back() - strobes_[strobes_.size() - 1 - static_cast<std::size_t>(period)];
    const Vector shift = gain - translations.remainder(gain);
    if (length_ % period == 0 && shift.isZero(0.0)) return all;
    const auto go_round = [&](PathFollower& follower) {
      FlowRun run;
      run.start = point_;
      run.end = {point_.t.cycles + period, 0.0};
      run.period = value().period;
      run.parameters = value().parameters;
      run.keep_events = false;
      run.follower = &follower;
      return flow(shared_.kernels, shared_.options.flow, run).outcome == Outcome::reached_end;
    };
    return amplitudes_of_period(shared_.kernels, value().parameters, shared_.quantity, 0.0, point_.x, shift, go_round)
        .value_or(all);
  }

  void follow(const ResponsePoint& point) {
    last_ = point.outcome == Outcome::reached_end ? std::optional(point.end) : std::nullopt;
    ++place_;
    busy_ = false;
  }

  SharedResponse& shared_;
  std::size_t ramp_;
  std::size_t place_ = 0;
  bool busy_ = false;
  bool in_transient_ = true;
  long transient_ = 0, length_ = 0, done_ = 0, step_ = 0;
  FlowPoint point_;
  std::unique_ptr<QuantityMeter> meter_;
  std::vector<Vector> strobes_;
  StateRange way_, motion_;  // since the start; of what is measured
  double held_time_ = 0.0;  // in contact, or along a switch, while it was measured
  std::optional<Vector> last_;
};

class ResponseQueue final : public JobQueue {
 public:
  explicit ResponseQueue(SharedResponse& shared) : shared_(shared) {}
  std::unique_ptr<LaneJob> next() override {
    return next_ < shared_.ramps.size() ? std::make_unique<ResponseJob>(shared_, next_++) : nullptr;
  }
  void done(std::unique_ptr<LaneJob>) override {}
  bool interrupted() override { return shared_.options.interrupted && shared_.options.interrupted(); }

 private:
  SharedResponse& shared_;
  std::size_t next_ = 0;
};

}  // namespace

LaneUse follow_responses(const Kernels& kernels, const ObservedQuantity& quantity, const std::vector<RampValue>& values,
                         const std::vector<Ramp>& ramps, const ResponseOptions& options) {
  SharedResponse shared{kernels, quantity, values, ramps, options, {}};
  ResponseQueue queue(shared);
  return run_jobs(kernels, options.flow, LaneStepper::Carries::state, options.width, options.threads, queue);
}

std::optional<Amplitudes> amplitudes_from(const Kernels& kernels, const ObservedQuantity& quantity,
                                          const FlowOptions& options, const std::vector<double>& parameters,
                                          double period, const Vector& x, long periods) {
  QuantityMeter meter(kernels, parameters, quantity);
  FlowRun run;
  run.start = start_point(kernels, {}, x, LaneStepper::Carries::state);
  run.end = {periods, 0.0};
  run.period = period;
  run.parameters = parameters;
  run.keep_events = false;
  run.follower = &meter;
  const FlowResult result = flow(kernels, options, run);
  if (result.outcome != Outcome::reached_end) return std::nullopt;
  meter.keep();
  return meter.meter().amplitudes();
}

}  // namespace saltus
