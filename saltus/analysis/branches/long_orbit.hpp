#pragma once

#include "saltus/analysis/orbits/equilibrium.hpp"
#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// The saddles beside which an orbit without forcing spends its time, each once: those of the homoclinic or heteroclinic orbit that it comes near.
std::vector<Equilibrium> saddles_beside(const OrbitSystem& system, const PlannedOrbit& orbit, const Vector& sizes);

/// Somewhere on an orbit without forcing the motion all but comes to rest: an equilibrium is near, or has been there for other parameters.
bool nearly_rests(const OrbitSystem& system, const PlannedOrbit& orbit, const Vector& sizes);

/// Where the parameter goes while the period grows: p = p* + c exp(−κT), by three points of the branch.
struct ParameterLimit {
  double value = 0.0;
  double error = 0.0;  // what is left of the way, or how far the parameter still swings
};

struct PeriodAt {
  double period, parameter;
};

/// Of points in the order of the branch, the last one nearest to the limit; at least one. `resolved`: to what the parameter is known.
ParameterLimit limit_of_parameter(const std::vector<PeriodAt>& points, double resolved);

}  // namespace saltus
