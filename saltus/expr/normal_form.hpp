#pragma once

#include <span>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// The same function of its symbols, as a polynomial over symbols and functions that was expanded, collected and factored
/// again: products and small whole powers are multiplied out, like monomials collected, cos² + sin² = 1,
/// cos a cos b + sin a sin b = cos(a − b) and its three companions recognised, common factors taken out. So equations derived
/// from energies cost about what hand-written ones cost. Whatever would grow too large is left as it is, and the result
/// is never dearer (`operation_count`) than `e` itself. Depends on the mathematics alone, not on the order of building.
Expr normal_form(Expr e);

/// The work of evaluating the roots once: one for each addition, multiplication and comparison, ten for a function, two for a
/// sine whose cosine is there already. Shared nodes count once, and so does a factor −1 not at all.
int operation_count(std::span<const Expr> roots);

}  // namespace saltus
