#pragma once

#include <functional>

#include "saltus/analysis/orbits/hopf_point.hpp"

namespace saltus {

/// What an equilibrium with two eigenvalues ±iω may have besides where two parameters are varied.
enum class HopfCondition {
  no_cubic_growth,  // l₁ = 0 in  r′ = α r + l₁ r³ + …: folds of the small orbits end there
  zero_eigenvalue,
  second_pair,  // ±iω₂
  frequency,    // ω is that of the small orbit
  level,        // a quantity of the state and the parameters has a wanted value
};

/// How far such a quantity is from that value.
using LevelFunction = std::function<double(const Vector& x, const std::vector<double>& varied)>;

struct SpecialHopf {
  HopfCondition condition;
  HopfPoint point;
  std::vector<double> varied;  // both parameters, the last one that of `point`
};

/// The one near a small orbit without events and forcing, on the equilibrium itself: Newton's method in the state and both parameters for  F = 0, Re λ = 0
/// and the condition. `sizes`: what the components reach along orbits; `ranges`: of the parameters. Nothing if there is none, or one with another
/// frequency than the orbit's.
std::optional<SpecialHopf> special_hopf_near(const OrbitSystem& system, const PlannedOrbit& small, const Vector& sizes,
                                             const Vector& ranges, HopfCondition condition,
                                             const LevelFunction& level = {});

}  // namespace saltus
