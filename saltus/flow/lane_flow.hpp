#pragma once

#include <array>
#include <limits>
#include <utility>

#include "saltus/flow/event_loop.hpp"
#include "saltus/flow/exclusion.hpp"
#include "saltus/flow/lane.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/flow/single_impact.hpp"
#include "saltus/flow/sliding_projection.hpp"
#include "saltus/flow/unseen_force.hpp"

namespace saltus {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The road of Runge-Kutta steps, W motions side by side. Lanes share the instructions of a trial step, of sliding projections and
/// of plain impacts, and nothing else; what else happens at an instant is computed for its lane alone, with the functions of width
/// 1, which give the same bits.
///
/// The steps are in lane_flow.cpp and lane_inside.cpp; what may happen inside them in lane_guards.cpp, what is proven of it in
/// lane_exclusion.cpp, how a lane comes to stand on it in lane_landing.cpp and lane_roots.cpp, and plain impacts of many lanes in lane_instants.cpp.
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
  long count_taking_part() const override;
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
  void choose_step(std::size_t l);
  void aim(std::size_t l);
  Verdict reject(std::size_t l, Outcome reason);
  void grow(std::size_t l);
  void follow_inside(std::size_t l);
  long move_on(std::size_t l);
  std::optional<Guard> overdue(std::size_t l) override;
  void note_gaps(std::size_t l) override;
  void project();
  void project_held(std::size_t l);
  void look_anew(std::span<const bool> chosen);
  void turn_columns(std::size_t l, long turns);
  void make_dense();
  void add_work(std::size_t l, double h);
  void add_divergence(std::size_t l, double h);
  void take_samples(std::size_t l, double h);
  void show(std::size_t l, double h);
  void note_range(std::size_t l);
  void keep_frame(std::size_t l);

  // plain impacts
  bool carry_over(std::size_t l, const Guard& guard) override;
  bool is_near_watched(std::size_t l) const;
  void strike();
  void fly_on(const SingleImpact::Blow& blow);

  // event functions
  void list_guards(std::size_t l);
  std::size_t row_of(const Guard& guard) const { return saltus::row_of(guard, layout_); }
  /// Value, rate and second rate of gap i.
  EndJet gap_jet(const LaneArray& values, std::size_t l, std::size_t i) const {
    const double* const at = values.data() + i * lanes_.size() + l;
    const std::size_t rows = event_count_ * lanes_.size();
    return {at[0], at[rows], at[2 * rows]};
  }
  EndJet jet_of(std::size_t l, const Guard& guard, const LaneArray& values, double multiplier) const;
  EndJet begin_jet(std::size_t l, const Guard& guard) const;
  EndJet end_jet(std::size_t l, const Guard& guard) const;
  Beginning beginning_of(std::size_t l, const Guard& guard, const EndJet& begin, const EndJet& end) const;
  double fall_of(std::size_t l, const Guard& guard) const;
  std::optional<double> end_of_flight(std::size_t l, const Guard& guard) const;
  void look_at_ends();

  // exclusion by bounds
  /// What was found inside.
  struct Inside {
    Finding finding;
    Guard guard;
    bool begins_above;
  };
  void bound_bends();
  double size_of(std::size_t l, const EndJet& begin, const EndJet& end) const;
  void bound_multipliers();
  Proof proof_of(std::size_t l, const Guard& guard) const;
  Proof proof_of_multiplier(std::size_t l, const Guard& guard) const;
  Proof look_at_stages(std::size_t l, const Guard& guard) const;
  Sought sought_of(std::size_t l, const Guard& guard) const;
  void lay_curve(std::size_t l, bool with_multipliers);
  void note_bounds(std::size_t l);
  std::optional<Inside> first_inside(std::size_t l);
  Verdict judge_inside(std::size_t l);
  bool begins_open(std::size_t l, const Guard& guard) const;
  Verdict turn_to(std::size_t l, const Inside& inside);

  // landing
  Verdict judge(std::size_t l);
  std::optional<std::size_t> undefined_gap(std::size_t l, const LaneArray& values) const;
  std::optional<Verdict> judge_unseen(std::size_t l);
  Verdict go_on(std::size_t l);
  Verdict shorten(std::size_t l, double part);
  Verdict head_for(std::size_t l, const Guard& guard, double theta);
  Verdict land(std::size_t l);
  Verdict land_on_minimum(std::size_t l, const EndJet& now);
  Verdict stand_on(std::size_t l, const Guard& guard, double beyond);
  void step_beside(std::span<const bool> chosen);
  struct RootAhead {
    Guard guard;
    double delta;
  };
  std::optional<RootAhead> root_ahead(std::size_t l) const;
  void come_to_root(std::size_t l);
  void leave_root(std::size_t l, double before);
  bool may_strike_plainly(std::size_t l, const Guard& guard) const;
  bool is_noise(std::size_t l, const Guard& guard, double size) const;
  bool presses_again(std::size_t l, const Guard& guard) const;
  double rounding_of_force(std::size_t l, const Guard& guard) const;
  ContactValue contact_at_start(std::size_t l) const;
  bool closes_flatly(std::size_t l, const Guard& guard) const;
  Verdict keep_closed(std::size_t l, const Guard& guard);
  struct Neighbour {
    Guard gap;
    double beyond;
  };
  std::optional<Neighbour> earlier_neighbour(std::size_t l, const Guard& guard, double beyond) const;
  std::optional<Landing> passed_on_the_way(std::size_t l, const Guard& landed) const;
  Vector end_state(std::size_t l) const;

  void field_of_one(std::size_t l, double t, const double* y, double* k) const;

  LaneStepper stepper_;
  SingleImpact single_impact_;
  std::vector<SingleImpact::Blow> blows_;
  SlidingProjection projection_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Company company_;
  std::array<Lane::Kind, 8> kinds_{};
  bool unrest_ = true;
  std::size_t event_count_;
  bool has_events_;
  std::array<double, 8> errors_{};
  std::array<bool, 8> accepted_{};
  std::array<bool, 8> doubtful_{};  // needs a look inside
  bool dense_ready_ = false;
  std::optional<UnseenForce> unseen_;
  bool unseen_looked_ = false;  // at this trial
  LaneArray begin_values_, end_values_;  // event functions at both ends of the step, as the kernel writes them
  LaneArray fresh_values_;  // event functions where some lanes have come to stand
  LaneArray middle_, middle_rate_;  // of a step beside
  LaneArray box_t_, box_x_, box_X_, bends_;  // of the trials, and their second rates: middle, radius
  Kernel inverse_dynamics_ = nullptr;
  LaneArray dynamics_;  // what it writes for the trials
  MultiplierBounds multipliers_;
  std::vector<MultiplierBounds::Bound> multiplier_bounds_;  // lane by lane
  std::optional<CurveBounds> curve_;
  double quintic_error_;
  std::vector<double> one_mode_, one_y_, one_rate_, one_events_;  // of a single lane
};

}  // namespace saltus
