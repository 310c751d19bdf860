#include "saltus/expr/whole_number.hpp"

#include <cmath>

namespace saltus {
namespace {

constexpr double largest_whole = 9007199254740992.0;  // 2^53

bool is_whole(double c) { return c == std::floor(c) && std::abs(c) < largest_whole; }

}  // namespace

bool is_whole_number(Expr e) {
  if (e.is_constant()) return is_whole(e.value());
  if (e.op() != Op::sum) {
    const Term term = as_term(e);
    return term.core.op() == Op::floor && is_whole(term.coefficient);
  }
  for (std::size_t i = 0; i < e.arity(); ++i)
    if (!is_whole_number(e.arg(i))) return false;
  return true;
}

std::optional<Expr> simpler_floor(Expr u) {
  if (is_whole_number(u)) return u;
  if (u.op() == Op::sum && u.arg(0).is_constant() && is_whole(u.arg(0).value())) return floor(u - u.arg(0)) + u.arg(0);
  const bool shifted = u.op() == Op::sum && u.arity() == 2 && u.arg(0).is_constant();
  const double shift = shifted ? u.arg(0).value() : 0.0;
  const Term term = as_term(shifted ? u.arg(1) : u);
  const double n = 1.0 / term.coefficient;
  if (n > 0.0 && term.core.op() == Op::floor && is_whole(n) && is_whole(n * shift))
    return floor(term.coefficient * term.core.arg(0) + shift);
  return std::nullopt;
}

Expr floor(Expr u) { return apply(Op::floor, u); }
Expr ceiling(Expr u) { return -floor(-u); }
Expr rounded(Expr u) { return floor(u + 0.5); }
Expr remainder(Expr a, Expr b) { return a - b * floor(b.is_constant() ? a / b.value() : a / b); }

}  // namespace saltus
