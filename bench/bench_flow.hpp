// Motions of one model in lanes, as an analysis would order them.
#pragma once

#include <cmath>
#include <vector>

#include "saltus/flow/flow_run.hpp"

namespace bench {

/// What a batch of motions did, all of them together.
struct FlowCount {
  long steps = 0;     // taken or rejected; true steps towards a contact are not counted
  long impacts = 0;
  long unfinished = 0;  // ended before their time
  void add(const saltus::FlowResult& result) {
    steps += result.ledger.steps + result.ledger.rejected;
    impacts += result.ledger.impacts;
    if (result.outcome != saltus::Outcome::reached_end) ++unfinished;
  }
};

/// Whole motions from a queue.
class Queue final : public saltus::LaneWork {
 public:
  explicit Queue(std::vector<saltus::FlowRun> runs) : runs_(std::move(runs)) {}
  bool next(std::size_t, saltus::FlowRun& run) override {
    if (taken_ == runs_.size()) return false;
    run = runs_[taken_++];
    return true;
  }
  void done(std::size_t, saltus::FlowResult&& result) override { count.add(result); }
  FlowCount count;

 private:
  std::vector<saltus::FlowRun> runs_;
  std::size_t taken_ = 0;
};

/// The same, period by period, with the columns of the tangent made orthonormal after each: what Lyapunov exponents need.
class OrthonormalQueue final : public saltus::LaneWork {
 public:
  explicit OrthonormalQueue(std::vector<saltus::FlowRun> runs) : runs_(std::move(runs)) {}

  bool next(std::size_t l, saltus::FlowRun& run) override {
    if (l >= lanes_.size()) lanes_.resize(l + 1);
    Lane& lane = lanes_[l];
    if (!lane.busy) {
      if (taken_ == runs_.size()) return false;
      lane.run = runs_[taken_++];
      lane.last = lane.run.end.cycles;
      lane.busy = true;
    }
    lane.run.end = {lane.run.start.t.cycles + 1, 0.0};
    run = lane.run;
    return true;
  }

  void done(std::size_t l, saltus::FlowResult&& result) override {
    Lane& lane = lanes_[l];
    count.add(result);
    lane.run.start = std::move(result.end);
    orthonormalise(lane.run.start.tangent);
    lane.busy = result.outcome == saltus::Outcome::reached_end && lane.run.start.t.cycles < lane.last;
  }
  FlowCount count;
  double growth = 0.0;  // Σ ln r_ii over all columns and motions

 private:
  struct Lane {
    saltus::FlowRun run;
    long last = 0;
    bool busy = false;
  };

  /// Modified Gram-Schmidt.
  void orthonormalise(saltus::Matrix& X) {
    for (Eigen::Index c = 0; c < X.cols(); ++c) {
      for (Eigen::Index k = 0; k < c; ++k) X.col(c) -= X.col(k).dot(X.col(c)) * X.col(k);
      const double r = X.col(c).norm();
      X.col(c) /= r;
      growth += std::log(r);
    }
  }

  std::vector<saltus::FlowRun> runs_;
  std::vector<Lane> lanes_;
  std::size_t taken_ = 0;
};

}  // namespace bench
