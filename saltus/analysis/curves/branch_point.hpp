#pragma once

#include "saltus/analysis/curves/curve_problem.hpp"

namespace saltus {

/// The point near `guess` where two curves of the problem cross, by Newton's method on equations that are regular there:
///   G(y) + b ψ = 0,   g₁(y) = g₂(y) = 0,   with  J vₖ + gₖ ψ = 0,  Vᵀvₖ = eₖ
/// in the unknowns y and b. V and ψ span the kernels of J and Jᵀ at the guess; both gₖ vanish where J has two directions in its
/// kernel. Nothing if the iteration does not converge near the guess, or to b ≠ 0: there curves only come near each other.
std::optional<Eigen::VectorXd> branch_point_near(const CurveProblem& problem, const Eigen::VectorXd& guess);

}  // namespace saltus
