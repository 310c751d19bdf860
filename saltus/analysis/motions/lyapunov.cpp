#include "saltus/analysis/motions/lyapunov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "saltus/analysis/motions/motion_run.hpp"

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
    case MotionKind::not_periodic: return "not periodic";
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

}  // namespace saltus
