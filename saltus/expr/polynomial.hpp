#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

constexpr double rounding_left_over = 4e-15;        // a coefficient this small beside what it was made of is zero

/// An atom with its exponent. Ordered by the atom's hash, which does not depend on the order of building.
struct Factor {
  std::uint64_t hash;
  std::uint32_t atom;
  int exponent;
  friend auto operator<=>(const Factor&, const Factor&) = default;
};

/// A product of powers of atoms, in order, exponents not zero.
using Monomial = std::vector<Factor>;

struct Coefficient {
  double value = 0.0;
  double size = 0.0;  // sum of the magnitudes it was made of: tells zero from rounding
};

using Polynomial = std::map<Monomial, Coefficient>;

/// p + value · monomial; `size` is what the value was made of.
void add_monomial(Polynomial& p, Monomial monomial, double value, double size);
void drop_zeros(Polynomial& p);
int exponent_of(const Monomial& monomial, Expr atom);
/// monomial · atom^exponent
Monomial times(Monomial monomial, Expr atom, int exponent);
Monomial times(const Monomial& a, const Monomial& b, Graph& graph);
/// p + value · monomial, where sin² in the monomial becomes 1 − cos².
void add_reduced(Polynomial& p, const Monomial& monomial, double value, double size, Graph& graph);

/// Products and sums multiplied out, within limits.
class Expansion {
 public:
  explicit Expansion(Graph& graph) : graph_(graph) {}

  Polynomial constant(double value) const;
  /// A node without looking inside its sums: number times powers of what is not a product.
  Polynomial shallow(Expr e) const;
  std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b);
  std::optional<Polynomial> power(const Polynomial& base, int exponent);
  Polynomial sum(std::span<const Polynomial* const> terms) const;

 private:
  std::optional<Polynomial> monomial_power(const std::pair<const Monomial, Coefficient>& base, int exponent) const;
  Graph& graph_;
  std::size_t work_ = 0;
};

}  // namespace saltus
