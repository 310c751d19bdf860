#pragma once

#include <optional>

#include "saltus/kernel/coupling.hpp"
#include "saltus/kernel/model_terms.hpp"
#include "saltus/kernel/piecewise.hpp"

namespace saltus {

/// Motion without contact, and with the forces λ of closed contacts and the weights w of switches slid along: docs/theory.md, "Contact
/// kept" and "Events".
class MotionEquations {
 public:
  /// An acceleration with its rates, contact forces and weights.
  struct Motion {
    ExprVector acceleration;  // v̇
    ExprVector first_order;  // ż
    ExprVector force;  // λ; empty without contacts
    ExprVector weight;  // w of the Filippov switches
  };

  /// Of a λ or w: what it keeps, row_v·v̇ + row_z·ż + drift = 0 while its mask is 1, and what it adds to f and r per unit.
  struct Constraint {
    ExprVector row_v, row_z;
    Expr drift;
    ExprVector push_f, push_r;
    Expr mask;
    ExprVector response;  // M⁻¹ push_f
  };

  explicit MotionEquations(const ModelTerms& terms);

  const Motion& free() const { return free_; }
  const Motion& closed() const { return closed_; }
  /// ẋ.
  ExprVector rate(const Motion& motion) const;

  const Elimination& mass() const { return mass_; }
  /// Of M, if it varies: where it reaches zero the mechanics ends, also under forces that vanish there.
  Expr smallest_pivot() const;
  /// Of the contacts, then of the switches.
  const std::vector<Constraint>& constraints() const { return constraints_; }
  /// What row i gains by a unit of λ or w of j.
  Expr delassus(std::size_t i, std::size_t j) const;
  /// What the rows lack, −(row·v̇ + row·ż + drift), turned into multipliers.
  ExprVector multipliers(const ExprVector& acceleration, const ExprVector& first_order, const ExprVector& drift) const;
  Motion pushed(const ExprVector& acceleration, const ExprVector& first_order, const ExprVector& unknowns) const;

 private:
  Constraint of_contact(std::size_t i) const;
  Constraint of_switch(std::size_t k, const Jumps& jumps_f, const Jumps& jumps_r) const;
  void couple();

  const ModelTerms& of_;
  Elimination mass_;
  Motion free_, closed_;
  std::vector<Constraint> constraints_;
  std::optional<Coupling> coupling_;
};

}  // namespace saltus
