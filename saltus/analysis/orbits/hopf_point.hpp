#pragma once

#include <complex>

#include "saltus/analysis/orbits/orbit_piece.hpp"

namespace saltus {

/// Where a branch of orbits without events and forcing has shrunk into an equilibrium: two eigenvalues ±iω there.
struct HopfPoint {
  Vector x;
  double parameter = 0.0;
  double frequency = 0.0;                        // ω
  std::vector<std::complex<double>> multipliers;  // e^{λ 2π/ω}, one of the pair's two left out
  std::vector<double> multiplier_logs;            // ln of their moduli
};

/// From the eigenvalues of an equilibrium, of which `critical` is the one with +iω.
HopfPoint hopf_point_of(const Vector& x, double parameter, const Eigen::VectorXcd& eigenvalues,
                        std::complex<double> critical);

/// The mean over time of an orbit without events.
Vector mean_of(const OrbitSystem& system, const PlannedOrbit& orbit);

/// The one near a small orbit, on the equilibrium itself: Newton's method for  F(x, p) = 0, secants for  Re λ(p) = 0.
/// `sizes`: what the components reach along orbits; `range`: of the parameter. Nothing if the equilibrium there loses no stability in such a
/// way, or with another frequency.
std::optional<HopfPoint> hopf_near(const OrbitSystem& system, const PlannedOrbit& small, const Vector& sizes,
                                   double range);

}  // namespace saltus
