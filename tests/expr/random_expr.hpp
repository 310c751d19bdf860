#pragma once
// Random expressions over every operation, for tests that must hold for all of them.

#include <cmath>
#include <random>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus::test {

class RandomExpr {
 public:
  RandomExpr(Graph& graph, unsigned seed) : graph_(graph), random_(seed) {}

  Expr number(int depth) {
    if (depth == 0) return chance(0.4) ? constant() : symbol();
    switch (below(9)) {
      case 0:
      case 1: return number(depth - 1) + number(depth - 1) + number(depth - 1);
      case 2: return number(depth - 1) - number(depth - 1);
      case 3: return number(depth - 1) * number(depth - 1) * number(depth - 1);
      case 4: return number(depth - 1) * pow(symbol(), -1 - below(3));
      case 5: return power(depth);
      case 6: return two_arguments(depth);
      case 7: return select(condition(depth - 1), number(depth - 1), number(depth - 1));
      default: return one_argument(depth);
    }
  }

  Expr condition(int depth) {
    const int kind = depth <= 0 ? below(2) : below(5);
    switch (kind) {
      case 0: return greater(number(depth > 0 ? depth - 1 : 0), number(0));
      case 1: return greater_equal(number(depth > 0 ? depth - 1 : 0), number(0));
      case 2: return apply(Op::both, condition(depth - 1), condition(depth - 1));
      case 3: return apply(Op::either, condition(depth - 1), condition(depth - 1));
      default: return apply(Op::negation, condition(depth - 1));
    }
  }

  Expr symbol() {
    static constexpr const char* names[] = {"x", "y", "psi1", "psi1'", "k_2", "ω"};
    return graph_.symbol(names[below(6)]);
  }

  /// Whole numbers, fractions, multiples of pi, decimals, sums that are no short decimal, huge and tiny numbers.
  Expr constant() {
    const double sign = chance(0.5) ? 1.0 : -1.0;
    switch (below(7)) {
      case 0: return graph_.constant(sign * below(10));
      case 1: return graph_.constant(sign * (1 + below(20)) / (1 + below(150)));
      case 2: return graph_.constant(sign * (1 + below(20)) / (1 + below(12)) * 3.14159265358979323846);
      case 3: return graph_.constant(sign * below(1000) / 100.0);
      case 4: return graph_.constant(sign * (0.1 + 0.1 * below(9)));
      case 5: return graph_.constant(sign * std::ldexp(1.0 + real(), below(60) - 30));
      default: return graph_.constant(sign * std::pow(10.0, below(40) - 20));
    }
  }

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  double real() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }
  bool chance(double p) { return real() < p; }

 private:
  Expr power(int depth) {
    const Expr base = number(depth - 1);
    if (chance(0.4)) return pow(base, below(9) - 4 == 0 ? 2 : below(9) + 1);
    if (chance(0.3)) return pow(base, graph_.constant(0.25 * (below(20) - 10)));
    if (chance(0.3)) return pow(base, 70);  // not a chain of products
    return pow(base, number(depth - 1));
  }
  Expr one_argument(int depth) {
    static constexpr Op ops[] = {Op::sqrt, Op::exp,  Op::log,  Op::sin,  Op::cos,  Op::tan, Op::asin,
                                 Op::acos, Op::atan, Op::sinh, Op::cosh, Op::tanh, Op::abs, Op::sign};
    return apply(ops[below(14)], number(depth - 1));
  }
  Expr two_arguments(int depth) {
    static constexpr Op ops[] = {Op::atan2, Op::min, Op::max};
    return apply(ops[below(3)], number(depth - 1), number(depth - 1));
  }

  Graph& graph_;
  std::mt19937 random_;
};

/// True if some number in the expression is infinite or none: folding log(0) and the like gives such.
inline bool has_unreal_number(Expr e) {
  const Expr roots[] = {e};
  for (const std::uint32_t id : reachable(roots)) {
    const Expr node = e.graph().at(id);
    if (node.is_constant() && !std::isfinite(node.value())) return true;
  }
  return false;
}

}  // namespace saltus::test
