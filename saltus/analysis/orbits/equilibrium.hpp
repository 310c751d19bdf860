#pragma once

#include <optional>

#include "saltus/analysis/orbits/orbit_piece.hpp"

namespace saltus {

/// A zero of the field of a mode with the eigenvalues of its linearisation there.
struct Equilibrium {
  Vector x;
  Eigen::VectorXcd eigenvalues;
};

/// ∂F/∂x of a mode, from the expressions.
Matrix field_jacobian(const Mechanism& mechanism, const Vector& x, const Mode& mode);

/// The equilibrium near x at values of the varied parameters, by Newton's method in units of the sizes. Nothing if it does not converge.
std::optional<Equilibrium> equilibrium_near(const OrbitSystem& system, const Mode& mode,
                                            const std::vector<double>& varied, Vector x, const Vector& sizes);

}  // namespace saltus
