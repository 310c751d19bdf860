#include "saltus/expr/normal_form.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace saltus {
namespace {

constexpr std::size_t most_monomials = 2000;        // of one polynomial; more: the node stays as it is
constexpr std::size_t most_work = 400'000;          // monomials multiplied in all; then nothing is expanded any more
constexpr std::size_t most_compared = 20'000'000;   // nodes visited to compare arguments; then they stay as they are
constexpr int largest_expanded_power = 8;           // of a sum
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

/// monomial · atom^exponent
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

// ---- expanding -------------------------------------------------------------------------------------------------------

/// c · monomial, where sin² in the monomial becomes 1 − cos².
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

class Expansion {
 public:
  explicit Expansion(Graph& graph) : graph_(graph) {}

  Polynomial constant(double value) const {
    Polynomial p;
    add_monomial(p, {}, value, std::abs(value));
    drop_zeros(p);
    return p;
  }

  /// A node without looking inside its sums: number times powers of what is not a product.
  Polynomial shallow(Expr e) const {
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

  std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
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

  std::optional<Polynomial> power(const Polynomial& base, int exponent) {
    if (base.size() == 1) return monomial_power(*base.begin(), exponent);
    if (exponent < 0 || exponent > largest_expanded_power) return std::nullopt;
    std::optional<Polynomial> p = constant(1.0);
    for (int k = 0; k < exponent && p; ++k) p = product(*p, base);
    return p;
  }

  Polynomial sum(std::span<const Polynomial* const> terms) const {
    Polynomial p;
    for (const Polynomial* term : terms)
      for (const auto& [monomial, c] : *term) add_monomial(p, monomial, c.value, c.size);
    drop_zeros(p);
    return p;
  }

 private:
  std::optional<Polynomial> monomial_power(const std::pair<const Monomial, Coefficient>& base, int exponent) const {
    const double number = std::pow(base.second.value, exponent);
    if (!std::isfinite(number) || number == 0.0) return std::nullopt;
    Monomial monomial;
    for (const Factor& factor : base.first)
      monomial = times(std::move(monomial), graph_.at(factor.atom), factor.exponent * exponent);
    Polynomial p;
    add_reduced(p, monomial, number, std::abs(number), graph_);
    return p;
  }

  Graph& graph_;
  std::size_t work_ = 0;
};

// ---- trigonometric identities ----------------------------------------------------------------------------------------

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

// ---- factoring -------------------------------------------------------------------------------------------------------

class Factoring {
 public:
  explicit Factoring(Graph& graph) : graph_(graph) {}

  /// number · common · (atom · quotient + remainder), and so on for quotient and remainder.
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

// ---- together --------------------------------------------------------------------------------------------------------

int operations(Expr e) {
  const Expr roots[] = {e};
  return operation_count(roots);
}

/// Which powers of sums are multiplied out. (x − x₀)³ is cheap and accurate as it stands; (l₁ cos a a' + …)² hides
/// cos² + sin². Which is better for the whole is found by trying both.
enum class Powers { all, of_sines_and_cosines };

class Normalizer {
 public:
  Normalizer(Graph& graph, Powers powers) : graph_(graph), powers_(powers), expansion_(graph), factoring_(graph) {}

  Expr of(Expr root) {
    const Expr roots[] = {root};
    for (const std::uint32_t id : reachable(roots)) visit(graph_.at(id));
    return root.is_condition() ? conditions_.at(root.id()) : factored(root);
  }

 private:
  void visit(Expr e) {
    if (e.is_condition()) {
      conditions_.emplace(e.id(), e.op() == Op::truth ? e : rebuilt(e));
    } else {
      polynomials_.emplace(e.id(), expanded(e));
    }
  }

  Polynomial expanded(Expr e) {
    switch (e.op()) {
      case Op::constant: return expansion_.constant(e.value());
      case Op::symbol: return expansion_.shallow(e);
      case Op::sum: return Pairing(graph_, sum(e)).with_angle_sums();
      case Op::product:
        if (auto p = product(e)) return *std::move(p);
        break;
      case Op::power:
        if (auto p = power(e)) return *std::move(p);
        break;
      default: break;
    }
    return expansion_.shallow(rebuilt(e));
  }

  const Polynomial& polynomial(Expr e) const { return polynomials_.at(e.id()); }

  Polynomial sum(Expr e) const {
    std::vector<const Polynomial*> terms;
    for (std::size_t i = 0; i < e.arity(); ++i) terms.push_back(&polynomial(e.arg(i)));
    return expansion_.sum(terms);
  }

  std::optional<Polynomial> product(Expr e) {
    std::optional<Polynomial> p = expansion_.constant(1.0);
    for (std::size_t i = 0; i < e.arity() && p; ++i) p = expansion_.product(*p, polynomial(e.arg(i)));
    return p;
  }

  std::optional<Polynomial> power(Expr e) {
    if (!is_integer_power(e)) return std::nullopt;
    const Polynomial& base = polynomial(e.arg(0));
    if (base.size() > 1 && powers_ == Powers::of_sines_and_cosines && !has_sine_or_cosine(base)) return std::nullopt;
    return expansion_.power(base, static_cast<int>(e.arg(1).value()));
  }

  bool has_sine_or_cosine(const Polynomial& p) const {
    return std::any_of(p.begin(), p.end(), [&](const auto& entry) {
      return std::any_of(entry.first.begin(), entry.first.end(), [&](const Factor& f) {
        const Op op = graph_.at(f.atom).op();
        return op == Op::sin || op == Op::cos;
      });
    });
  }

  /// The node with its arguments in normal form.
  Expr rebuilt(Expr e) {
    std::vector<Expr> args;
    for (std::size_t i = 0; i < e.arity(); ++i)
      args.push_back(e.arg(i).is_condition() ? conditions_.at(e.arg(i).id()) : cheaper(e.arg(i)));
    return graph_.make(e.op(), args);
  }

  Expr cheaper(Expr e) {
    if (e.arity() == 0) return e;
    const auto [place, is_new] = chosen_.try_emplace(e.id(), e);
    compared_ += e.id();  // that many nodes are walked through
    if (!is_new || compared_ > most_compared) return place->second;
    const Expr f = factored(e);
    if (operations(f) <= operations(e)) place->second = f;
    return place->second;
  }

  Expr factored(Expr e) const {
    Polynomial p = Pairing(graph_, polynomial(e)).with_angle_sums();
    return factoring_.factored(Pairing(graph_, std::move(p)).with_squared_sines());
  }

  Graph& graph_;
  Powers powers_;
  Expansion expansion_;
  Factoring factoring_;
  std::unordered_map<std::uint32_t, Polynomial> polynomials_;
  std::unordered_map<std::uint32_t, Expr> conditions_;
  std::unordered_map<std::uint32_t, Expr> chosen_;
  std::size_t compared_ = 0;
};

/// Multiplications of x^k by repeated squaring, and one division.
int operations_of_power(Expr e) {
  if (!is_integer_power(e)) return 10;
  const auto k = static_cast<unsigned>(std::abs(e.arg(1).value()));
  return static_cast<int>(std::bit_width(k)) - 1 + std::popcount(k) - 1 + (e.arg(1).value() < 0.0 ? 1 : 0);
}

}  // namespace

Expr normal_form(Expr e) {
  Expr best = e;
  int least = operations(e);
  for (const Powers powers : {Powers::of_sines_and_cosines, Powers::all}) {
    const Expr candidate = Normalizer(e.graph(), powers).of(e);
    const int count = operations(candidate);
    if (count > least || (powers == Powers::all && count == least)) continue;
    best = candidate;
    least = count;
  }
  return best;
}

int operation_count(std::span<const Expr> roots) {
  int count = 0;
  const std::vector<std::uint32_t> ids = reachable(roots);
  std::vector<bool> angles(ids.empty() ? 0 : ids.back(), false);  // those whose sine or cosine is computed already
  for (const std::uint32_t id : ids) {
    const Expr e = roots.front().graph().at(id);
    const auto joins = static_cast<int>(e.arity()) - 1;
    switch (e.op()) {
      case Op::constant:
      case Op::symbol:
      case Op::truth:
      case Op::hold: break;
      case Op::sum: count += joins; break;
      case Op::product: count += e.arg(0).is_constant(-1.0) ? joins - 1 : joins; break;
      case Op::power: count += operations_of_power(e); break;
      case Op::sin:
      case Op::cos:
        count += angles[e.arg(0).id()] ? 2 : 10;
        angles[e.arg(0).id()] = true;
        break;
      case Op::sqrt:
      case Op::abs:
      case Op::sign:
      case Op::min:
      case Op::max:
      case Op::select: count += 1; break;
      default: count += e.is_condition() ? 1 : 10;
    }
  }
  return count;
}

}  // namespace saltus
