#pragma once

#include "saltus/flow/lane.hpp"
#include "saltus/flow/lane_stepper.hpp"

namespace saltus {

/// The interior of a lane's trial that will be taken, as far as the instant that it leads to, h after its start: what a run wants of it.
class LaneInterior {
 public:
  LaneInterior(LaneStepper& stepper, Lane& lane, std::size_t l)
      : stepper_(stepper), lane_(lane), l_(l), h_(stepper.h(l) + lane.beyond()) {}

  void follow();

 private:
  void take_samples();
  void show();
  void add_divergence();
  void add_work();
  void note_range();
  Vector state_at(double theta);

  LaneStepper& stepper_;
  Lane& lane_;
  std::size_t l_;
  double h_;
};

}  // namespace saltus
