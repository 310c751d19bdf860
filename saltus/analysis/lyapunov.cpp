#include "saltus/analysis/lyapunov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "saltus/analysis/motion_run.hpp"

namespace saltus {
namespace {

/// The motions in the order of their starts; they stay here, also those that an interrupt leaves unfinished.
class SpectrumQueue final : public JobQueue {
 public:
  SpectrumQueue(std::vector<std::unique_ptr<MotionRun>>& runs, const std::function<bool()>& interrupted,
                const std::function<void(double)>& progress)
      : runs_(runs), interrupted_(interrupted), progress_(progress) {}

  std::unique_ptr<LaneJob> next() override {
    return next_ < runs_.size() ? std::make_unique<Lent>(*this, *runs_[next_++]) : nullptr;
  }
  void done(std::unique_ptr<LaneJob>) override {}
  bool interrupted() override { return interrupted_ && interrupted_(); }

 private:
  class Lent final : public LaneJob {
   public:
    Lent(SpectrumQueue& queue, MotionRun& run) : queue_(queue), run_(run) {}
    bool next(FlowRun& run) override { return run_.next(run); }
    void take(FlowResult&& result) override {
      run_.take(std::move(result));
      queue_.add(run_.last_part());
    }

   private:
    SpectrumQueue& queue_;
    MotionRun& run_;
  };

  void add(double part) {
    const std::lock_guard lock(mutex_);
    done_ += part;
    if (progress_) progress_(done_ / static_cast<double>(runs_.size()));
  }

  std::vector<std::unique_ptr<MotionRun>>& runs_;
  std::size_t next_ = 0;
  std::mutex mutex_;
  double done_ = 0.0;
  const std::function<bool()>& interrupted_;
  const std::function<void(double)>& progress_;
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
  MotionOptions motion;
  static_cast<LyapunovOptions&>(motion) = options;
  std::vector<std::unique_ptr<MotionRun>> runs;
  for (const LyapunovStart& start : starts) runs.push_back(std::make_unique<MotionRun>(kernels, start, motion));
  SpectrumQueue queue(runs, interrupted, progress);
  run_jobs(kernels, options.flow, LaneStepper::Carries::state_and_tangent, width, threads, queue);
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
