#pragma once

#include <array>
#include <memory>
#include <vector>

#include "saltus/flow/lane.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/flow/lane_trial.hpp"
#include "saltus/flow/lane_values.hpp"
#include "saltus/flow/sliding_projection.hpp"
#include "saltus/flow/step_beside.hpp"

namespace saltus {

/// W motions side by side: their lanes, and the arrays that their steps share. Where a motion stands is kept in the arrays between
/// events, in its point at them.
class LaneRow {
 public:
  LaneRow(const Kernels& kernels, unsigned width, LaneStepper::Carries carries, std::size_t first_seat);

  std::size_t width() const { return lanes_.size(); }
  const Kernels& kernels() const { return kernels_; }
  const Layout& layout() const { return layout_; }
  Lane& operator[](std::size_t l) { return *lanes_[l]; }
  const Lane& operator[](std::size_t l) const { return *lanes_[l]; }
  LaneStepper& stepper() { return stepper_; }
  const LaneStepper& stepper() const { return stepper_; }
  LaneValues& values() { return values_; }
  const LaneValues& values() const { return values_; }
  LaneTrial trial(std::size_t l) const { return {values_, *lanes_[l], l}; }

  /// An empty lane.
  void clear(std::size_t l);
  void exchange(std::size_t l, LaneRow& other, std::size_t other_l);

  // ---- one lane

  /// State and columns of the point → arrays, and back.
  void store(std::size_t l);
  void leave(std::size_t l);
  /// The mode of the point → arrays.
  void store_mode(std::size_t l);
  /// The field, tangent included, and the event functions where the lane stands.
  void refresh(std::size_t l);
  /// ẋ of the lane in its mode; all of it, tangent included, as the stepper carries it.
  void field(std::size_t l, double t, const double* y, double* rate, bool with_tangent);
  /// The guards of the mode, and what is watched.
  void list_guards(std::size_t l);
  /// What the event functions of the lane are measured by from now on.
  void measure(std::size_t l);
  /// After a step or a plain impact: the frame made orthonormal where its columns are about to become parallel.
  void keep_frame(std::size_t l);
  /// A parameter may change the period: at a fixed number of cycles and a fixed phase its column gains ẋ ∂period/∂p per turn.
  void turn_columns(std::size_t l, long turns);
  /// Writes down how far open contacts are closed.
  void note_gaps(std::size_t l);

  // ---- the chosen lanes

  /// The field and the event functions where they stand.
  void look_anew(LaneSet chosen);
  /// Sliding steps of some of them have ended: back to h = γ = 0 and s = 0.
  void project(LaneSet chosen);
  /// The last short way to their instant.
  void step_beside(LaneSet chosen);

 private:
  void project_held(std::size_t l);

  const Kernels& kernels_;
  const Layout& layout_;
  LaneStepper stepper_;
  LaneValues values_;
  StepBeside step_beside_;
  SlidingProjection projection_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<double> one_mode_, one_y_, one_rate_;  // of a single lane
};

}  // namespace saltus
