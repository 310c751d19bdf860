#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "saltus/analysis/motions/event_sequence.hpp"
#include "saltus/analysis/orbits/shooting_mesh.hpp"

namespace saltus {

struct NewtonOptions {
  double tolerance = 1e-11;  // ShootingValue::error ≤ tolerance
  int most_iterations = 40;
  double least_damping = 1e-3;
  std::function<bool()> interrupted;
};

enum class ShootingEnd {
  converged,
  not_converged,  // too many iterations, or no damped step is an improvement
  sequence_changed,  // the same, and the sequence of events changed in the last iterations
  motion_stopped,  // the motion of the guess did not reach its end: `value.arcs` says why
  penetrated,  // the guess lies inside an obstacle
  singular,  // the Jacobian cannot be inverted
  collapsed,  // the period of an autonomous orbit shrinks to nothing, or the orbit to a point
  interrupted,
};
std::string_view name_of(ShootingEnd end);

/// One iteration as it was.
struct NewtonStep {
  double error;
  double damping;  // of the step that led here; 0 at the start
  EventSequence sequence;
};

struct ShootingResult {
  ShootingEnd end = ShootingEnd::not_converged;
  ShootingMesh mesh;
  Vector u;
  ShootingValue value;  // at u
  double condition = 0.0;  // estimate of the Jacobian's condition number
  std::vector<NewtonStep> steps;
};

/// Damped Newton with the natural monotonicity test |J⁻¹ r(u + λ δ)| ≤ (1 − λ/4) |δ|. Meshes whose modes disagree with the motion
/// at the solution are renewed, and the iteration goes on.
ShootingResult solve_shooting(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                              const ShootingStart& start, const NewtonOptions& newton = {});

}  // namespace saltus
