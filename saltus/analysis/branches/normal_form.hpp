#pragma once

#include <complex>

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// The coefficient that decides what happens beyond a critical orbit, of the return map on its centre manifold, with v of unit length in units of the
/// scale. Nothing where derivatives of the equations are not known well enough (they are differences of exact Jacobians, extrapolated, and held against
/// those with twice the step), where the orbit drifts, or where a second multiplier is critical.
///
/// A disturbance u of the unknowns of a period and u⁺ of the next fulfil  G_u u + B(u, u)/2 + C(u, u, u)/6 + E (u − u⁺) = 0,  with E what the start of the
/// next period enters by; one that each period multiplies by z is a kernel vector of  L(z) = G_u + (1 − z) E.

/// ζ⁺ = ζ + a ζ² + …  at a multiplier 1:  a = wᵀB(v, v)/2 / wᵀE v.  Zero at a cusp.
std::optional<double> fold_coefficient(const HybridOrbit& orbits, const Vector& y);

/// ζ⁺ = −ζ + c ζ³ + …  at −1:  c = wᵀ(B(v, h) + C(v, v, v)/6) / wᵀE v,  L(1) h = −B(v, v)/2.  Above 0 the doubled orbits are stable beside a stable orbit.
std::optional<double> doubling_coefficient(const HybridOrbit& orbits, const Vector& y);

/// Re(c/μ) of  ζ⁺ = μ ζ + c ζ |ζ|² + …  at a pair μ, μ̄ on the unit circle:  c = wᴴ(C(v, v, v̄)/2 + B(v, h₁₁) + B(v̄, h₂₀)) / wᴴE v,
/// L(1) h₁₁ = −B(v, v̄),  L(μ²) h₂₀ = −B(v, v)/2.  Below 0 the torus is stable beside a stable orbit.
std::optional<double> torus_coefficient(const HybridOrbit& orbits, const Vector& y, std::complex<double> mu);

}  // namespace saltus
