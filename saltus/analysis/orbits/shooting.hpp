#pragma once

#include <optional>
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

/// The part of x behind the point, 0 ≤ part < 1: up to rounding, a whole period is none.
double period_part(double x);

/// Whether each segment ends in the mode in which the next begins.
bool modes_agree(const ShootingMesh& mesh, const ShootingValue& value);

/// All events of the orbit in order, their times counted from the first node.
std::vector<Event> orbit_events(const ShootingValue& value);

/// The tangent of a segment, and whether contact may annihilate directions in it.
TangentFactor tangent_factor(const Arc& arc);

/// Multipliers of the product of all segments. `error`: of the tangent of each, in units of the sizes; see `multipliers`.
std::vector<Multiplier> orbit_multipliers(const ShootingMesh& mesh, const ShootingValue& value, double error = 0.0);

}  // namespace saltus
