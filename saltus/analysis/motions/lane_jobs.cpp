#include "saltus/analysis/motions/lane_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

#include "saltus/analysis/motions/parallel.hpp"

namespace saltus {
namespace {

/// The queue with a lock, and the first thing that went wrong.
class SharedQueue {
 public:
  explicit SharedQueue(JobQueue& queue) : queue_(queue) {}

  std::unique_ptr<LaneJob> next() {
    return guarded([&] { return queue_.next(); });
  }
  void done(std::unique_ptr<LaneJob> job) {
    guarded([&] {
      queue_.done(std::move(job));
      return nullptr;
    });
  }
  bool stops() {
    if (failed_) return true;
    const std::lock_guard lock(mutex_);
    return queue_.interrupted();
  }
  void fail(std::exception_ptr what) {
    const std::lock_guard lock(mutex_);
    if (!what_) what_ = std::move(what);
    failed_ = true;
  }
  void add(const LaneUse& use) {
    const std::lock_guard lock(mutex_);
    use_ += use;
  }
  LaneUse finish() const {
    if (what_) std::rethrow_exception(what_);
    return use_;
  }

 private:
  template <class Action>
  auto guarded(const Action& action) -> decltype(action()) {
    if (failed_) return nullptr;
    try {
      const std::lock_guard lock(mutex_);
      return action();
    } catch (...) { fail(std::current_exception()); }
    return nullptr;
  }

  JobQueue& queue_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr what_;
  LaneUse use_;
};

/// The lanes of one thread.
class JobLanes final : public LaneWork {
 public:
  explicit JobLanes(SharedQueue& queue) : queue_(queue) {}

  bool next(std::size_t lane, FlowRun& run) override {
    if (lane >= jobs_.size()) jobs_.resize(lane + 1);
    while (!queue_.stops()) {
      if (!jobs_[lane]) jobs_[lane] = queue_.next();
      if (!jobs_[lane]) return false;
      if (began(lane, run)) return true;
      queue_.done(std::move(jobs_[lane]));
      jobs_[lane].reset();
    }
    return false;
  }
  void done(std::size_t lane, FlowResult&& result) override {
    try {
      jobs_[lane]->take(std::move(result));
    } catch (...) { queue_.fail(std::current_exception()); }
  }

 private:
  bool began(std::size_t lane, FlowRun& run) {
    try {
      if (!jobs_[lane]->next(run)) return false;
      // What an interrupted run leaves is taken by the job but never asked for: no run follows it.
      run.interrupted = [this] { return queue_.stops(); };
      return true;
    } catch (...) { queue_.fail(std::current_exception()); }
    return false;
  }

  SharedQueue& queue_;
  std::vector<std::unique_ptr<LaneJob>> jobs_;
};

}  // namespace

LaneUse run_jobs(const Kernels& kernels, const FlowOptions& options, LaneStepper::Carries carries, unsigned width,
                 unsigned threads, JobQueue& queue) {
  SharedQueue shared(queue);
  parallel_for_each(std::max(1U, threads), threads, [&](std::size_t) {
    JobLanes lanes(shared);
    shared.add(flow_lanes(kernels, options, width, carries, lanes));
  });
  return shared.finish();
}

}  // namespace saltus
