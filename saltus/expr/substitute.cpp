#include "saltus/expr/substitute.hpp"

#include <algorithm>
#include <unordered_map>

namespace saltus {
namespace {

Expr rebuilt(Expr e, Graph& target, std::span<const Expr> args) {
  switch (e.op()) {
    case Op::constant: return target.constant(e.value());
    case Op::truth: return target.truth(e.value() != 0.0);
    case Op::symbol: return target.symbol(e.name());
    default: break;
  }
  bool unchanged = &target == &e.graph();
  for (std::size_t i = 0; i < e.arity(); ++i) unchanged = unchanged && args[i] == e.arg(i);
  return unchanged ? e : target.make(e.op(), args);
}

}  // namespace

std::vector<Expr> rewrite(std::span<const Expr> roots, Graph& target, const Rewriting& rewriting) {
  std::unordered_map<std::uint32_t, Expr> done;
  for (const std::uint32_t id : reachable(roots)) {
    const Expr e = roots.front().graph().at(id);
    std::vector<Expr> args;
    for (std::size_t i = 0; i < e.arity(); ++i) args.push_back(done.at(e.arg(i).id()));
    const std::optional<Expr> rewritten = rewriting(e, args);
    done.emplace(id, rewritten ? *rewritten : rebuilt(e, target, args));
  }
  std::vector<Expr> result;
  for (const Expr& root : roots) result.push_back(done.at(root.id()));
  return result;
}

std::vector<Expr> substitute(std::span<const Expr> roots, Graph& target, const Replacement& replacement) {
  return rewrite(roots, target, [&](Expr e, std::span<const Expr>) { return replacement(e); });
}

Expr substitute(Expr root, std::span<const Expr> from, std::span<const Expr> to) {
  const Expr roots[] = {root};
  const auto replacement = [&](Expr e) -> std::optional<Expr> {
    const auto found = std::find(from.begin(), from.end(), e);
    if (found == from.end()) return std::nullopt;
    return to[static_cast<std::size_t>(found - from.begin())];
  };
  return substitute(roots, root.graph(), replacement).front();
}

}  // namespace saltus
