#pragma once

#include <Eigen/Core>

namespace saltus {

/// The linear complementarity problem  y = L x + q,  0 ≤ x ⊥ y ≥ 0.
struct Complementarity {
  enum class End {
    solved,
    ray,     // Lemke's path leads to infinity; for L positive semidefinite: no x ≥ 0 has L x + q ≥ 0
    stalled  // rounding kept the path from its end
  };
  End end = End::solved;
  Eigen::VectorXd x, y;  // as far as the path led
  int pivots = 0;
};

/// Lemke's method with the covering vector 1 and lexicographic ordering, so that ties do not make it go in circles (Cottle, Pang & Stone
/// 1992, section 4.4). It solves every problem with L positive definite, where the solution is unique, and with L positive semidefinite
/// whenever there is one; y is then unique, and L restricted to the basic x, those that are not zero by construction, is regular. For
/// other L a solution, if one is found, is one of possibly several, and a ray proves nothing.
///
/// Rows and columns are scaled by the diagonal, so that contacts in different units are treated alike. What is smaller than
/// 1e-11 of its column is zero; a problem that lacks a solution by less than 1e-10 of q counts as solved.
Complementarity solve_complementarity(const Eigen::MatrixXd& L, const Eigen::VectorXd& q);

}  // namespace saltus
