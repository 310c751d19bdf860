#pragma once

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// Two sequences of events of one orbit describe one motion: without the switches at which nothing happens, those that are left have the same forces
/// before and behind them, in the same order. So it is where such a switch meets another one: the surface of floor(u) is met half way between whole
/// numbers, too. `sizes`: what the components reach. False where anything slides, rests or chatters.
bool is_same_motion(const OrbitSystem& system, const PlannedOrbit& one, const PlannedOrbit& other, const Vector& sizes);

}  // namespace saltus
