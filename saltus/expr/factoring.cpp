#include "saltus/expr/factoring.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

class Factoring {
 public:
  explicit Factoring(Graph& graph) : graph_(graph) {}

  Expr factored(Polynomial p) const {
    if (p.empty()) return graph_.constant(0.0);
    const Monomial common = common_factor(p);
    const double number = common_number(p);
    if (!common.empty() || number != 1.0) p = divided(p, common, number);
    return product_of(common, number) * bare(p);
  }

 private:
  /// Of several monomials without a common factor.
  Expr bare(const Polynomial& p) const {
    if (p.size() == 1) return product_of(p.begin()->first, p.begin()->second.value);
    const std::optional<Factor> shared = most_shared(p);
    if (!shared) return plain_sum(p);
    Polynomial with;
    Polynomial without;
    for (const auto& [monomial, c] : p) (has(monomial, *shared) ? with : without).emplace(monomial, c);
    return factored(std::move(with)) + factored(std::move(without));
  }

  static bool has(const Monomial& monomial, const Factor& shared) {
    return std::any_of(monomial.begin(), monomial.end(), [&](const Factor& f) {
      return f.atom == shared.atom && (f.exponent > 0) == (shared.exponent > 0);
    });
  }

  Expr product_of(const Monomial& monomial, double number) const {
    std::vector<Expr> factors = {graph_.constant(number)};
    for (const Factor& factor : monomial) factors.push_back(pow(graph_.at(factor.atom), factor.exponent));
    return graph_.product(factors);
  }

  Expr plain_sum(const Polynomial& p) const {
    std::vector<Expr> terms;
    for (const auto& [monomial, c] : p) terms.push_back(product_of(monomial, c.value));
    return graph_.sum(terms);
  }

  Monomial common_factor(const Polynomial& p) const {
    Monomial common = p.begin()->first;
    for (const auto& [monomial, c] : p) {
      for (Factor& factor : common) {
        const int other = exponent_of(monomial, graph_.at(factor.atom));
        const bool same_sign = (other > 0) == (factor.exponent > 0) && other != 0;
        const int least = std::min(std::abs(other), std::abs(factor.exponent));
        factor.exponent = !same_sign ? 0 : factor.exponent > 0 ? least : -least;
      }
      std::erase_if(common, [](const Factor& f) { return f.exponent == 0; });
    }
    return common;
  }

  /// The number in front of all, if it is the same up to the sign; 1 otherwise.
  static double common_number(const Polynomial& p) {
    const double first = p.begin()->second.value;
    const bool same = std::all_of(p.begin(), p.end(), [&](const auto& entry) {
      return std::abs(std::abs(entry.second.value) - std::abs(first)) <= rounding_left_over * std::abs(first);
    });
    return same ? std::abs(first) : 1.0;
  }

  Polynomial divided(const Polynomial& p, const Monomial& common, double number) const {
    Polynomial quotient;
    for (const auto& [monomial, c] : p) {
      Monomial rest = monomial;
      for (const Factor& factor : common) rest = times(std::move(rest), graph_.at(factor.atom), -factor.exponent);
      const bool is_number = std::abs(std::abs(c.value) - number) <= rounding_left_over * number;
      const double value = number != 1.0 && is_number ? std::copysign(1.0, c.value) : c.value / number;
      quotient.emplace(std::move(rest), Coefficient{value, c.size / number});
    }
    return quotient;
  }

  /// The atom or inverse of an atom that most monomials have (at least two); the first in order among equals.
  static std::optional<Factor> most_shared(const Polynomial& p) {
    std::map<Factor, int> counts;
    for (const auto& [monomial, c] : p)
      for (const Factor& factor : monomial) ++counts[{factor.hash, factor.atom, factor.exponent > 0 ? 1 : -1}];
    std::optional<Factor> best;
    int most = 1;
    for (const auto& [factor, count] : counts) {
      if (count <= most) continue;
      most = count;
      best = factor;
    }
    return best;
  }

  Graph& graph_;
};

}  // namespace

Expr factored(Graph& graph, Polynomial polynomial) { return Factoring(graph).factored(std::move(polynomial)); }

}  // namespace saltus
