#pragma once

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/analysis/orbits/hopf_point.hpp"

namespace saltus {

/// Of a curve that ends because its parameter stands still: empty if the orbits are a family at one value, words if only their period grows;
/// then the start of the orbit stands still, too.
std::string vertical_words(const HybridOrbit& problem, const Continuation& curve);

/// Of orbits along which the parameter has not changed for a while: they are a family at one value, which has a multiplier 1, or come near equilibria.
/// Others only depend on it by less than digits tell, as canards do: their branch goes on; so do those that are wanted longer.
bool stands_still(const HybridOrbit& problem, const Vector& y, double longest);

/// How such a curve ends: a family at one value, or a homoclinic or heteroclinic orbit with its saddles and the limit of the parameter. `points`: those
/// of the branch.
BranchEnd long_period_end(const HybridOrbit& problem, const Continuation& curve, const std::vector<BranchPoint>& points,
                          double range);
/// How a family at one value of the parameter ends where only the period grows: with the saddles of the orbit it comes near.
BranchEnd long_family_end(const HybridOrbit& problem, const Continuation& curve);
/// At a point of a curve of orbits without forcing the period grows, and the start of the orbit stands still.
bool only_lengthens(const HybridOrbit& problem, const CurvePoint& at);

/// The last point of a branch whose orbits shrink into an equilibrium, made of the last orbit.
BranchPoint at_equilibrium(BranchPoint last, const HopfPoint& hopf);

/// The last point, where the sequence changes, is one that the leg has passed before, though not its first one: parameter, duration and a return agree,
/// in units of the parameter's range and of the components' sizes.
bool was_here_before(const std::vector<BranchPoint>& points, const Vector& sizes, double range);

/// Numbers the special points of each kind along the branch.
void number_labels(Branch& branch);

/// The start is a special point: it is marked as one, and not found a second time beside itself.
void keep_label(const BranchPoint& start, double range, BranchPoint& first,
                const std::vector<std::vector<BranchPoint>*>& legs);

}  // namespace saltus
