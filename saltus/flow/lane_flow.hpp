#pragma once

#include <array>
#include <limits>
#include <utility>

#include "saltus/flow/event_loop.hpp"
#include "saltus/flow/lane.hpp"
#include "saltus/flow/lane_exclusion.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/flow/lane_trial.hpp"
#include "saltus/flow/lane_values.hpp"
#include "saltus/flow/single_impact.hpp"
#include "saltus/flow/sliding_projection.hpp"
#include "saltus/flow/step_beside.hpp"
#include "saltus/flow/unseen_force.hpp"

namespace saltus {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The road of Runge-Kutta steps, W motions side by side. Lanes share the instructions of a trial step, of sliding projections and
/// of plain impacts, and nothing else; what else happens at an instant is computed for its lane alone, with the functions of width
/// 1, which give the same bits.
///
/// The event functions at both ends of the trials are `LaneValues`, what they say of one lane `LaneTrial`, what is proven of the time
/// between `LaneExclusion`; what a run wants to know of it is told by `LaneInterior`, and the last short way to an event is `StepBeside`.
/// Here are the steps (lane_flow.cpp), what becomes of a trial (lane_landing.cpp), the way past roots on switching surfaces
/// (lane_roots.cpp) and plain impacts of many lanes (lane_instants.cpp).
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
  std::size_t width() const override { return lanes_.size(); }
  Lane::Kind kind(std::size_t l) const { return kinds_[l]; }
  bool is_active(std::size_t l) const { return kinds_[l] != Lane::Kind::idle; }
  bool takes_part(std::size_t l) const { return company_ ? kinds_[l] == *company_ : is_active(l); }
  long count_taking_part() const override { return taking_part_; }
  /// True once after a motion came, went or became another kind.
  bool take_unrest() { return std::exchange(unrest_, false); }
  /// Exchanges the motions, or the lack of one, of a lane here and a lane there.
  void exchange(std::size_t l, LaneFlow& other, std::size_t other_l);

 private:
  enum class Verdict { idle, retry, accept };

  // lanes
  Lane& motion(std::size_t l) { return *lanes_[l]; }
  const Lane& motion(std::size_t l) const { return *lanes_[l]; }
  Motion& motion_in(std::size_t l) override { return *lanes_[l]; }
  void clear(std::size_t l) override;
  void note_kind(std::size_t l) override;
  double first_step(std::size_t l) override;
  void enter(std::size_t l) override;
  void leave(std::size_t l) override;
  void watch_anew(std::size_t l) override;
  void store(std::size_t l);
  void set_tolerances(std::size_t l);
  void refresh(std::size_t l);

  // one trial
  void advance() override;
  LaneTrial trial(std::size_t l) const { return {values_, motion(l), l}; }
  LaneExclusion::SlidingModes sliding_modes() const;
  void choose_step(std::size_t l);
  void aim(std::size_t l);
  Verdict reject(std::size_t l, Outcome reason);
  void grow(std::size_t l);
  void write_down(std::size_t l);
  long move_on(std::size_t l);
  std::optional<Guard> overdue(std::size_t l) override;
  void note_gaps(std::size_t l) override;
  /// False: no lane that takes part does, and none need be asked.
  bool may_slide() const { return layout_.contacts + layout_.switches > 0 && company_ != Lane::Kind::free; }
  void project();
  void project_held(std::size_t l);
  void look_anew(std::span<const bool> chosen);
  void turn_columns(std::size_t l, long turns);
  void keep_frame(std::size_t l);
  void list_guards(std::size_t l);

  // plain impacts
  bool may_strike_plainly(std::size_t l, const Guard& guard) const;
  bool carry_over(std::size_t l, const Guard& guard) override;
  bool is_near_watched(std::size_t l) const;
  void strike();
  void fly_on(const SingleImpact::Blow& blow);

  // what becomes of a trial
  Verdict judge(std::size_t l);
  std::optional<Verdict> judge_unseen(std::size_t l);
  Verdict judge_inside(std::size_t l);
  Verdict turn_to(std::size_t l, const LaneExclusion::Inside& inside);
  Verdict go_on(std::size_t l);
  Verdict shorten(std::size_t l, double part);
  Verdict head_for(std::size_t l, const Guard& guard, double theta);
  Verdict land(std::size_t l);
  Verdict land_on_minimum(std::size_t l, const EndJet& now);
  Verdict stand_on(std::size_t l, const Guard& guard, double beyond);
  Verdict keep_closed(std::size_t l, const Guard& guard);
  void step_beside(std::span<const bool> chosen);

  // roots
  struct RootAhead {
    Guard guard;
    double delta;
  };
  std::optional<RootAhead> root_ahead(std::size_t l) const;
  void come_to_root(std::size_t l);
  void leave_root(std::size_t l, double before);

  LaneStepper stepper_;
  LaneValues values_;
  LaneExclusion exclusion_;
  StepBeside step_beside_;
  SingleImpact single_impact_;
  std::vector<SingleImpact::Blow> blows_;
  SlidingProjection projection_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Company company_;
  std::array<Lane::Kind, 8> kinds_{};
  long taking_part_ = 0;
  bool unrest_ = true;
  std::array<double, 8> errors_{};
  std::array<bool, 8> accepted_{};
  std::array<bool, 8> doubtful_{};  // needs a look inside
  std::vector<double> one_mode_, one_y_, one_rate_;  // of a single lane
  std::optional<UnseenForce> unseen_;
  bool unseen_looked_ = false;  // at this trial
};

}  // namespace saltus
