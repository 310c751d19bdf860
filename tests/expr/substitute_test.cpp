#include "saltus/expr/substitute.hpp"

#include <gtest/gtest.h>

#include "saltus/expr/evaluate.hpp"
#include "tests/expr/random_expr.hpp"
#include "tests/expr/read.hpp"

namespace saltus {
namespace {

using test::read;

TEST(Substitute, ASymbolIsReplacedEverywhereAndTheResultIsSimplified) {
  Graph graph;
  const Expr from[] = {graph.symbol("x")};
  const Expr to[] = {read(graph, "y + 1")};
  EXPECT_EQ(substitute(read(graph, "sin(x)^2 + x*z"), from, to), read(graph, "sin(y + 1)^2 + (y + 1)*z"));
  const Expr zero[] = {graph.constant(0.0)};
  EXPECT_EQ(substitute(read(graph, "cos(x) + x*z"), from, zero), graph.constant(1.0));
}

TEST(Substitute, SeveralSymbolsAreReplacedAtOnceNotOneAfterTheOther) {
  Graph graph;
  const Expr from[] = {graph.symbol("x"), graph.symbol("y")};
  const Expr to[] = {graph.symbol("y"), graph.symbol("x")};
  EXPECT_EQ(substitute(read(graph, "x - 2*y"), from, to), read(graph, "y - 2*x"));
}

TEST(Substitute, AWholeSubexpressionCanBeReplaced) {
  Graph graph;
  const Expr from[] = {read(graph, "cos(a - b)")};
  const Expr to[] = {graph.symbol("s")};
  EXPECT_EQ(substitute(read(graph, "3*cos(a - b)^2 - cos(b - a)"), from, to), read(graph, "3*s^2 - s"));
}

TEST(Substitute, NothingToReplaceLeavesTheNodeItself) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Graph graph;
    const Expr e = test::RandomExpr(graph, seed).number(4);
    const Expr from[] = {graph.symbol("absent")};
    EXPECT_EQ(substitute(e, from, from), e);
  }
}

TEST(Substitute, ACopyInAnotherGraphHasTheSameHash) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Graph graph;
    Graph target;
    target.symbol("y");  // other ids
    const Expr roots[] = {test::RandomExpr(graph, seed).number(4)};
    const auto keep = [](Expr) { return std::optional<Expr>(); };
    const Expr copy = substitute(roots, target, keep).front();
    EXPECT_EQ(&copy.graph(), &target);
    EXPECT_EQ(target.node(copy.id()).hash, graph.node(roots[0].id()).hash) << seed;
  }
}

TEST(Substitute, ARewritingSeesTheRewrittenArguments) {
  Graph graph;
  const Expr roots[] = {read(graph, "sin(sin(x) + y)")};
  const auto cosine_for_sine = [](Expr e, std::span<const Expr> args) -> std::optional<Expr> {
    return e.op() == Op::sin ? std::optional(cos(args[0])) : std::nullopt;
  };
  EXPECT_EQ(rewrite(roots, graph, cosine_for_sine).front(), read(graph, "cos(cos(x) + y)"));
}

}  // namespace
}  // namespace saltus
