#include "saltus/expr/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/expr/read.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::read;

double value_of(std::string_view text, ExprKind kind = ExprKind::number) {
  Graph graph;
  return evaluate(read(graph, text, kind), [](const std::string& name) { return name == "x" ? 0.6 : -1.4; });
}

TEST(Evaluate, EveryFunctionHasTheValueOfTheStandardLibrary) {
  const double x = 0.6;
  const double y = -1.4;
  EXPECT_CLOSE(value_of("sqrt(x)"), std::sqrt(x), exact);
  EXPECT_CLOSE(value_of("exp(x)"), std::exp(x), exact);
  EXPECT_CLOSE(value_of("log(x)"), std::log(x), exact);
  EXPECT_CLOSE(value_of("sin(x)"), std::sin(x), exact);
  EXPECT_CLOSE(value_of("cos(x)"), std::cos(x), exact);
  EXPECT_CLOSE(value_of("tan(x)"), std::tan(x), exact);
  EXPECT_CLOSE(value_of("asin(x)"), std::asin(x), exact);
  EXPECT_CLOSE(value_of("acos(x)"), std::acos(x), exact);
  EXPECT_CLOSE(value_of("atan(x)"), std::atan(x), exact);
  EXPECT_CLOSE(value_of("atan2(y, x)"), std::atan2(y, x), exact);
  EXPECT_CLOSE(value_of("atan2(x, y)"), std::atan2(x, y), exact);
  EXPECT_CLOSE(value_of("sinh(x)"), std::sinh(x), exact);
  EXPECT_CLOSE(value_of("cosh(x)"), std::cosh(x), exact);
  EXPECT_CLOSE(value_of("tanh(x)"), std::tanh(x), exact);
  EXPECT_CLOSE(value_of("abs(y)"), 1.4, exact);
  EXPECT_CLOSE(value_of("sign(y)"), -1.0, exact);
  EXPECT_CLOSE(value_of("sign(x - x')"), 1.0, exact);
  EXPECT_CLOSE(value_of("min(x, y)"), y, exact);
  EXPECT_CLOSE(value_of("max(x, y)"), x, exact);
  EXPECT_CLOSE(value_of("abs(y)^2.5"), std::pow(1.4, 2.5), exact);
}

TEST(Evaluate, WholePowersAreChainsOfProducts) {
  const double x = 0.6;
  EXPECT_CLOSE(value_of("x^3"), x * (x * x), exact);
  EXPECT_CLOSE(value_of("x^-2"), 1.0 / (x * x), exact);
  EXPECT_CLOSE(value_of("y^3"), -1.4 * (-1.4 * -1.4), exact);  // a negative base has whole powers
}

TEST(Evaluate, ConditionsAreZeroOrOne) {
  const auto holds = [](std::string_view text) { return value_of(text, ExprKind::condition); };
  EXPECT_CLOSE(holds("x > y"), 1.0, exact);
  EXPECT_CLOSE(holds("x < y"), 0.0, exact);
  EXPECT_CLOSE(holds("x - 0.6 > 0"), 0.0, exact);
  EXPECT_CLOSE(holds("x - 0.6 >= 0"), 1.0, exact);
  EXPECT_CLOSE(holds("x > y and y > x"), 0.0, exact);
  EXPECT_CLOSE(holds("x > y or y > x"), 1.0, exact);
  EXPECT_CLOSE(holds("x > y or x > 0"), 1.0, exact);
  EXPECT_CLOSE(holds("not (x > y and x > 0)"), 0.0, exact);
}

TEST(Evaluate, SeveralRootsGiveTheirValuesInOrder) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr roots[] = {x * x, x, graph.constant(3.0), x};
  const std::vector<double> values = evaluate(roots, [](const std::string&) { return 0.5; });
  EXPECT_CLOSE(values, (std::vector<double>{0.25, 0.5, 3.0, 0.5}), exact);
  EXPECT_TRUE(evaluate(std::span<const Expr>(), [](const std::string&) { return 0.0; }).empty());
}

TEST(Evaluate, AHeldValueIsItsArgument) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_FALSE(hold(x + 1.0) + 1.0 == x + 2.0);
  EXPECT_CLOSE(evaluate(hold(x + 1.0) + 1.0, [](const std::string&) { return 0.5; }), 2.5, exact);
}

}  // namespace
}  // namespace saltus
