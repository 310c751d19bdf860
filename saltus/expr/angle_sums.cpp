#include "saltus/expr/angle_sums.hpp"

#include <cmath>

namespace saltus {
namespace {

/// Two monomials that are together one: c rest f(a) f(b) ± c rest g(a) g(b) = c rest h(a ± b).
class Pairing {
 public:
  Pairing(Graph& graph, Polynomial polynomial) : graph_(graph), p_(std::move(polynomial)) {}

  Polynomial with_angle_sums() && {
    while (one_pass(&Pairing::angle_sum)) {}
    return std::move(p_);
  }
  Polynomial with_squared_sines() && {
    while (one_pass(&Pairing::squared_sine)) {}
    return std::move(p_);
  }

 private:
  using Rule = bool (Pairing::*)(const Monomial&);

  bool one_pass(Rule rule) {
    std::vector<Monomial> monomials;
    for (const auto& [monomial, c] : p_) monomials.push_back(monomial);
    bool changed = false;
    for (const Monomial& monomial : monomials)
      if (p_.contains(monomial) && (this->*rule)(monomial)) changed = true;
    return changed;
  }

  static bool is_opposite(double a, double b) { return std::abs(a + b) <= rounding_left_over * std::abs(a); }

  void replace(const Monomial& first, const Monomial& second, const Monomial& rest, Expr together, double c) {
    const double size = p_[first].size;
    p_.erase(first);
    p_.erase(second);
    const Polynomial factor = Expansion(graph_).shallow(together);
    for (const auto& [monomial, number] : factor)
      add_reduced(p_, times(rest, monomial, graph_), c * number.value, size * number.size, graph_);
    drop_zeros(p_);
  }

  /// The monomial has sin a and one of sin b, cos b: is its partner there?
  bool angle_sum(const Monomial& monomial) {
    for (const Factor& first : monomial) {
      const Expr sin_a = graph_.at(first.atom);
      if (sin_a.op() != Op::sin || first.exponent < 1) continue;
      for (const Factor& second : monomial) {
        const Expr of_b = graph_.at(second.atom);
        const bool trigonometric = (of_b.op() == Op::sin && first < second) || of_b.op() == Op::cos;
        if (!trigonometric || second.exponent < 1 || of_b.arg(0) == sin_a.arg(0)) continue;
        if (joined(monomial, sin_a, of_b)) return true;
      }
    }
    return false;
  }

  bool joined(const Monomial& monomial, Expr sin_a, Expr of_b) {
    const Expr a = sin_a.arg(0);
    const Expr b = of_b.arg(0);
    const bool two_sines = of_b.op() == Op::sin;
    const Monomial rest = times(times(monomial, sin_a, -1), of_b, -1);
    const Monomial partner = times(times(rest, cos(a), 1), two_sines ? cos(b) : sin(b), 1);
    const auto found = p_.find(partner);
    if (found == p_.end()) return false;
    const double c = p_[monomial].value;
    const double c_partner = found->second.value;
    const bool opposite = is_opposite(c, c_partner);
    if (!opposite && !is_opposite(c, -c_partner)) return false;
    if (two_sines) {  // cos a cos b ± sin a sin b = cos(a ∓ b)
      replace(monomial, partner, rest, opposite ? cos(a + b) : cos(a - b), c_partner);
    } else {  // sin a cos b ± cos a sin b = sin(a ± b)
      replace(monomial, partner, rest, opposite ? sin(a - b) : sin(a + b), c);
    }
    return true;
  }

  /// c rest − c rest cos² a = c rest sin² a. Undoes the expansion where it did not help.
  bool squared_sine(const Monomial& monomial) {
    for (const Factor& factor : monomial) {
      const Expr cosine = graph_.at(factor.atom);
      if (cosine.op() != Op::cos || factor.exponent < 2) continue;
      const Monomial rest = times(monomial, cosine, -2);
      const auto found = p_.find(rest);
      if (found == p_.end() || !is_opposite(found->second.value, p_[monomial].value)) continue;
      const Coefficient c = found->second;
      p_.erase(monomial);
      p_.erase(rest);
      add_monomial(p_, times(rest, sin(cosine.arg(0)), 2), c.value, c.size);
      drop_zeros(p_);
      return true;
    }
    return false;
  }

  Graph& graph_;
  Polynomial p_;
};

}  // namespace

Polynomial with_angle_sums(Graph& graph, Polynomial polynomial) {
  return Pairing(graph, std::move(polynomial)).with_angle_sums();
}
Polynomial with_squared_sines(Graph& graph, Polynomial polynomial) {
  return Pairing(graph, std::move(polynomial)).with_squared_sines();
}

}  // namespace saltus
