#pragma once

#include "saltus/expr/expr.hpp"

namespace saltus {

/// base^exponent; a whole exponent by repeated multiplication, as the compiled code does it.
double folded_power(double base, double exponent);

/// f(x) or f(x, y) of a function (not of sums, products and conditions) in double precision.
double folded(Op op, double x, double y);

}  // namespace saltus
