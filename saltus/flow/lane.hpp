#pragma once

#include "saltus/flow/held_field.hpp"
#include "saltus/flow/motion.hpp"

namespace saltus {

/// A motion in a lane of Runge-Kutta steps: everything but the arrays that it shares with its neighbours.
struct Lane : Motion {
  std::unique_ptr<HeldField> held;  // the field of a mode in which several switches hold the motion
  double trial = 0.0;       // length of the next trial step
  bool ends = false;        // the trial reaches the end of the run
  bool aimed = false;       // the trial is as long as a parabola says that the gap of `aim` lasts
  std::size_t aim = 0;
  double retarget = 0.0;    // > 0: an aimed trial was too short, this is how long it should be
  bool rejected = false;    // the last trial was
  bool shortened = false;   // the trial is, because a longer one could not be decided
  bool masked = false;      // contacts are closed or switches slid along
  std::optional<Landing> landing;
  std::optional<Guard> landed;   // the guard that the trial ends on ...
  double beyond = 0.0;           // ... this much later than the trial itself
  bool beside = false;           // the point is still where the trial ends ...
  bool to_root = false;          // ... and the surface is one with a root of its function
  double flown = 0.0;            // since the last event
  long turns = 0;                // of the forcing, in the last step
  std::vector<Guard> guards;     // of the mode
  bool at_minimum = false;     // the trial ends at the minimum of a gap
  bool after_minimum = false;  // the step begins at the minimum of a gap that was looked at
  bool strikes = false;        // stands before an impact that may be a plain one

  enum class Kind { free, sliding, striking, idle };
  Kind kind() const {
    if (!active) return Kind::idle;
    return strikes ? Kind::striking : masked ? Kind::sliding : Kind::free;
  }
};

}  // namespace saltus
