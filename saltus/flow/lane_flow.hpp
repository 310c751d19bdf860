#pragma once

#include <array>
#include <limits>
#include <utility>

#include "saltus/flow/lane.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/flow/single_impact.hpp"
#include "saltus/flow/sliding_projection.hpp"

namespace saltus {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The whole event-driven method for W lanes. Lanes share the instructions of a trial step, of sliding projections and of plain
/// impacts, and nothing else; what else happens at an instant is computed for its lane alone, with the functions of width 1,
/// which give the same bits.
///
/// The steps are in lane_flow.cpp and lane_inside.cpp; what may happen inside them in lane_guards.cpp, how a lane comes to stand
/// on it in lane_landing.cpp, and what happens then in lane_instants.cpp.
class LaneFlow {
 public:
  /// Motions of this kind take part in a step; nothing: all of them.
  using Company = std::optional<Lane::Kind>;

  LaneFlow(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
           LaneWork& work, Company company = std::nullopt, std::size_t first_seat = 0);
  /// All of the work, alone.
  LaneUse run();

  // The same piece by piece, for several that share their work.
  /// Gives work to idle lanes, as long as there is some.
  void fill();
  void choose(Company company);
  /// One trial step of those that take part, or their impacts.
  void step();
  std::size_t width() const { return lanes_.size(); }
  bool has_work() const { return has_work_; }  // false: there was none for an idle lane
  Lane::Kind kind(std::size_t l) const { return kinds_[l]; }
  bool is_active(std::size_t l) const { return kinds_[l] != Lane::Kind::idle; }
  bool takes_part(std::size_t l) const { return company_ ? kinds_[l] == *company_ : is_active(l); }
  long count_taking_part() const;
  /// True once after a motion came, went or became another kind.
  bool take_unrest() { return std::exchange(unrest_, false); }
  const LaneUse& use() const { return use_; }
  /// Exchanges the motions, or the lack of one, of a lane here and a lane there.
  void exchange(std::size_t l, LaneFlow& other, std::size_t other_l);

 private:
  enum class Verdict { idle, retry, accept };

  // lanes and their work
  Lane& motion(std::size_t l) { return *lanes_[l]; }
  const Lane& motion(std::size_t l) const { return *lanes_[l]; }
  void refill(std::size_t l);
  void note_kind(std::size_t l);
  void prepare(std::size_t l);
  void end(std::size_t l, Outcome outcome);
  double first_step(const Lane& lane) const;
  void load(std::size_t l);
  void store(std::size_t l);
  void unload(std::size_t l);
  void refresh(std::size_t l);

  // one trial
  void try_step();
  void choose_step(std::size_t l);
  void aim(std::size_t l);
  Verdict reject(std::size_t l, Outcome reason);
  void grow(std::size_t l);
  void follow_inside(std::size_t l);
  void move_on(std::size_t l);
  void finish_step(std::size_t l);
  bool reaches_end(const Lane& lane) const { return lane.ends && !lane.landed; }
  std::optional<Guard> overdue(std::size_t l) const;
  std::optional<Guard> overdue_switch(std::size_t l) const;
  bool some_gap_closed(std::size_t l) const;
  void note_penetration(std::size_t l);
  void project();
  void project_held(std::size_t l);
  void look_anew(std::span<const bool> chosen);
  void turn_columns(std::size_t l, long turns);
  void make_dense();
  void add_work(std::size_t l, double h);
  void add_divergence(std::size_t l, double h);
  void take_samples(std::size_t l, double h);

  // instants
  void meet(std::size_t l);
  void cross(std::size_t l);
  void strike();
  void leave(const SingleImpact::Blow& blow);
  void meet_section(std::size_t l, const Guard& guard);
  void meet_coinciding_sections(std::size_t l, const FlowPoint& before);
  bool is_near_watched(std::size_t l) const;
  bool arrive(std::size_t l, const Trigger& trigger);
  bool resume(std::size_t l);
  bool has_settled(std::size_t l, const Settled& settled, std::size_t events_before);

  // event functions
  void list_guards(std::size_t l);
  void add_watch(std::size_t l, std::size_t w);
  std::size_t row_of(const Guard& guard) const;
  /// Value, rate and second rate of gap i.
  EndJet gap_jet(const LaneArray& values, std::size_t l, std::size_t i) const {
    const double* const at = values.data() + i * lanes_.size() + l;
    const std::size_t rows = event_count_ * lanes_.size();
    return {at[0], at[rows], at[2 * rows]};
  }
  EndJet jet_of(std::size_t l, const Guard& guard, const LaneArray& values, double multiplier) const;
  EndJet begin_jet(std::size_t l, const Guard& guard) const;
  EndJet end_jet(std::size_t l, const Guard& guard) const;
  double node_value(std::size_t l, std::size_t node, const Guard& guard) const;
  Beginning beginning_of(std::size_t l, const Guard& guard, const EndJet& begin, const EndJet& end) const;
  double margin_of(std::size_t l, const Guard& guard, double size) const;
  Outlook outlook_of(std::size_t l, const Guard& guard) const;
  void sample_nodes();
  void look_at_ends();
  bool is_clear(std::size_t l, const Guard& guard) const;

  // landing
  Verdict judge(std::size_t l);
  Verdict judge_inside(std::size_t l);
  Verdict go_on(std::size_t l);
  Verdict head_for(std::size_t l, const Guard& guard, double theta);
  Verdict land(std::size_t l);
  Verdict land_on_minimum(std::size_t l, const EndJet& now);
  Verdict stand_on(std::size_t l, const Guard& guard, double beyond);
  void step_beside(std::span<const bool> chosen);
  bool may_strike_plainly(std::size_t l, const Guard& guard) const;
  std::optional<Landing> first_landing(std::size_t l);
  std::optional<Descent> turning_point(std::size_t l, const Guard& guard, const std::array<double, node_count>& samples,
                                       double margin) const;
  bool is_noise(std::size_t l, const Guard& guard, double size) const;
  std::optional<Landing> immediate_touch(std::size_t l, const Guard& guard);
  struct Neighbour {
    Guard gap;
    double beyond;
  };
  std::optional<Neighbour> earlier_neighbour(std::size_t l, const Guard& guard, double beyond) const;
  std::optional<Landing> passed_on_the_way(std::size_t l, const Guard& landed) const;
  Vector end_state(std::size_t l) const;

  void field_of_one(std::size_t l, double t, const double* y, double* k) const;

  const Kernels& kernels_;
  const Layout& layout_;
  FlowOptions options_;
  LaneStepper stepper_;
  SingleImpact single_impact_;
  std::vector<SingleImpact::Blow> blows_;
  SlidingProjection projection_;
  LaneWork& work_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Company company_;
  std::array<Lane::Kind, 8> kinds_{};
  bool has_work_ = true;
  bool unrest_ = true;
  std::size_t event_count_;
  bool has_events_;
  std::array<double, 8> errors_{};
  std::array<bool, 8> accepted_{};
  std::array<bool, 8> doubtful_{};
  bool dense_ready_ = false;
  LaneUse use_;
  LaneArray begin_values_, end_values_;  // event functions at both ends of the step, as the kernel writes them
  LaneArray clearances_;  // of the gaps: see StepLoops
  LaneArray fresh_values_;  // event functions where some lanes have come to stand
  std::vector<LaneArray> node_values_, node_forces_;
  LaneArray middle_, middle_rate_;  // of a step beside
  std::vector<double> one_mode_, one_y_, one_rate_, one_events_;  // of a single lane
};

}  // namespace saltus
