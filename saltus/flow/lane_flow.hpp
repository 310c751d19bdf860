#pragma once

#include <array>
#include <utility>

#include "saltus/flow/event_loop.hpp"
#include "saltus/flow/lane_cruise.hpp"
#include "saltus/flow/lane_judge.hpp"
#include "saltus/flow/lane_row.hpp"
#include "saltus/flow/lane_strikes.hpp"

namespace saltus {

/// The road of Runge-Kutta steps, W motions side by side. Lanes share the instructions of a trial step, of sliding projections and
/// of plain impacts, and nothing else; what else happens at an instant is computed for its lane alone, with the functions of width
/// 1, which give the same bits.
///
/// Where the motions stand is `LaneRow`, what becomes of a trial `LaneJudge`, impacts of many lanes are `LaneStrikes`, and `LaneCruise` has the books of those that meet nothing. Here is which lanes
/// take part, how long their trials are, and the order of all that.
class LaneFlow final : public EventLoop {
 public:
  /// Motions of this kind take part in a step; nothing: all of them.
  using Company = std::optional<Lane::Kind>;

  LaneFlow(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
           LaneWork& work, Company company = std::nullopt, std::size_t first_seat = 0);

  // Piece by piece, for several that share their work.
  void choose(Company company);
  /// One trial step of those that take part, or their impacts.
  void step() override;
  std::size_t width() const override { return row_.width(); }
  Lane::Kind kind(std::size_t l) const { return kinds_[l]; }
  LaneSet active() const { return active_; }
  LaneSet idle() const { return LaneSet::all(width()) - active_; }
  bool takes_part(std::size_t l) const { return taking_part_.has(l); }
  long count_taking_part() const override { return count_; }
  /// Where motions stand that do not take part.
  LaneSet strangers() const { return active_ - taking_part_; }
  /// True once after a motion came, went or became another kind.
  bool take_unrest() { return std::exchange(unrest_, false); }
  /// Exchanges the motions, or the lack of one, of a lane here and a lane there.
  void exchange(std::size_t l, LaneFlow& other, std::size_t other_l);

 private:
  Motion& motion_in(std::size_t l) override { return row_[l]; }
  void clear(std::size_t l) override { row_.clear(l); }
  void note_kind(std::size_t l) override;
  double first_step(std::size_t l) override;
  void enter(std::size_t l) override;
  void leave(std::size_t l) override { row_.leave(l); }
  void watch_anew(std::size_t l) override;
  void advance() override;
  bool carry_over(std::size_t l, const Guard& guard) override;
  std::optional<Guard> overdue(std::size_t l) override;
  void note_gaps(std::size_t l) override { row_.note_gaps(l); }

  void set_tolerances(std::size_t l);
  void choose_step(std::size_t l);
  void aim(std::size_t l);
  const LaneExclusion::SlidingModes* sliding_modes();
  void judge();
  bool is_taken(std::size_t l, const LaneJudge::Verdict& verdict);
  long move_on(std::size_t l);
  void go_to_instants();
  void go_singly(LaneSet chosen);
  void arrive(std::size_t l);
  /// False: no lane that takes part does, and none need be asked.
  bool may_slide() const { return layout_.contacts + layout_.switches > 0 && company_ != Lane::Kind::free; }
  void strike();

  LaneRow row_;
  LaneJudge judge_;
  LaneStrikes strikes_;
  LaneCruise cruise_;
  Company company_;
  std::array<Lane::Kind, 8> kinds_;
  LaneSet active_, taking_part_;
  long count_ = 0;  // of those that take part
  bool unrest_ = true;
  LaneSet taken_;
  LaneExclusion::SlidingModes sliding_modes_{};
};

}  // namespace saltus
