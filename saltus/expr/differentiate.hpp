#pragma once

#include <span>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// ∂e/∂symbol for each root, sharing all that they share. Branches of `if`, `abs`, `min`, `max` are differentiated
/// each in its own region; `sign` has derivative zero.
std::vector<Expr> differentiate(std::span<const Expr> roots, Expr symbol);
Expr differentiate(Expr root, Expr symbol);

}  // namespace saltus
