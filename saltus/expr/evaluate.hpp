#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// The number behind a symbol.
using Valuation = std::function<double(const std::string& name)>;

/// The roots as numbers, in double precision; conditions give 0 or 1. For checks and set-up, not for speed.
std::vector<double> evaluate(std::span<const Expr> roots, const Valuation& value_of);
double evaluate(Expr root, const Valuation& value_of);

}  // namespace saltus
