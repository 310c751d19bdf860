#pragma once

#include <array>
#include <limits>
#include <optional>

#include "saltus/flow/exclusion.hpp"
#include "saltus/flow/flow_options.hpp"
#include "saltus/flow/force_loops.hpp"
#include "saltus/flow/held_bounds.hpp"
#include "saltus/flow/lane_trial.hpp"

namespace saltus {

/// What is proven of the event functions of a row of trials: over the whole of them by their ends, for all lanes at once; where that does
/// not decide, lane by lane in pieces of the dense output.
class LaneExclusion {
 public:
  LaneExclusion(const Kernels& kernels, const FlowOptions& options, LaneStepper& stepper, const LaneValues& values);

  /// The modes of lanes whose forces and weights are to be bounded.
  using SlidingModes = std::array<const Mode*, 8>;
  /// Bounds over the trials; all below relies on them.
  void bound(const SlidingModes* sliding);

  /// Proven for all lanes at once: a gap that stays open and that the trial does not begin on, a force that presses all the time.
  bool is_proven(const LaneTrial& trial, const Guard& guard) const {
    if (guard.kind == Guard::Kind::force) return pressed_[trial.l()] == guard.index;
    const auto& arrived = trial.lane().arrived;
    return guard.kind == Guard::Kind::gap && proven_[guard.index * width_ + trial.l()] > 0.0 &&
           !(arrived && arrived->index == guard.index);
  }
  /// The same of all gaps, and of the force of a `closed` contact, of a lane that stands on none.
  bool all_proven(std::size_t l, std::size_t closed) const {
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      if (i == closed ? pressed_[l] != i : !(proven_[i * width_ + l] > 0.0)) return false;
    return true;
  }
  /// The lanes of which all gaps are proven to stay open, of those that stand on none.
  LaneSet with_open_gaps() const {
    LaneSet open = LaneSet::all(width_);
    for (std::size_t i = 0; i < layout_.contacts; ++i) {
      const double* const proven = proven_.data() + i * width_;
      open = open & lanes_where(width_, [&](std::size_t l) { return proven[l] > 0.0; });
    }
    return open;
  }
  /// All gaps stay open over the trial, one lane's ends looked at more closely: it may begin on one of them.
  bool all_gaps_clear(const LaneTrial& trial) const;
  /// What the ends of the trial and the bounds over it say.
  Proof proof_of(const LaneTrial& trial, const Guard& guard) const;

  /// What was found inside a trial.
  struct Inside {
    Finding finding;
    Guard guard;
    bool begins_above;
  };
  /// The first of everything that the ends left open, by the dense output.
  std::optional<Inside> first_inside(const LaneTrial& trial);
  /// The end of the hold of a motion that several switches hold, by the dense output; nothing where no bounds are known of it.
  std::optional<HeldBounds::Finding> end_of_hold(const LaneTrial& trial);
  /// Where a true step has led to the zero of a guard, `beyond` its end: another guard that was above zero at its start, or left zero
  /// there, and is below now. Its zero was thought to lie behind.
  std::optional<Landing> passed_on_the_way(const LaneTrial& trial, const Guard& landed, double beyond) const;
  /// For the books: lower bounds of gap i over a trial that is taken and ends `beyond` behind its end; closer ones only where they would
  /// enter them.
  LowestValues lowest_of(const LaneTrial& trial, std::size_t i);

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  void bound_boxes();
  void bound_deviations();
  void bound_multipliers(const SlidingModes& sliding);
  void prove_gaps();
  void prove_forces(std::span<const std::size_t> alone);
  Interval bend_of(std::size_t row, std::size_t l) const;
  Proof proof_of_multiplier(const LaneTrial& trial, const Guard& guard) const;
  Proof look_at_stages(const LaneTrial& trial, const Guard& guard) const;
  Sought sought_of(const LaneTrial& trial, const Guard& guard) const;
  bool is_noise(const LaneTrial& trial, const Guard& guard, const Sought& it) const;
  double rounding_of_force(const LaneTrial& trial, const Guard& guard) const;
  ContactValue contact_at_start(const LaneTrial& trial) const;
  void lay_curve(const LaneTrial& trial, bool with_multipliers);

  const Kernels& kernels_;
  const Layout& layout_;
  const FlowOptions& options_;
  LaneStepper& stepper_;
  const LaneValues& values_;
  std::size_t width_;
  double quintic_error_;  // of the quintic through the ends, relative to the sizes
  LaneArray t_box_, x_box_, X_box_,
      bends_;  // of the trials, and the second rates of the event functions: middle, radius
  LaneArray proven_, proof_scalars_;  // of the gaps: see StepLoops
  Kernel inverse_dynamics_ = nullptr;
  LaneArray dynamics_;  // what it writes for the trials
  const ForceLoops* force_loops_ = nullptr;
  LaneArray force_scalars_, force_rates_, is_pressed_;  // see there
  std::array<std::size_t, 8> pressed_;  // of each lane the contact whose force is proven, or `none`
  MultiplierBounds multiplier_bounds_;  // of the trials
  std::optional<CurveBounds> curve_;
  HeldBounds held_;
};

}  // namespace saltus
