#pragma once

#include <vector>

#include "saltus/expr/expr.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// M v̇ = f.
struct EquationsOfMotion {
  std::vector<Expr> mass;  // n × n by rows
  std::vector<Expr> force;
};

/// Euler and Lagrange, from the energies T, V, D and the applied forces Q:
///   M = ∂²T/∂v∂v,   f = ∂T/∂q − (∂²T/∂v∂q) v − ∂²T/∂v∂t − ∂V/∂q − ∂D/∂v + Q.
/// Requires T at most quadratic in v (else M depends on v, which the caller checks).
EquationsOfMotion euler_lagrange(const Energies& energies, const std::vector<Expr>& q, const std::vector<Expr>& v,
                                 Expr t);

}  // namespace saltus
