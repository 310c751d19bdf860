#pragma once

#include "saltus/kernel/motion_equations.hpp"

namespace saltus {

/// The law of impact: docs/theory.md, "Impact".
class ImpactEquations {
 public:
  ImpactEquations(const Model& model, const ModelTerms& terms, const MotionEquations& motion);

  /// Of some contact e is a function of the speed of approach.
  bool is_by_speed() const;
  /// What the kernel `contact` writes.
  ExprVector contacts() const;
  /// What the kernel `impact` writes.
  ExprVector jump() const;

 private:
  void resolve(const Model& model, std::size_t i);
  Expr elastic_part(std::size_t i) const;

  const ModelTerms& of_;
  const MotionEquations& motion_;
  ExprVector restitution_, slope_;  // e and ∂(e w)/∂w
  std::vector<bool> by_speed_;  // per contact
};

}  // namespace saltus
