#include "saltus/kernel/piecewise.hpp"

#include <algorithm>

#include "saltus/expr/substitute.hpp"

namespace saltus {
namespace {

/// The condition 's > 0' as one on a sign, if s is a switching surface up to a number in front.
class SignOf {
 public:
  SignOf(const ExprVector& surfaces, const ExprVector& signs) : surfaces_(surfaces), signs_(signs) {}

  std::optional<Expr> positive(Expr s) const {
    const Term whole = as_term(s);  // surfaces stand without a number in front
    const bool turned = whole.coefficient < 0.0;
    if (const auto k = index(whole.core)) return side(*k, turned);
    if (const auto k = index(-whole.core)) return side(*k, !turned);
    return std::nullopt;
  }

 private:
  Expr side(std::size_t k, bool turned) const {
    const Expr above = apply(Op::positive, signs_[k]);
    return turned ? apply(Op::negation, above) : above;
  }

  std::optional<std::size_t> index(Expr s) const {
    const auto found = std::find(surfaces_.begin(), surfaces_.end(), s);
    if (found == surfaces_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - surfaces_.begin());
  }

  const ExprVector& surfaces_;
  const ExprVector& signs_;
};

}  // namespace

ExprVector branches_by_sign(const ExprVector& roots, const ExprVector& surfaces, const ExprVector& signs) {
  if (roots.empty() || surfaces.empty()) return roots;
  const SignOf sign_of(surfaces, signs);
  const auto rewriting = [&](Expr e, std::span<const Expr> args) -> std::optional<Expr> {
    switch (e.op()) {
      case Op::positive:
      case Op::nonnegative: return sign_of.positive(e.arg(0));
      case Op::abs:
        if (const auto c = sign_of.positive(e.arg(0))) return select(*c, args[0], -args[0]);
        break;
      case Op::sign:
        if (const auto c = sign_of.positive(e.arg(0)))
          return select(*c, e.graph().constant(1.0), e.graph().constant(-1.0));
        break;
      case Op::min:
      case Op::max:
        if (const auto c = sign_of.positive(e.arg(0) - e.arg(1)))
          return e.op() == Op::max ? select(*c, args[0], args[1]) : select(*c, args[1], args[0]);
        break;
      default: break;
    }
    return std::nullopt;
  };
  return rewrite(roots, roots.front().graph(), rewriting);
}

ExprVector with_sign(const ExprVector& roots, Expr sign, double value) {
  if (roots.empty()) return roots;
  Graph& graph = sign.graph();
  return substitute(roots, graph, [&](Expr e) -> std::optional<Expr> {
    return e == sign ? std::optional<Expr>(graph.constant(value)) : std::nullopt;
  });
}

}  // namespace saltus
