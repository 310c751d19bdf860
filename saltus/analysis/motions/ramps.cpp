#include "saltus/analysis/motions/ramps.hpp"

#include <mutex>

namespace saltus {
namespace {

struct Shared {
  const Kernels& kernels;
  const std::vector<RampValue>& values;
  const std::vector<Ramp>& ramps;
  const RampOptions& options;
  std::mutex mutex;
};

class RampJob final : public LaneJob {
 public:
  RampJob(Shared& shared, RampStart start)
      : shared_(shared), ramp_(start.ramp), place_(start.place), last_(std::move(start.x)) {}

  bool next(FlowRun& run) override {
    while (true) {
      if (motion_) {
        if (motion_->next(run)) return true;
        finish();
      }
      if (place_ >= ramp().values.size()) return false;
      begin();
    }
  }
  void take(FlowResult&& result) override { motion_->take(std::move(result)); }

 private:
  const Ramp& ramp() const { return shared_.ramps[ramp_]; }
  const RampValue& value() const { return shared_.values[ramp().values[place_]]; }

  void begin() {
    motion_options_ = shared_.options.motion;
    motion_options_.transient = value().transient;
    if (place_ == 0) motion_options_.transient = std::max(motion_options_.transient, shared_.options.settle);
    motion_options_.length = value().length;
    const Vector& start = last_ ? *last_ : place_ == 0 && ramp().start ? *ramp().start : value().x;
    LyapunovStart from{admissible(shared_.kernels, value().parameters, start), value().parameters, value().period};
    motion_ = std::make_unique<MotionRun>(shared_.kernels, std::move(from), motion_options_);
  }

  void finish() {
    LyapunovSpectrum spectrum = motion_->spectrum();
    RampResult result{.ramp = ramp_,
                      .place = place_,
                      .outcome = spectrum.outcome,
                      .verdict = spectrum.verdict,
                      .exponents = spectrum.exponents,
                      .impacts_per_unit_time = spectrum.impacts_per_unit_time,
                      .sliding_fraction = spectrum.sliding_fraction,
                      .end = spectrum.end.x,
                      .points = shared_.options.observe(motion_->recorded(), value())};
    {
      const std::lock_guard lock(shared_.mutex);
      shared_.options.found(result);
    }
    motion_.reset();
    last_ = result.outcome == Outcome::reached_end ? std::optional(result.end) : std::nullopt;
    ++place_;
  }

  Shared& shared_;
  std::size_t ramp_;
  std::size_t place_;
  MotionOptions motion_options_;
  std::unique_ptr<MotionRun> motion_;
  std::optional<Vector> last_;
};

class RampQueue final : public JobQueue {
 public:
  explicit RampQueue(Shared& shared) : shared_(shared) {}
  std::unique_ptr<LaneJob> next() override {
    const std::optional<RampStart> start = shared_.options.next ? shared_.options.next() : in_order();
    return start ? std::make_unique<RampJob>(shared_, *start) : nullptr;
  }
  void done(std::unique_ptr<LaneJob>) override {}
  bool interrupted() override { return shared_.options.interrupted && shared_.options.interrupted(); }

 private:
  std::optional<RampStart> in_order() {
    return next_ < shared_.ramps.size() ? std::optional(RampStart{next_++}) : std::nullopt;
  }

  Shared& shared_;
  std::size_t next_ = 0;
};

}  // namespace

Vector admissible(const Kernels& kernels, const std::vector<double>& parameters, Vector x) {
  const Layout& layout = kernels.layout();
  if (layout.contacts == 0) return x;
  const Mechanism mechanism(kernels, parameters);
  const Mode mode(layout);
  constexpr int most_passes = 50;
  for (int pass = 0; pass < most_passes; ++pass) {
    const ContactValue at = mechanism.contact(0.0, x, mode);
    Eigen::Index deepest = 0;
    if (!is_penetrating(mechanism, 0.0, x, x.cwiseAbs(), 1e-15)) return x;
    at.h.minCoeff(&deepest);
    x.head(static_cast<Eigen::Index>(layout.n)) -=
        at.response.row(deepest).transpose() * (at.h[deepest] / at.delassus(deepest, deepest));
  }
  return x;
}

LaneUse follow_ramps(const Kernels& kernels, const std::vector<RampValue>& values, const std::vector<Ramp>& ramps,
                     const RampOptions& options) {
  Shared shared{kernels, values, ramps, options, {}};
  RampQueue queue(shared);
  const auto carries =
      kernels.layout().state_columns > 0 ? LaneStepper::Carries::state_and_tangent : LaneStepper::Carries::state;
  return run_jobs(kernels, options.motion.flow, carries, options.width, options.threads, queue);
}

}  // namespace saltus
