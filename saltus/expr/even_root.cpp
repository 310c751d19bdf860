#include "saltus/expr/even_root.hpp"

#include <cmath>

namespace saltus {
namespace {

/// (u^2k)^r
Expr rooted(Expr even_power, double r) {
  Graph& graph = even_power.graph();
  return graph.power(apply(Op::abs, even_power.arg(0)), graph.constant(even_power.arg(1).value() * r));
}

}  // namespace

std::optional<Expr> power_of_even_powers(Expr b, double r) {
  if (is_even_power(b)) return rooted(b, r);
  if (b.op() != Op::product) return std::nullopt;
  Graph& graph = b.graph();
  std::vector<Expr> outside;
  std::vector<Expr> inside;
  for (std::size_t i = 0; i < b.arity(); ++i) {
    const Expr factor = b.arg(i);
    if (is_even_power(factor)) outside.push_back(rooted(factor, r));
    else inside.push_back(factor);
  }
  if (outside.empty()) return std::nullopt;
  if (!inside.empty()) outside.push_back(graph.power(graph.product(inside), graph.constant(r)));
  return graph.product(outside);
}

std::optional<Expr> exponential_of_logarithm(Expr exponent) {
  const Term term = as_term(exponent);
  const double r = term.coefficient;
  if (term.core.op() != Op::log || r == std::floor(r)) return std::nullopt;
  return pow(term.core.arg(0), exponent.graph().constant(r));
}

}  // namespace saltus
