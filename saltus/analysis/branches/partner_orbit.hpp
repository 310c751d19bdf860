#pragma once

#include "saltus/analysis/branches/branch_stage.hpp"

namespace saltus {

/// How far two orbits are apart, their sequences may differ by events that change next to nothing: the difference of the durations by their size,
/// and the largest distance of a return of one from the nearest return of the other, in units of the sizes. Without returns, that of the
/// starts of segments.
double distance_between(const HybridOrbit& a, const Vector& y_a, const HybridOrbit& b, const Vector& y_b);

/// Does the branch of a stage end in a given orbit? That orbit has lost its own sequence at the parameter p₀, and the stage's orbit lies at p. On the way
/// from p to p₀ it has to stay an orbit with its sequence, and its distance from the one at p₀ has to fall at least like |p − p₀|^½: at a quarter of
/// the way by half, up to 40 %. Any other orbit with another sequence at p belongs to another branch.
bool ends_in(const Stage& stage, const HybridOrbit& problem, const Vector& y, const ContinuationOptions& options);

/// The orbit lies between two neighbours among the points of a branch, in their order: a branch is not gone over twice.
bool lies_among(const OrbitSystem& system, const StageFinder& finder, const std::vector<BranchPoint>& points,
                const PlannedOrbit& orbit, const ContinuationOptions& options);

}  // namespace saltus
