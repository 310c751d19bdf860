#pragma once

#include <array>

#include "saltus/flow/lane_flow.hpp"

namespace saltus {

/// Up to 3 W motions, of which W do the same at once: free steps, sliding steps, impacts. One kernel then serves all lanes, whatever
/// happens to their motions. Of 3 W − 2 motions at least W are of one kind: no lane is empty before the work ends.
class LanePool {
 public:
  LanePool(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
           LaneWork& work);
  LaneUse run();

 private:
  LaneFlow& flow_of(Lane::Kind kind) { return flows_[static_cast<std::size_t>(kind)]; }
  LaneFlow& free() { return flow_of(Lane::Kind::free); }
  void arrange();
  void sort();
  void rotate();
  void gather();
  long count_active() const;

  std::array<LaneFlow, 3> flows_;  // by kind; new motions begin with the free ones
  long steps_ = 0;
};

}  // namespace saltus
