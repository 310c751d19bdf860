#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "saltus/flow/lane_row.hpp"

namespace saltus {

/// The motions of a row that nothing concerns but gaps and a contact force: without switches, unwatched, unmeasured, no more than one contact
/// closed. Their trials are chosen, tried again and written down when taken, in arrays over the lanes, which one loop passes over. Whoever meets
/// something leaves: then its lane has the books again, bit for bit as if every step had gone through it.
class LaneCruise {
 public:
  LaneCruise(const FlowOptions& options, LaneRow& row);

  LaneSet lanes() const { return on_; }
  bool has(std::size_t l) const { return on_.has(l); }
  /// Those whose trials begin where something has just happened: of that contact nothing is known without a look.
  LaneSet just_met() const { return just_met_; }
  /// Those that slide, on a contact each.
  LaneSet sliding() const { return sliding_; }
  /// The closed contact of a motion that it has; `none` if all are open.
  std::size_t closed(std::size_t l) const { return closed_[l]; }
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// Takes a lane that stands before a trial of natural length, if it is of that kind.
  void join(std::size_t l);
  void leave(std::size_t l);
  void leave_all();

  /// The lengths of the next trials. Who comes to the end of its run, to the end of a period or to that of a short flight leaves.
  void choose_steps();
  /// The trials of these are too long for their errors. Who does not move with a shorter one leaves, to be told so.
  LaneSet try_again(LaneSet chosen);
  /// The trials of these are taken: how long the next ones are, and time goes on.
  void move_on(LaneSet chosen);
  /// Of these, whose steps were taken, the ones that keep a frame whose turn it is.
  LaneSet with_frames_due(LaneSet chosen);
  /// Now and then somebody has to be asked, see Motion::poll; or the projection of a slide has taken an open gap over the edge.
  LaneSet to_look_at(LaneSet chosen) const;

 private:
  using Numbers = std::array<double, 8>;

  bool may_join(std::size_t l) const;
  bool gap_is_due(std::size_t l) const;
  LaneSet in_short_flights() const;

  const FlowOptions& options_;
  const Layout& layout_;
  LaneRow& row_;
  LaneSet on_, just_met_, sliding_, keeps_frame_;
  std::array<std::size_t, 8> closed_{};
  // Place in the period, what rounding took from it; what is left of the run: whole periods, and the end's place in its own.
  Numbers phase_{}, rest_{}, whole_{}, end_phase_{}, end_rest_{};
  Numbers period_{}, turn_{};  // where the period ends; infinite without one
  Numbers step_{}, flown_{};
  Numbers most_growth_{};  // see StepControl
  std::array<std::int64_t, 8> steps_before_{}, steps_{};  // in the ledger; with those not yet there
};

}  // namespace saltus
