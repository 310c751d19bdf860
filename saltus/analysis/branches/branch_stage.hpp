#pragma once

#include <memory>

#include "saltus/analysis/branches/orbit_branch.hpp"

namespace saltus {

/// The smallest distance of an orbit from losing its sequence; negative where it has lost it.
double smallest_brink(const HybridOrbit& problem, const Vector& y);

/// The last point of a curve with the direction in which the orbits came to it. Where an excursion, a slide or the speed of an impact vanishes the
/// tangent need not know: the parameter may go with the square of what vanishes. `range`: of the parameter.
CurvePoint arrival(const Continuation& curve, double range);

/// A problem with the place on its curve where following it begins.
struct Stage {
  std::shared_ptr<const HybridOrbit> problem;
  Vector y;
  Vector direction;
};

/// Finds where a branch goes on when its sequence of events has ended.
class StageFinder {
 public:
  StageFinder(const OrbitSystem& system, const ContinuationOptions& options);

  double range() const { return parameter_scale_[0]; }
  std::shared_ptr<const HybridOrbit> problem_of(const PlannedOrbit& orbit) const;

  /// Where an excursion beyond a switch vanished, its equations are singular: the orbit without it that touches the switch, or slides
  /// along it and touches the limit of what holds it, by secants on the distance from there.
  std::optional<Vector> touching_orbit(const HybridOrbit& problem, const PlannedOrbit& orbit, const Brink& brink) const;

  /// The half of the new curve through the grazing orbit on which all gaps and impact speeds are positive. A point without
  /// multipliers gets those of the new orbit, which are finite.
  std::optional<Stage> real_half(const std::shared_ptr<const HybridOrbit>& problem, const PlannedOrbit& orbit,
                                 BranchPoint& point) const;

  /// Where a flight touches a switch beyond which it would return: the orbit on which it does, by the duration of its excursion. The parameter goes
  /// with the square of that, and tends to the touching orbit's.
  std::optional<Stage> with_excursion(const std::shared_ptr<const HybridOrbit>& problem, const PlannedOrbit& orbit,
                                      const BranchPoint& point) const;

  /// Where no sequence can be written down: what the event-driven motion does a little further along the curve, then from the
  /// same state a little beyond, then a little before; each nearer and nearer. An orbit that does not end in the one at hand is none.
  std::optional<Stage> by_simulation(const HybridOrbit& problem, const CurvePoint& at, bool travels_up) const;

  /// The orbit with the same sequence a little beyond a point at which the equations have no derivative.
  std::optional<Stage> with_same_sequence(const HybridOrbit& problem, const CurvePoint& at) const;

 private:
  enum class Sequence { same, other };
  std::optional<Stage> simulated(const HybridOrbit& problem, const CurvePoint& at, const Vector& x, double p,
                                 Sequence wanted) const;

  const OrbitSystem& system_;
  const ContinuationOptions& options_;
  Vector parameter_scale_;
};

}  // namespace saltus
