#pragma once

#include <optional>
#include <vector>

#include "saltus/flow/curve_bounds.hpp"
#include "saltus/flow/exact_arithmetic.hpp"
#include "saltus/flow/flow_options.hpp"
#include "saltus/flow/guard.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/flow/mechanism.hpp"
#include "saltus/flow/path_piece.hpp"
#include "saltus/flow/unseen_force.hpp"

namespace saltus {

/// A minimum of a guard inside a segment.
struct Dip {
  Guard guard;
  double after;  // since the start of the segment
  double value;
};

/// The smooth motion of one mode over a given time.
struct Segment {
  bool whole = false;  // false: it left the domain of the field, or its steps became too small
  Vector x;
  Matrix tangent;  // ∂x/∂(start, p) at fixed start time and duration: N × (N + varied)
  std::vector<Dip> dips;  // if wanted: all that reach zero, and those above it that steps show
};

/// Follows single modes without looking for events, so that the end of a segment is a smooth function of its start and of its
/// duration, also where the real motion grazes. Durations may be negative. Modes that are linear are followed in closed form where
/// the options say so.
class SegmentFlow {
 public:
  enum class Watch { nothing, dips };
  SegmentFlow(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameter_inputs,
              LaneStepper::Carries carries);

  /// A follower is shown the steps.
  Segment operator()(double t, const Vector& x, const Mode& mode, double duration, Watch watch,
                     PathFollower* follower = nullptr);

 private:
  void load(double t, const Vector& x, const Mode& mode);
  Vector state(double theta, double h);
  Segment by_steps(double t, const Vector& x, const Mode& mode, double duration, Watch watch, PathFollower* follower);
  Segment in_closed_form(const ExactMode& at, double t, const Vector& x, double duration, Watch watch,
                         PathFollower* follower);
  void show(double t, double h, const Mode& mode, PathFollower& follower);
  std::optional<Part> unseen_in_trial(const Mode& mode);
  double guard_value(const Guard& guard, double t, const Vector& x, const Mode& mode) const;
  double guard_rate(const Guard& guard, double t, const Vector& x, const Mode& mode) const;
  /// One step of a segment, from t, `begin` after its start.
  struct Step {
    const Mode& mode;
    double t, begin, h;
  };
  /// A guard on part of it.
  struct Stretch;
  void look_for_dips(const Step& step, std::vector<Dip>& dips);
  void lay_curve(const Step& step);
  void look_between(const Step& step, Part part, std::span<const Guard> guards, std::vector<Dip>& dips);
  Stretch stretch_of(const Step& step, const Guard& guard, Part part, const double* begin, const double* end,
                     const double* box) const;
  Dip dip_between(const Step& step, const Guard& guard, Part part);

  const Kernels& kernels_;
  FlowOptions options_;
  std::vector<double> parameters_;
  Mechanism mechanism_;
  LaneStepper stepper_;
  std::optional<UnseenForce> unseen_;
  bool tangent_;
  std::optional<ExactSystem> exact_;  // where motions are computed in closed form
  TaylorPath path_;  // of the last step there
  bool on_path_ = false;
  std::optional<CurveBounds> curve_;  // the last step as a curve
  int splits_ = 0;
};

}  // namespace saltus
