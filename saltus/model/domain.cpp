#include "saltus/model/domain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "saltus/expr/substitute.hpp"

namespace saltus {
namespace {

constexpr int deepest_proof = 20;

/// The number in front of `core` in the sum or term e, 0 if it is not there.
double coefficient_in(Expr e, Expr core) {
  if (e.op() != Op::sum) {
    const Term term = as_term(e);
    return term.core == core ? term.coefficient : 0.0;
  }
  for (std::size_t i = 0; i < e.arity(); ++i) {
    const Term term = as_term(e.arg(i));
    if (!e.arg(i).is_constant() && term.core == core) return term.coefficient;
  }
  return 0.0;
}

class Proof {
 public:
  explicit Proof(std::span<const Expr> facts) : facts_(facts) {}

  bool holds(Expr e, int depth = 0) const {
    if (depth > deepest_proof) return false;
    const auto all = [&] {
      for (std::size_t i = 0; i < e.arity(); ++i)
        if (!holds(e.arg(i), depth + 1)) return false;
      return true;
    };
    switch (e.op()) {
      case Op::constant: return e.value() >= 0.0;
      case Op::abs:
      case Op::sqrt:
      case Op::exp:
      case Op::cosh:
      case Op::acos: return true;
      case Op::power: return is_even_power(e) || holds(e.arg(0), depth + 1);
      case Op::max: return holds(e.arg(0), depth + 1) || holds(e.arg(1), depth + 1) || by_fact(e);
      case Op::product:
      case Op::sum:
      case Op::min: return by_fact(e) || all();
      case Op::select: return holds(e.arg(1), depth + 1) && holds(e.arg(2), depth + 1);
      default: return by_fact(e);
    }
  }

 private:
  /// e = λ fact + something that is never negative, λ > 0.
  bool by_fact(Expr e) const {
    return std::any_of(facts_.begin(), facts_.end(), [&](const Expr& fact) {
      const Expr first = fact.op() == Op::sum ? fact.arg(fact.arg(0).is_constant() ? 1 : 0) : fact;
      const Term lead = as_term(first);
      const double ratio = coefficient_in(e, lead.core) / lead.coefficient;
      return ratio > 0.0 && Proof({}).holds(e - ratio * fact);
    });
  }

  std::span<const Expr> facts_;
};

/// The function e of g, continued to negative g.
Expr beyond_zero(Expr e, Expr g) {
  const Expr size = apply(Op::abs, g);
  if (e.op() == Op::log) return apply(Op::log, size);
  return apply(Op::sign, g) * (e.op() == Op::sqrt ? sqrt(size) : pow(size, e.arg(1)));
}

Expr same_function(Expr e, Expr g) { return e.op() == Op::power ? pow(g, e.arg(1)) : apply(e.op(), g); }

/// f(P Q) = f(P) f(Q) where Q ≥ 0 is known and P is not: so a wrong sign of P still is not a number.
template <class Known>
std::optional<Expr> continuation(Expr e, Known known) {
  const Expr g = e.arg(0);
  if (known(g)) return beyond_zero(e, g);
  if (g.op() != Op::product) return std::nullopt;
  Expr certain = e.graph().constant(1.0);
  Expr rest = certain;
  for (std::size_t i = 0; i < g.arity(); ++i)
    (known(g.arg(i)) ? certain : rest) = (known(g.arg(i)) ? certain : rest) * g.arg(i);
  if (certain.is_constant(1.0)) return std::nullopt;
  const Expr parts[] = {beyond_zero(e, certain), same_function(e, rest)};
  return e.op() == Op::log ? parts[0] + parts[1] : parts[0] * parts[1];
}

template <class Known>
Expr with_continuations(Expr root, Known known) {
  const Expr roots[] = {root};
  const auto rewriting = [&](Expr e, std::span<const Expr> args) -> std::optional<Expr> {
    if (!is_partial(e)) return std::nullopt;
    return continuation(e.graph().make(e.op(), args), known);
  };
  return rewrite(roots, root.graph(), rewriting).front();
}

bool contains_size(Expr e) {
  const Expr roots[] = {e};
  const std::vector<std::uint32_t> ids = reachable(roots);
  return std::any_of(ids.begin(), ids.end(), [&](std::uint32_t id) { return e.graph().at(id).op() == Op::abs; });
}

}  // namespace

std::vector<Expr> exponents_of_roots(Expr expression) {
  const Expr roots[] = {expression};
  std::vector<Expr> found;
  for (const std::uint32_t id : reachable(roots)) {
    const Expr e = expression.graph().at(id);
    if (e.op() != Op::sqrt && e.op() != Op::power) continue;
    const Expr r = e.op() == Op::sqrt ? e.graph().constant(0.5) : e.arg(1);
    const bool is_broken = !r.is_constant() || (r.value() > 0.0 && r.value() < 1.0);
    if (is_broken && contains_size(e.arg(0))) found.push_back(r);
  }
  return found;
}

bool is_partial(Expr e) {
  if (e.op() == Op::sqrt || e.op() == Op::log) return true;
  return e.op() == Op::power && !is_integer_power(e);
}

bool is_nonnegative(Expr e, std::span<const Expr> facts) { return Proof(facts).holds(e); }

Expr continued(Expr root, std::span<const Expr> facts) {
  // What is never negative anyway needs no continuation.
  return with_continuations(root, [&](Expr g) { return Proof(facts).holds(g) && !Proof({}).holds(g); });
}

Expr continued_everywhere(Expr root) {
  return with_continuations(root, [](Expr g) { return !Proof({}).holds(g); });
}

}  // namespace saltus
