#pragma once

#include "saltus/kernel/equations.hpp"
#include "saltus/kernel/program.hpp"

namespace saltus {

/// Where things stand in what `inverse_dynamics_bounds` writes. Along a curve x(t) that is a motion with closed contacts and slides
///   R = (M v̇ − f, ż − r) = P u,
/// with the forces and weights u = (λ, w) and the pushes P: u follows from the curve without M⁻¹. And it keeps the constraints c = 0:
/// ḧ of closed contacts, ṡ of slides. A polynomial that does not see what the constraint does has c ≠ 0; the force would be smaller by
/// c/G there, G the response of c to u.
/// Every entry is a middle and a radius, side by side.
struct InverseDynamicsLayout {
  std::size_t rows = 0;  // of R: n, then the first-order states
  std::size_t columns = 0;  // of P: contacts, then switches

  explicit InverseDynamicsLayout(const Layout& layout)
      : rows(layout.n + layout.first_order), columns(layout.contacts + layout.switches) {}

  std::size_t residual(std::size_t j) const { return j; }
  std::size_t residual_rate(std::size_t j) const { return rows + j; }
  /// What R_j changes by at most where v̇ and ż are off by δ.
  std::size_t reach(std::size_t j) const { return 2 * rows + j; }
  std::size_t push(std::size_t j, std::size_t u) const { return (3 + u) * rows + j; }
  std::size_t push_rate(std::size_t j, std::size_t u) const { return (3 + columns + u) * rows + j; }
  std::size_t constraint(std::size_t u) const { return (3 + 2 * columns) * rows + u; }
  std::size_t constraint_rate(std::size_t u) const { return constraint(columns + u); }
  std::size_t response(std::size_t u) const { return constraint(2 * columns + u); }  // in the middle only
  std::size_t size() const { return constraint(3 * columns); }
};

/// Reads boxes of t, x and, in the place of X, of ẋ, ẍ and δ.
Program inverse_dynamics_bounds(const Equations& equations);

}  // namespace saltus
