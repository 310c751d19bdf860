#pragma once

#include <span>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// sqrt, log, and powers with a broken exponent: functions of what is not negative.
bool is_partial(Expr e);

/// True if e ≥ 0 wherever all of `facts` are ≥ 0, as far as its form shows.
bool is_nonnegative(Expr e, std::span<const Expr> facts);

/// The root with sqrt(g), log(g) and g^r (r broken) continued beyond g = 0 wherever the facts say that g ≥ 0:
///   sqrt(g) → sign(g) sqrt|g|,   g^r → sign(g) |g|^r,   log(g) → log|g|.
/// A step that tries the far side of the surface where a fact ends finds finite numbers there and so comes back to the
/// surface; the motion itself never is there. Where nothing says that g ≥ 0, a root of a negative number stays what it is.
Expr continued(Expr root, std::span<const Expr> facts);

/// The same everywhere: for functions of which only the sign counts.
Expr continued_everywhere(Expr root);

/// The exponents r of all |g|^r in the expression with 0 < r < 1, or with an r that is no number. Roots that are continued have this form:
/// their slope at g = 0 is infinite.
std::vector<Expr> exponents_of_roots(Expr expression);

}  // namespace saltus
