#include "saltus/kernel/piecewise.hpp"

#include <algorithm>
#include <unordered_map>

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

Jumps::Jumps(const ExprVector& roots, const ExprVector& signs)
    : signs_(signs), terms_(signs.size(), std::vector<ExprVector>(roots.size())), roots_(roots.size()) {
  std::unordered_map<std::uint32_t, std::size_t> index;
  for (std::size_t k = 0; k < signs.size(); ++k) index.emplace(signs[k].id(), k);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    ExprVector parts = {roots[i]};
    if (roots[i].op() == Op::sum) {
      parts.clear();
      for (std::size_t j = 0; j < roots[i].arity(); ++j) parts.push_back(roots[i].arg(j));
    }
    for (const Expr& part : parts) {
      const Expr one[] = {part};
      for (const std::uint32_t id : reachable(one))
        if (const auto found = index.find(id); found != index.end()) terms_[found->second][i].push_back(part);
    }
  }
}

ExprVector Jumps::across(std::size_t k) const {
  Graph& graph = signs_[k].graph();
  ExprVector moving;
  for (const ExprVector& terms : terms_[k]) moving.push_back(graph.sum(terms));
  const ExprVector above = with_sign(moving, signs_[k], 1.0);
  const ExprVector below = with_sign(moving, signs_[k], -1.0);
  ExprVector result;
  for (std::size_t i = 0; i < roots_; ++i) result.push_back(above[i] - below[i]);
  return result;
}

}  // namespace saltus
