#pragma once

#include <optional>
#include <vector>

#include "saltus/expr/expr.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// What decides between the pieces of a node: s for the conditions s > 0 and s ≥ 0 and for abs(s), sign(s); a − b for
/// min(a, b), max(a, b). Nothing for smooth nodes, and for `if`, whose conditions speak for themselves.
std::optional<Expr> deciding_function(Expr node);

/// s or −s, without a number in front: the one in which the first of `variables` that s contains has a positive sign.
/// Both directions of a comparison thus give one surface.
Expr oriented_surface(Expr s, const std::vector<Expr>& variables);

/// q, v, z and t: what changes during a motion, in this order.
std::vector<Expr> variables_of(const Model& model);

/// The surfaces of force and rates that depend on the state or on time, each once, in order of appearance.
std::vector<Switch> switching_surfaces(const Model& model);

}  // namespace saltus
