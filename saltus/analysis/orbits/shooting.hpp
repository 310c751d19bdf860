#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/event_sequence.hpp"
#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/analysis/motions/return_map.hpp"
#include "saltus/analysis/motions/translations.hpp"

namespace saltus {

/// Where a segment of an orbit begins. Its mode is part of the mesh, not of the unknowns: a node inside sliding is projected onto
/// the closed contacts before it moves, so that all N components remain unknowns and nothing is singular.
struct ShootingNode {
  double place = 0.0;  // as a part of the orbit's period, from the strobe; increasing from node to node
  Mode mode;
  std::vector<double> fastest;  // scale of chatter, as in FlowPoint
};

/// What makes a motion a periodic orbit, cut into segments. The nodes lie away from events.
struct ShootingMesh {
  long periods = 0;  // forced: forcing periods until it closes; 0: autonomous, the period is unknown
  std::vector<ShootingNode> nodes;
  Vector gain;  // x(end) = x(start) + gain, a translation that changes nothing: whole periods of angles, and any drift
  Translations translations;
  Vector held_at;  // the components that tell a drift, at the first node: they stay there, and the drift follows
  Vector anchor, direction;  // autonomous: the phase condition direction · (x₀ − anchor) = 0
  Vector
      sizes;  // in which components are measured: those of the guess, and what the error of a step is relative to at zero

  bool autonomous() const { return periods == 0; }
};

/// Residual and exact derivatives of the conditions
///   Φ_i(x_i) − x_{i+1} = 0  (i < m − 1),   Φ_{m−1}(x_{m−1}) − x₀ − gain = 0,   [direction · (x₀ − anchor) = 0].
/// With cyclic directions C the last of them holds up to a drift, Φ_{m−1}(x_{m−1}) − x₀ − gain − C y = 0: the components that tell y give
/// their rows to the condition that x₀ keeps them, because a motion may begin anywhere along C.
struct ShootingValue {
  Vector residual;
  Matrix jacobian;  // by the unknowns
  Matrix by_parameter;  // by the varied parameters
  Vector gain;  // x(end) − x(start), rounded to a translation: the mesh's with the drift that was found
  std::vector<Arc> arcs;
  std::optional<std::size_t> stopped;  // the segment whose motion did not reach its end
  std::optional<std::size_t> penetrated;  // the node that lies inside an obstacle

  bool whole() const { return !stopped && !penetrated; }
  /// Largest |residual|, each component relative to its size on the orbit, or to what rounding of the start alone makes of it.
  double error = 0.0;
};

/// Multiple shooting: unknowns u = (x₀, …, x_{m−1}), of an autonomous system followed by its period.
class Shooting {
 public:
  Shooting(const Kernels& kernels, const FlowOptions& options, ShootingMesh mesh)
      : kernels_(kernels), options_(options), mesh_(std::move(mesh)) {}

  const ShootingMesh& mesh() const { return mesh_; }
  const Kernels& kernels() const { return kernels_; }
  const FlowOptions& options() const { return options_; }
  Eigen::Index unknowns() const;
  Vector state(const Vector& u, std::size_t node) const;
  /// The orbit's period in time.
  double period(const Vector& u, const ParameterPoint& p) const;
  /// The part of the orbit's period from node to next node.
  double part(std::size_t node) const;

  ShootingValue operator()(const Vector& u, const ParameterPoint& p) const;

 private:
  Arc segment(const Vector& u, const ParameterPoint& p, std::size_t node) const;

  const Kernels& kernels_;
  FlowOptions options_;
  ShootingMesh mesh_;
};

/// A mesh with values of its unknowns; or the arc that stopped on the way.
struct ShootingStart {
  ShootingMesh mesh;
  Vector u;
  std::optional<Arc> stopped;
};

/// Where to look for an orbit: a state, and for how long it is followed until it should be back.
struct OrbitGuess {
  ArcStart start;
  long periods = 1;  // forced: k forcing periods
  double duration = 0.0;  // autonomous: the period, roughly
};

/// Follows the guess for one period and cuts it into segments away from its events. It is closed up to one of
/// the translations.
ShootingStart shooting_start(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                             const OrbitGuess& guess, std::size_t segments, const Translations& translations);

/// The same orbit with its nodes moved away from its events, with the modes found there, and the phase condition renewed: between
/// steps of a continuation, or when the orbit has changed its modes during Newton's iteration. `value` belongs to `u`.
ShootingStart remeshed(const Shooting& shooting, const Vector& u, const ParameterPoint& p, const ShootingValue& value,
                       std::size_t segments);

/// Whether each segment ends in the mode in which the next begins.
bool modes_agree(const ShootingMesh& mesh, const ShootingValue& value);

/// All events of the orbit in order, their times counted from the first node.
std::vector<Event> orbit_events(const ShootingValue& value);

/// The tangent of a segment, and whether contact may annihilate directions in it.
TangentFactor tangent_factor(const Arc& arc);

/// Multipliers of the product of all segments.
std::vector<Multiplier> orbit_multipliers(const ShootingMesh& mesh, const ShootingValue& value);

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
