#pragma once

#include <optional>
#include <vector>

#include "saltus/expr/expr.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// What decides between the pieces of a node: s for the conditions s > 0 and s ≥ 0 and for abs(s), sign(s); a − b for
/// min(a, b), max(a, b); sin(2πu) for floor(u); sin(u) for acos(cos(u)) and its like. Nothing for smooth nodes, and for `if`,
/// whose conditions speak for themselves.
std::optional<Expr> deciding_function(Expr node);

/// s or −s, without a number in front: the one in which the first of `variables` that s contains has a positive sign.
/// Both directions of a comparison thus give one surface.
Expr oriented_surface(Expr s, const std::vector<Expr>& variables);

/// q, v, z and t: what changes during a motion, in this order.
std::vector<Expr> variables_of(const Model& model);

/// Finds the surfaces along which force and rates are pieced together, each once, in order of appearance, and what force and
/// rates are on their sides: fills in `switches`, `pieced_force` and `pieced_rates`.
void find_switches(Model& model);

}  // namespace saltus
