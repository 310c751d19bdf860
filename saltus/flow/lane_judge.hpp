#pragma once

#include <array>

#include "saltus/flow/lane_cruise.hpp"
#include "saltus/flow/lane_exclusion.hpp"
#include "saltus/flow/lane_row.hpp"
#include "saltus/flow/unseen_force.hpp"

namespace saltus {

/// What becomes of a lane's trial: taken, or tried again with another length, or in another mode, or the end of the motion. The event
/// functions at its ends are LaneValues, what they say of one lane is LaneTrial, what is proven of the time between LaneExclusion.
class LaneJudge {
 public:
  LaneJudge(const Kernels& kernels, const FlowOptions& options, LaneRow& row);

  /// Again: with the length that the lane's phase or its next trial says; in a new mode: the point's mode has changed.
  enum class Kind { again, taken, in_new_mode, ended };
  struct Verdict {
    Kind kind;
    Outcome outcome = Outcome::reached_end;  // if ended
  };

  /// Trials of all lanes have been made: bounds over them, of forces and weights for those with a mode here, if there are some.
  void look(const LaneExclusion::SlidingModes* sliding);
  /// Of motions that cruise.
  struct Cruising {
    LaneSet undisturbed;  // the ends of the trial prove that it is taken and that nothing happens in it
    LaneSet inexact;  // its error is too large, and nothing else is amiss
  };
  Cruising judge_all(const LaneCruise& cruise);
  /// As far as the ends of a trial tell; where they do not, nothing.
  std::optional<Verdict> judge(std::size_t l);
  /// A lane of which the ends do not prove everything.
  Verdict judge_inside(std::size_t l);

 private:
  Verdict reject(std::size_t l, Outcome reason);
  Verdict end_if_still(std::size_t l, Outcome reason);
  void look_for_unseen();
  std::optional<Verdict> judge_unseen(std::size_t l);
  Verdict turn_to(std::size_t l, const LaneExclusion::Inside& inside);
  std::optional<Verdict> shorten_to_hold(std::size_t l);
  Verdict end_clear(std::size_t l);
  Verdict shorten(std::size_t l, double part);
  Verdict go_on(std::size_t l);
  Verdict head_for(std::size_t l, const Guard& guard, double theta);
  Verdict keep_closed(std::size_t l, const Guard& guard);
  Verdict land(std::size_t l);
  Verdict land_on_minimum(std::size_t l, const EndJet& now);
  Verdict stand_on(std::size_t l, const Guard& guard, double beyond);
  void grow(std::size_t l);
  void write_down(std::size_t l);

  const FlowOptions& options_;
  const Layout& layout_;
  LaneRow& row_;
  LaneExclusion exclusion_;
  std::optional<UnseenForce> unseen_;
  bool unseen_looked_ = false;  // at these trials
};

}  // namespace saltus
