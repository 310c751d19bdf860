#include "saltus/model/switches.hpp"

#include <numbers>
#include <ranges>
#include <unordered_map>

#include "saltus/expr/substitute.hpp"
#include "saltus/expr/whole_number.hpp"
#include "saltus/model/decision.hpp"
#include "saltus/model/domain.hpp"
#include "saltus/model/hidden_kinks.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_choices = 16;  // taken out of the argument of one function

/// Rewrites force and rates from the leaves upwards, so that all choices in them are made by sides.
class Piecing {
 public:
  explicit Piecing(Decision& decision) : decision_(decision) {}

  Expr pieced(Expr root) {
    const Expr roots[] = {root};
    Graph& graph = root.graph();
    std::vector<bool> wanted(root.id() + 1U, false);  // what stands in a comparison is the decision's
    wanted[root.id()] = true;
    const std::vector<std::uint32_t> ids = reachable(roots);
    for (const std::uint32_t id : std::views::reverse(ids)) {
      const Op op = graph.node(id).op;
      if (!wanted[id] || op == Op::positive || op == Op::nonnegative) continue;
      for (const std::uint32_t arg : graph.node(id).args) wanted[arg] = true;
    }
    for (const std::uint32_t id : ids)
      if (wanted[id] && !done_.contains(id)) done_.emplace(id, rewritten(graph.at(id)));
    return done_.at(root.id());
  }

 private:
  Expr rewritten(Expr e) {
    if (!decision_.changes(e) || e.arity() == 0) return e;
    if (e.is_condition()) return decision_.condition(e);
    const auto arg = [&](std::size_t i) { return done_.at(e.arg(i).id()); };
    Graph& graph = e.graph();
    if (const auto triangle = triangle_of(e)) return sides_of(*triangle);
    switch (e.op()) {
      case Op::abs: return choice(decision_.above(e.arg(0)), arg(0), -arg(0));
      case Op::sign: return sign_of(e.arg(0));
      case Op::max: return choice(decision_.above(e.arg(0) - e.arg(1)), arg(0), arg(1));
      case Op::min: return choice(decision_.above(e.arg(0) - e.arg(1)), arg(1), arg(0));
      case Op::floor: return whole_part(e.arg(0));
      case Op::select: return choice(arg(0), arg(1), arg(2));
      default: break;
    }
    std::vector<Expr> args;
    for (std::size_t i = 0; i < e.arity(); ++i) args.push_back(arg(i));
    const Expr result = graph.make(e.op(), args);
    std::size_t choices = 0;
    return choices_outside(result, choices);
  }

  /// ±1, and 0 for a u that is zero for a while.
  Expr sign_of(Expr u) {
    Graph& graph = u.graph();
    const Expr above = decision_.above(u);
    const Expr below = decision_.above(-u);
    const Expr not_above = select(below, graph.constant(-1.0), graph.constant(0.0));
    const bool never_zero = below == apply(Op::negation, above);
    return select(above, graph.constant(1.0), never_zero ? graph.constant(-1.0) : not_above);
  }

  Expr whole_part(Expr u) {
    if (!decision_.changes(u)) return floor(u);
    if (const auto split = decision_.split(u))
      return choice(split->condition, whole_part(split->above), whole_part(split->below));
    const Decision::WholeParts parts = decision_.whole_parts(u, pieced(u));
    return choice(decision_.above(parts.surface), parts.above, parts.below);
  }

  /// T(w) between its kinks: w − 2π⌊w/2π + ¼⌋ on the way up, 2π⌊w/2π + ¾⌋ − w on the way down. As with ⌊u⌋, a step may try the other
  /// way, up to its half.
  Expr sides_of(const Triangle& triangle) {
    constexpr double turn = 2.0 * std::numbers::pi;
    const Expr w = pieced(triangle.angle);
    const Expr up = w - turn * floor(w / turn + 0.25);
    const Expr down = turn * floor(w / turn + 0.75) - w;
    return triangle.offset + triangle.slope * choice(decision_.above(triangle.sine), up, down);
  }

  Expr choice(Expr condition, Expr if_true, Expr if_false) {
    const Expr a = continued_where(condition, if_true);
    const Expr b = continued_where(apply(Op::negation, condition), if_false);
    return select(condition, a, b);
  }

  /// The value with its roots and logarithms continued beyond the surfaces at which the condition ends.
  Expr continued_where(Expr condition, Expr value) {
    if (!has_partial(value)) return value;
    std::vector<Expr> facts;
    collect_facts(condition, facts);
    return facts.empty() ? value : continued(value, facts);
  }

  void collect_facts(Expr condition, std::vector<Expr>& facts) const {
    if (const auto fact = decision_.fact(condition)) {
      facts.push_back(*fact);
    } else if (condition.op() == Op::both) {
      collect_facts(condition.arg(0), facts);
      collect_facts(condition.arg(1), facts);
    } else if (condition.op() == Op::negation && condition.arg(0).op() == Op::either) {
      collect_facts(apply(Op::negation, condition.arg(0).arg(0)), facts);
      collect_facts(apply(Op::negation, condition.arg(0).arg(1)), facts);
    }
  }

  bool has_partial(Expr e) {
    const auto known = has_partial_.find(e.id());
    if (known != has_partial_.end()) return known->second;
    bool result = is_partial(e);
    for (std::size_t i = 0; i < e.arity() && !result; ++i) result = has_partial(e.arg(i));
    return has_partial_[e.id()] = result;
  }

  /// f(… if(c, a, b) …) as if(c, f(… a …), f(… b …)): the branch then says where the argument of f is not negative.
  Expr choices_outside(Expr f, std::size_t& choices) {
    if (!is_partial(f)) return f;
    const Expr roots[] = {f.arg(0)};
    for (const std::uint32_t id : reachable(roots)) {
      const Expr e = f.graph().at(id);
      if (e.op() != Op::select || ++choices > most_choices) continue;
      const Expr from[] = {e};
      const Expr to[] = {e.arg(1), e.arg(2)};
      const Expr above = substitute(f, from, std::span(to, 1));
      const Expr below = substitute(f, from, std::span(to + 1, 1));
      return choice(e.arg(0), choices_outside(above, choices), choices_outside(below, choices));
    }
    return f;
  }

  Decision& decision_;
  std::unordered_map<std::uint32_t, Expr> done_;
  std::unordered_map<std::uint32_t, bool> has_partial_;
};

}  // namespace

std::optional<Expr> deciding_function(Expr node) {
  switch (node.op()) {
    case Op::positive:
    case Op::nonnegative:
    case Op::abs:
    case Op::sign: return node.arg(0);
    case Op::min:
    case Op::max: return node.arg(0) - node.arg(1);
    case Op::floor: return sin(2.0 * std::numbers::pi * node.arg(0));
    default: break;
  }
  const auto triangle = triangle_of(node);
  return triangle ? std::optional<Expr>(triangle->sine) : std::nullopt;
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

void find_switches(Model& model) {
  Decision decision(*model.graph, variables_of(model));
  Piecing piecing(decision);
  const auto pieced = [&](const std::vector<Located>& fields) {
    std::vector<Expr> result;
    for (const Located& field : fields) {
      decision.look_at(field.span);
      const Expr roots[] = {field.expr};
      result.push_back(piecing.pieced(with_kinks_shown(roots).front()));
    }
    return result;
  };
  model.pieced_force = pieced(model.force);
  model.pieced_rates = pieced(model.rates);
  model.switches = decision.switches();
}

}  // namespace saltus
