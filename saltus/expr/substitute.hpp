#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// What stands for a node in the result: a replacement in the target graph, or nothing to rebuild it from its arguments.
using Replacement = std::function<std::optional<Expr>(Expr)>;

/// The roots rebuilt in `target` (which may be their own graph), with nodes replaced from the leaves upwards.
/// The replacement is asked about every node of the source; what it returns is not visited again.
std::vector<Expr> substitute(std::span<const Expr> roots, Graph& target, const Replacement& replacement);

/// What stands for a node whose arguments have been rewritten to `args` already; nothing rebuilds it from them.
using Rewriting = std::function<std::optional<Expr>(Expr node, std::span<const Expr> args)>;

/// The roots rebuilt in `target` from the leaves upwards, each node as `rewriting` says.
std::vector<Expr> rewrite(std::span<const Expr> roots, Graph& target, const Rewriting& rewriting);

/// The root with each `from[i]` replaced by `to[i]`, in its own graph.
Expr substitute(Expr root, std::span<const Expr> from, std::span<const Expr> to);

}  // namespace saltus
