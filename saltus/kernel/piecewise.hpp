#pragma once

#include "saltus/kernel/graph_algebra.hpp"

namespace saltus {

/// The roots with every choice along a switching surface s_k taken by the sign σ_k instead of the value of s_k:
/// within a mode the field is then smooth on both sides of the surface.
///   s_k > 0 → σ_k > 0,   |s| → ±s,   sign s → ±1,   min(a, b) with s = a − b → b or a.
ExprVector branches_by_sign(const ExprVector& roots, const ExprVector& surfaces, const ExprVector& signs);

/// The roots with σ_k fixed at +1 or −1.
ExprVector with_sign(const ExprVector& roots, Expr sign, double value);

/// What sums jump by across switching surfaces. Terms that do not know a sign do not jump with it, and are not looked at: with many
/// switches that is nearly all of them.
class Jumps {
 public:
  Jumps(const ExprVector& roots, const ExprVector& signs);

  /// The roots with sign k = 1 minus those with −1.
  ExprVector across(std::size_t k) const;

 private:
  ExprVector signs_;
  std::vector<std::vector<ExprVector>> terms_;  // [k][root]
  std::size_t roots_;
};

}  // namespace saltus
