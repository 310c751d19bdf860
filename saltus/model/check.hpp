#pragma once

#include <optional>
#include <vector>

#include "saltus/base/diagnostic.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// A node of `e` that makes it non-smooth in the variables (`abs`, `min`, `if` … of something that changes), or nothing.
std::optional<Expr> kink(Expr e, const std::vector<Expr>& variables);

/// Whether two expressions have the same values at a few arbitrary places; nothing if they have none there.
std::optional<bool> equal_somewhere(Expr a, Expr b);

/// M, T and h must be smooth, M symmetric and (from T) free of velocities, the section must be able to be crossed.
std::vector<Diagnostic> check(const Model& model);

}  // namespace saltus
