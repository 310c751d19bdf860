#pragma once

#include <array>
#include <limits>

#include "saltus/flow/lane_row.hpp"

namespace saltus {

/// The motions of a row that nothing concerns but gaps and a contact force: without switches, unwatched, unmeasured, away from the last event,
/// no more than one contact closed. Their trials are chosen, and written down when taken, in arrays over the lanes, which one loop passes over. Whoever meets something leaves: then its
/// lane has the books again, bit for bit as if every step had gone through it.
class LaneCruise {
 public:
  LaneCruise(const FlowOptions& options, LaneRow& row);

  bool has(std::size_t l) const { return on_[l]; }
  /// The closed contact of a motion that it has; `none` if all are open.
  std::size_t closed(std::size_t l) const { return closed_[l]; }
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// Takes a lane whose step was taken, if it is of that kind.
  void join(std::size_t l);
  void leave(std::size_t l);
  void leave_all();

  /// The lengths of the next trials. Who comes to the end of its run, to the end of a period or to that of a short flight leaves.
  void choose_steps();
  /// The trial is taken: how long the next one is, and time goes on.
  void move_on(std::size_t l);
  /// The motion keeps a frame whose turn it is.
  bool frame_is_due(std::size_t l) { return keeps_frame_[l] && row_[l].frame.is_due(); }
  /// The projection of a slide has taken an open gap over the edge.
  bool gap_is_due(std::size_t l) const;
  /// Now and then somebody has to be asked: see Motion::poll.
  bool is_to_poll(std::size_t l) const { return (steps_before_[l] + steps_[l]) % Motion::steps_between_polls == 0; }

 private:
  using Numbers = std::array<double, 8>;

  bool may_join(std::size_t l) const;
  void leave_short_flights();

  const FlowOptions& options_;
  const Layout& layout_;
  LaneRow& row_;
  std::array<bool, 8> on_{};
  std::array<bool, 8> keeps_frame_{};
  std::array<std::size_t, 8> closed_{};
  std::array<Time, 8> now_;
  Numbers whole_{}, end_phase_{},
      end_rest_{};  // what is left of the run: whole periods, and the end's place in its own
  Numbers period_{}, step_{}, flown_{};
  Numbers longest_{};  // a step, where there are periods
  std::array<StepControl, 8> control_;
  std::array<long, 8> steps_before_{}, steps_{};  // in the ledger, and not yet there
};

}  // namespace saltus
