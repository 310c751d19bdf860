#include "saltus/expr/evaluate.hpp"

#include "saltus/expr/fold.hpp"

namespace saltus {
namespace {

using Values = std::vector<double>;  // of the nodes, by id

double combined(Expr e, const Values& values) {
  const auto arg = [&](std::size_t i) { return values[e.arg(i).id()]; };
  switch (e.op()) {
    case Op::sum: {
      double total = 0.0;
      for (std::size_t i = 0; i < e.arity(); ++i) total += arg(i);
      return total;
    }
    case Op::product: {
      double total = 1.0;
      for (std::size_t i = 0; i < e.arity(); ++i) total *= arg(i);
      return total;
    }
    case Op::power: return folded_power(arg(0), arg(1));
    case Op::positive: return arg(0) > 0.0 ? 1.0 : 0.0;
    case Op::nonnegative: return arg(0) >= 0.0 ? 1.0 : 0.0;
    case Op::both: return arg(0) * arg(1);
    case Op::either: return arg(0) + arg(1) > 0.0 ? 1.0 : 0.0;
    case Op::negation: return 1.0 - arg(0);
    case Op::select: return arg(0) != 0.0 ? arg(1) : arg(2);
    default: return folded(e.op(), arg(0), e.arity() > 1 ? arg(1) : 0.0);
  }
}

}  // namespace

std::vector<double> evaluate(std::span<const Expr> roots, const Valuation& value_of) {
  const std::vector<std::uint32_t> ids = reachable(roots);
  if (ids.empty()) return {};
  Values values(ids.back() + 1U);
  for (const std::uint32_t id : ids) {
    const Expr e = roots.front().graph().at(id);
    const bool is_leaf = e.op() == Op::constant || e.op() == Op::truth;
    values[id] = is_leaf ? e.value() : e.op() == Op::symbol ? value_of(e.name()) : combined(e, values);
  }
  std::vector<double> result;
  for (const Expr& root : roots) result.push_back(values[root.id()]);
  return result;
}

double evaluate(Expr root, const Valuation& value_of) {
  const Expr roots[] = {root};
  return evaluate(roots, value_of).front();
}

}  // namespace saltus
