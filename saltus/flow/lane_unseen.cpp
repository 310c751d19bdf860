#include <cmath>

#include "saltus/flow/lane_flow.hpp"

// Forces that the stages of a trial cannot have seen.

namespace saltus {

/// A shorter trial where the motion may have met a force that this one did not see.
std::optional<LaneFlow::Verdict> LaneFlow::judge_unseen(std::size_t l) {
  if (!unseen_ || stepper_.h(l) == 0.0) return std::nullopt;
  if (!unseen_looked_) unseen_->look(stepper_);
  unseen_looked_ = true;
  if (unseen_->shows_all(l)) return std::nullopt;
  stepper_.prepare_dense();
  Lane& lane = motion(l);
  for (std::size_t i = 0; i < one_mode_.size(); ++i) one_mode_[i] = stepper_.mode(i, l);
  const KernelSet& one = kernels_.at(1);
  const auto field = [&](double t, const double* x, double* rate) {
    if (lane.held) return lane.held->write(t, {x, 1}, {rate, 1}, false);
    (lane.masked ? one.sliding : one.field)(&t, x, lane.run.parameters.data(), one_mode_.data(), nullptr, rate);
  };
  const auto unseen = unseen_->first_unseen(stepper_, l, field);
  if (!unseen) return std::nullopt;
  ++lane.result.ledger.rejected;
  lane.trial = part_to_try(*unseen) * stepper_.h(l);
  // Before it the motion goes on as it was; inside, as long as the force is narrow.
  if (lies_ahead(*unseen)) lane.shortened = true;
  else lane.point.natural_step = std::min(lane.point.natural_step, lane.trial);
  lane.phase = Free{};
  if (lane.trial > 16.0 * epsilon * std::max(std::abs(stepper_.t(l)), 1e-290)) return Verdict::retry;
  end(l, Outcome::step_too_small);
  refill(l);
  return Verdict::retry;
}

}  // namespace saltus
