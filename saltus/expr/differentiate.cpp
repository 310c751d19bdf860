#include "saltus/expr/differentiate.hpp"

#include <unordered_map>

namespace saltus {
namespace {

/// ∂f/∂(argument) of a function of one argument.
Expr derivative_of_function(Expr f) {
  const Expr x = f.arg(0);
  switch (f.op()) {
    case Op::sqrt: return 0.5 / f;
    case Op::exp: return f;
    case Op::log: return 1.0 / x;
    case Op::sin: return cos(x);
    case Op::cos: return -sin(x);
    case Op::tan: return 1.0 + f * f;
    case Op::asin: return 1.0 / sqrt(1.0 - x * x);
    case Op::acos: return -1.0 / sqrt(1.0 - x * x);
    case Op::atan: return 1.0 / (1.0 + x * x);
    case Op::sinh: return apply(Op::cosh, x);
    case Op::cosh: return apply(Op::sinh, x);
    case Op::tanh: return 1.0 - f * f;
    case Op::abs: return apply(Op::sign, x);
    default: return x.graph().constant(0.0);  // sign, floor
  }
}

class Differentiator {
 public:
  explicit Differentiator(Expr symbol) : graph_(symbol.graph()), symbol_(symbol), zero_(graph_.constant(0.0)) {}

  /// All ids in the order of `reachable`, then the answer for any of them.
  void visit(std::uint32_t id) {
    const Expr d = derivative(graph_.at(id));
    if (!(d == zero_)) nonzero_.emplace(id, d);
  }
  Expr of(Expr e) const {
    const auto found = nonzero_.find(e.id());
    return found == nonzero_.end() ? zero_ : found->second;
  }

 private:
  Expr derivative(Expr e) const {
    switch (e.op()) {
      case Op::symbol: return e == symbol_ ? graph_.constant(1.0) : zero_;
      case Op::sum: return of_sum(e);
      case Op::product: return of_product(e);
      case Op::power: return of_power(e);
      case Op::atan2: return of_atan2(e);
      case Op::min: return chosen(greater(e.arg(1), e.arg(0)), e.arg(0), e.arg(1));
      case Op::max: return chosen(greater(e.arg(0), e.arg(1)), e.arg(0), e.arg(1));
      case Op::hold: return of(e.arg(0));
      case Op::select: return chosen(e.arg(0), e.arg(1), e.arg(2));
      default: break;
    }
    if (e.arity() != 1 || e.is_condition() || of(e.arg(0)) == zero_) return zero_;
    return derivative_of_function(e) * of(e.arg(0));
  }

  Expr of_sum(Expr e) const {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < e.arity(); ++i) terms.push_back(of(e.arg(i)));
    return graph_.sum(terms);
  }

  Expr of_product(Expr e) const {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < e.arity(); ++i) {
      if (of(e.arg(i)) == zero_) continue;
      std::vector<Expr> factors;
      for (std::size_t j = 0; j < e.arity(); ++j) factors.push_back(j == i ? of(e.arg(j)) : e.arg(j));
      terms.push_back(graph_.product(factors));
    }
    return graph_.sum(terms);
  }

  /// ∂(b^c) = c b^(c−1) ∂b + b^c log(b) ∂c
  Expr of_power(Expr e) const {
    const Expr b = e.arg(0);
    const Expr c = e.arg(1);
    const Expr by_base = of(b) == zero_ ? zero_ : c * pow(b, c - 1.0) * of(b);
    const Expr by_exponent = of(c) == zero_ ? zero_ : e * apply(Op::log, b) * of(c);
    return by_base + by_exponent;
  }

  Expr of_atan2(Expr e) const {
    const Expr y = e.arg(0);
    const Expr x = e.arg(1);
    return (x * of(y) - y * of(x)) / (x * x + y * y);
  }

  Expr chosen(Expr condition, Expr if_true, Expr if_false) const {
    const Expr a = of(if_true);
    const Expr b = of(if_false);
    return a == b ? a : select(condition, a, b);
  }

  Graph& graph_;
  Expr symbol_;
  Expr zero_;
  std::unordered_map<std::uint32_t, Expr> nonzero_;
};

}  // namespace

std::vector<Expr> differentiate(std::span<const Expr> roots, Expr symbol) {
  Differentiator differentiator(symbol);
  for (const std::uint32_t id : reachable(roots)) differentiator.visit(id);
  std::vector<Expr> result;
  for (const Expr& root : roots) result.push_back(differentiator.of(root));
  return result;
}

Expr differentiate(Expr root, Expr symbol) {
  const Expr roots[] = {root};
  return differentiate(roots, symbol).front();
}

}  // namespace saltus
