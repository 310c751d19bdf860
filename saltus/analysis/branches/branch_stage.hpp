#pragma once

#include <memory>

#include "saltus/analysis/branches/orbit_branch.hpp"

namespace saltus {

/// The smallest distance of an orbit from losing its sequence; negative where it has lost it.
double smallest_brink(const HybridOrbit& problem, const Vector& y);

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

  /// Where no sequence can be written down: what the event-driven motion does a little further along the curve, then from the
  /// same state a little beyond, then a little before.
  std::optional<Stage> by_simulation(const HybridOrbit& problem, const CurvePoint& at, bool travels_up) const;

 private:
  std::optional<Stage> simulated(const HybridOrbit& problem, const Vector& x, double p, double ended) const;

  const OrbitSystem& system_;
  const ContinuationOptions& options_;
  Vector parameter_scale_;
};

}  // namespace saltus
