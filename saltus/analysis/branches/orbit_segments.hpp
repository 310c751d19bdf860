#pragma once

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// Into how many segments of equal duration an orbit without events had better be cut: over each of them disturbances grow by a hundred at
/// most. Nothing if they grow little enough as it is cut now, or if it has events. An orbit that has become much longer than the one by which its unknowns are
/// measured is cut anew as it is.
std::optional<std::size_t> better_cut(const HybridOrbit& problem, const Vector& y);

/// The same orbit, each of its turns cut into `count` segments of equal duration. Nothing if the motion leaves its domain.
std::optional<PlannedOrbit> cut_into(const OrbitSystem& system, const PlannedOrbit& orbit, std::size_t count);

/// A direction in the unknowns of an orbit, for the same orbit with other cuts: what the start, the durations and the parameters have in common.
Vector with_other_cuts(const HybridOrbit& from, const Vector& direction, const HybridOrbit& to);

}  // namespace saltus
