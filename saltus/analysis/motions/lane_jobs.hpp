#pragma once

#include <functional>
#include <memory>

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// Work for one lane: runs that follow one another, each perhaps from the end of the last.
class LaneJob {
 public:
  virtual ~LaneJob() = default;
  /// The next run, or false if there is none: the job is done.
  virtual bool next(FlowRun& run) = 0;
  virtual void take(FlowResult&& result) = 0;
};

/// Where jobs come from and where they go. Called by one thread at a time; what a job costs to begin belongs into its first
/// `next`, which many threads call at once.
class JobQueue {
 public:
  virtual ~JobQueue() = default;
  /// Nothing: there are no more.
  virtual std::unique_ptr<LaneJob> next() = 0;
  virtual void done(std::unique_ptr<LaneJob> job) = 0;
  /// True: no run is begun any more. Asked between runs.
  virtual bool interrupted() { return false; }
};

/// Computes all jobs of the queue, `width` at a time in each of `threads` threads. A lane whose job ends gets the next one at
/// once, so a long or failed motion holds up no other. What a job computes does not depend on width, threads or order. An
/// exception from the queue ends the work and is thrown again here.
LaneUse run_jobs(const Kernels& kernels, const FlowOptions& options, LaneStepper::Carries carries, unsigned width,
                 unsigned threads, JobQueue& queue);

}  // namespace saltus
