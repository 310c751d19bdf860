#include "saltus/model/switches.hpp"

#include <algorithm>
#include <unordered_set>

#include "saltus/expr/print.hpp"

namespace saltus {
namespace {

constexpr std::size_t longest_text = 200;

/// Marks which nodes depend on one of the variables, for all nodes below some roots at once.
std::unordered_set<std::uint32_t> dependent_nodes(std::span<const Expr> roots, const std::vector<Expr>& variables) {
  std::unordered_set<std::uint32_t> result;
  if (roots.empty()) return result;
  Graph& graph = roots.front().graph();
  for (const Expr& variable : variables) result.insert(variable.id());
  for (const std::uint32_t id : reachable(roots)) {
    const auto& args = graph.node(id).args;
    if (std::any_of(args.begin(), args.end(), [&](std::uint32_t arg) { return result.contains(arg); }))
      result.insert(id);
  }
  return result;
}

}  // namespace

std::optional<Expr> deciding_function(Expr node) {
  switch (node.op()) {
    case Op::positive:
    case Op::nonnegative:
    case Op::abs:
    case Op::sign: return node.arg(0);
    case Op::min:
    case Op::max: return node.arg(0) - node.arg(1);
    default: return std::nullopt;
  }
}

Expr oriented_surface(Expr s, const std::vector<Expr>& variables) {
  const Term whole = as_term(s);
  const Expr core = whole.core;
  if (core.op() != Op::sum) return core;
  for (const Expr& variable : variables) {
    for (std::size_t i = 0; i < core.arity(); ++i) {
      if (!depends_on(core.arg(i), variable)) continue;
      return as_term(core.arg(i)).coefficient < 0.0 ? -core : core;
    }
  }
  return core;
}

std::vector<Expr> variables_of(const Model& model) {
  std::vector<Expr> variables = model.q;
  variables.insert(variables.end(), model.v.begin(), model.v.end());
  variables.insert(variables.end(), model.z.begin(), model.z.end());
  variables.push_back(model.t);
  return variables;
}

std::vector<Switch> switching_surfaces(const Model& model) {
  const std::vector<Expr> variables = variables_of(model);
  std::vector<Located> fields = model.force;
  fields.insert(fields.end(), model.rates.begin(), model.rates.end());
  std::vector<Switch> switches;
  std::unordered_set<std::uint32_t> known;
  for (const Located& field : fields) {
    const Expr roots[] = {field.expr};
    const auto changing = dependent_nodes(roots, variables);
    std::vector<std::uint32_t> ids = reachable(roots);
    std::sort(ids.begin(), ids.end());  // nodes are made in the order of the text
    for (const std::uint32_t id : ids) {
      const Expr node = model.graph->at(id);
      if (!changing.contains(id)) continue;
      const auto s = deciding_function(node);
      if (!s) continue;
      const Expr surface = oriented_surface(*s, variables);
      if (known.insert(surface.id()).second) switches.push_back({surface, printed(surface, longest_text), field.span});
    }
  }
  return switches;
}

}  // namespace saltus
