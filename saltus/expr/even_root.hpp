#pragma once

#include <optional>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// b^r with a broken r in a form that shows its kinks: (u²)^r = |u|^(2r), sqrt(a u²) = |u| sqrt(a). Nothing if b holds
/// no even power.
std::optional<Expr> power_of_even_powers(Expr b, double r);

/// e^(r log b) = b^r, which holds no more where b is negative and r whole: nothing then.
std::optional<Expr> exponential_of_logarithm(Expr exponent);

}  // namespace saltus
