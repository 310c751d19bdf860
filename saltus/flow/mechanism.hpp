#pragma once

#include <span>

#include "saltus/flow/mode.hpp"
#include "saltus/kernel/kernels.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// The field of a mode at a point, with the contact forces and the Filippov weights that belong to it.
struct FieldValue {
  Vector rate;    // ẋ
  Vector force;   // λ, 0 for open contacts
  Vector weight;  // w
};

/// Gaps and what makes them close: docs/theory.md, "The system".
struct ContactValue {
  Vector h, gamma;
  Vector restitution;    // e of an impact from this state
  Vector rebound_slope;  // ∂γ⁺/∂|γ⁻| of such an impact: e itself, where e is the same at every speed
  Matrix normal;    // m × n, rows nᵢ
  Matrix response;  // m × n, rows M⁻¹ nᵢ
  Matrix delassus;  // m × m
};

/// Contacts struck together: v⁺, impulses, and the derivative of v⁺ by q, v, t and the varied parameters.
struct ImpactValue {
  Vector v_plus;
  Vector impulse;
  Matrix derivative;  // n × (2n + 1 + varied)
};

/// An event function's values: gaps, switches, surfaces in this order, with rates along ẋ; ḧ of the gaps.
struct EventValue {
  Vector value, rate, gap_second;
};

/// One point of a motion with its parameters, seen through the kernels of width 1: the quantities of docs/theory.md by name.
class Mechanism {
 public:
  Mechanism(const Kernels& kernels, std::span<const double> parameter_inputs)
      : kernels_(kernels), functions_(kernels.at(1)), p_(parameter_inputs) {}

  const Layout& layout() const { return kernels_.layout(); }
  const Kernels& kernels() const { return kernels_; }
  const double* parameters() const { return p_.data(); }
  /// Do forces or switching functions have roots of what is zero on a surface?
  bool has_roots() const { return layout().has_roots(p_.data()); }
  FieldValue field(double t, const Vector& x, const Mode& mode) const;
  /// The state after a short time in the mode, by one step of the classical method of Runge and Kutta: a look, not a motion.
  Vector a_little_later(double t, const Vector& x, const Mode& mode, double dt) const;
  ContactValue contact(double t, const Vector& x, const Mode& mode) const;
  /// In a mode: switching functions that are piecewise themselves take the mode's pieces.
  EventValue events(double t, const Vector& x, const Vector& rate, const Mode& mode) const;
  /// The same on the sides where x lies.
  EventValue events(double t, const Vector& x, const Vector& rate) const;
  /// The contacts in `struck` together; `elastic[i]` = 0 takes restitution 0 for contact i.
  ImpactValue impact(double t, const Vector& x, const std::vector<char>& struck,
                     const std::vector<char>& elastic) const;
  /// Rows: derivatives of h, γ, s, surfaces by x, t, varied parameters.
  Matrix jets(double t, const Vector& x, const Mode& mode) const;
  Matrix jets(double t, const Vector& x) const;
  /// Kinetic energy and the power of all forces in the mode, contact forces included.
  std::pair<double, double> energy(double t, const Vector& x, const Mode& mode) const;
  Vector observe(double t, const Vector& x) const;

 private:
  Mode sides_of(double t, const Vector& x) const;

  const Kernels& kernels_;
  const KernelSet& functions_;
  std::span<const double> p_;
};

}  // namespace saltus
