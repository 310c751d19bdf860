#pragma once

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// The first half of an orbit that runs through one sequence twice (`runs_twice`).
PlannedOrbit first_half(const PlannedOrbit& orbit);

/// How many returns after the first all of them repeat, to 1e-4 of their size: less than all where an orbit of k returns is one of
/// fewer, run through several times.
std::size_t distinct_returns(const std::vector<Vector>& returns, const Vector& sizes,
                             const Translations& translations = {});

/// An orbit that is run through several times: once, from its first return.
struct OnceRound {
  Vector x;
  long returns = 1;
};
/// Nothing if the orbit is run through once: its returns differ by more than 1e-7 of what their components reach.
std::optional<OnceRound> once_round(const OrbitSystem& system, const PlannedOrbit& orbit);

/// The orbit near a guess with Π(1 + μ) = 0, the parameter free, by secants: one multiplier is −1 to 1e-6 there. Nothing if there is
/// none within a thousandth of the parameter's scale.
std::optional<PlannedOrbit> doubling_near(const HybridOrbit& problem, const PlannedOrbit& guess,
                                          const ContinuationOptions& options);

}  // namespace saltus
