#include "saltus/expr/polynomial.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr std::size_t most_monomials = 2000;        // of one polynomial; more: the node stays as it is
constexpr std::size_t most_work = 400'000;          // monomials multiplied in all; then nothing is expanded any more
constexpr int largest_expanded_power = 8;           // of a sum

}  // namespace

void add_monomial(Polynomial& p, Monomial monomial, double value, double size) {
  Coefficient& c = p[std::move(monomial)];
  c.value += value;
  c.size += size;
}

void drop_zeros(Polynomial& p) {
  std::erase_if(
      p, [](const auto& entry) { return std::abs(entry.second.value) <= rounding_left_over * entry.second.size; });
}

int exponent_of(const Monomial& monomial, Expr atom) {
  for (const Factor& factor : monomial)
    if (factor.atom == atom.id()) return factor.exponent;
  return 0;
}

Monomial times(Monomial monomial, Expr atom, int exponent) {
  const Factor wanted{atom.graph().node(atom.id()).hash, atom.id(), exponent};
  const auto before = [](const Factor& a, const Factor& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.atom < b.atom;
  };
  const auto place = std::lower_bound(monomial.begin(), monomial.end(), wanted, before);
  if (place == monomial.end() || place->atom != wanted.atom) {
    if (exponent != 0) monomial.insert(place, wanted);
  } else if (place->exponent += exponent; place->exponent == 0) {
    monomial.erase(place);
  }
  return monomial;
}

Monomial times(const Monomial& a, const Monomial& b, Graph& graph) {
  Monomial product = a;
  for (const Factor& factor : b) product = times(std::move(product), graph.at(factor.atom), factor.exponent);
  return product;
}

void add_reduced(Polynomial& p, const Monomial& monomial, double value, double size, Graph& graph) {
  for (const Factor& factor : monomial) {
    const Expr atom = graph.at(factor.atom);
    if (atom.op() != Op::sin || factor.exponent < 2) continue;
    const Monomial rest = times(monomial, atom, -2);
    add_reduced(p, rest, value, size, graph);
    add_reduced(p, times(rest, cos(atom.arg(0)), 2), -value, size, graph);
    return;
  }
  add_monomial(p, monomial, value, size);
}

Polynomial Expansion::constant(double value) const {
  Polynomial p;
  add_monomial(p, {}, value, std::abs(value));
  drop_zeros(p);
  return p;
}

Polynomial Expansion::shallow(Expr e) const {
  Monomial monomial;
  double number = 1.0;
  const auto multiply = [&](Expr f) {
    if (f.is_constant()) {
      number *= f.value();
    } else if (is_integer_power(f)) {
      monomial = times(std::move(monomial), f.arg(0), static_cast<int>(f.arg(1).value()));
    } else {
      monomial = times(std::move(monomial), f, 1);
    }
  };
  if (e.op() == Op::product) {
    for (std::size_t i = 0; i < e.arity(); ++i) multiply(e.arg(i));
  } else {
    multiply(e);
  }
  Polynomial p;
  add_monomial(p, std::move(monomial), number, std::abs(number));
  drop_zeros(p);
  return p;
}

std::optional<Polynomial> Expansion::product(const Polynomial& a, const Polynomial& b) {
  work_ += a.size() * b.size();
  if (a.size() * b.size() > 4 * most_monomials || work_ > most_work) return std::nullopt;
  Polynomial p;
  for (const auto& [monomial_a, c_a] : a)
    for (const auto& [monomial_b, c_b] : b)
      add_reduced(p, times(monomial_a, monomial_b, graph_), c_a.value * c_b.value, c_a.size * c_b.size, graph_);
  drop_zeros(p);
  if (p.size() > most_monomials) return std::nullopt;
  return p;
}

std::optional<Polynomial> Expansion::power(const Polynomial& base, int exponent) {
  if (base.size() == 1) return monomial_power(*base.begin(), exponent);
  if (exponent < 0 || exponent > largest_expanded_power) return std::nullopt;
  std::optional<Polynomial> p = constant(1.0);
  for (int k = 0; k < exponent && p; ++k) p = product(*p, base);
  return p;
}

Polynomial Expansion::sum(std::span<const Polynomial* const> terms) const {
  Polynomial p;
  for (const Polynomial* term : terms)
    for (const auto& [monomial, c] : *term) add_monomial(p, monomial, c.value, c.size);
  drop_zeros(p);
  return p;
}

std::optional<Polynomial> Expansion::monomial_power(const std::pair<const Monomial, Coefficient>& base,
                                                    int exponent) const {
  const double number = std::pow(base.second.value, exponent);
  if (!std::isfinite(number) || number == 0.0) return std::nullopt;
  Monomial monomial;
  for (const Factor& factor : base.first)
    monomial = times(std::move(monomial), graph_.at(factor.atom), factor.exponent * exponent);
  Polynomial p;
  add_reduced(p, monomial, number, std::abs(number), graph_);
  return p;
}

}  // namespace saltus
