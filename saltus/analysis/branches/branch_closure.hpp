#pragma once

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// The same events one after the other, wherever the orbits are cut.
bool is_same_sequence(const OrbitPlan& a, const OrbitPlan& b);

/// Two solutions of the equations of an orbit are one orbit: the parameters, the duration, the sequence and where every segment begins agree, each
/// component measured by its own range on the orbit, angles up to whole turns. Without events and forcing the phase does not matter.
bool is_same_orbit(const OrbitSystem& system, const PlannedOrbit& a, const PlannedOrbit& b);

/// The orbit with which a branch begins: a curve that passes it again, in the same direction, is closed.
class BranchGate {
 public:
  /// `way`: the sign of the parameter's change when the branch leaves the orbit.
  BranchGate(const OrbitSystem& system, PlannedOrbit orbit, double way)
      : system_(system), orbit_(std::move(orbit)), way_(way) {}

  /// The solution at the gate's parameter between two neighbouring points of a curve, if that is the gate's orbit.
  std::optional<Vector> passed(const HybridOrbit& problem, const CurvePoint& from, const CurvePoint& to,
                               const ContinuationOptions& options) const;

 private:
  const OrbitSystem& system_;
  PlannedOrbit orbit_;
  double way_;
};

}  // namespace saltus
