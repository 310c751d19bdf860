#include "saltus/expr/print.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "tests/expr/random_expr.hpp"
#include "tests/expr/read.hpp"

namespace saltus {
namespace {

using test::read;

TEST(Print, WhatIsPrintedIsReadBackAsTheSameNode) {
  std::set<Op> seen;
  int compared = 0;
  for (unsigned seed = 1; seed <= 2500; ++seed) {
    Graph graph;
    test::RandomExpr random(graph, seed);
    const bool is_condition = seed % 5 == 0;
    const Expr e = is_condition ? random.condition(3) : random.number(static_cast<int>(1 + seed % 4));
    if (test::has_unreal_number(e)) continue;
    const std::string text = printed(e, 1'000'000);
    const Expr again = read(graph, text, is_condition ? ExprKind::condition : ExprKind::number);
    ASSERT_EQ(again, e) << "seed " << seed << "\n" << text << "\n" << printed(again);
    ++compared;
    const Expr roots[] = {e};
    for (const std::uint32_t id : reachable(roots)) seen.insert(graph.at(id).op());
  }
  EXPECT_GT(compared, 1700);
  for (int op = 0; op <= static_cast<int>(Op::select); ++op)
    EXPECT_TRUE(seen.contains(static_cast<Op>(op))) << name_of(static_cast<Op>(op));
}

TEST(Print, TheTextDoesNotDependOnTheGraph) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Graph first;
    Graph second;
    for (const char* name : {"ω", "k_2", "psi1'", "psi1", "y", "x"}) second.symbol(name);
    EXPECT_EQ(printed(test::RandomExpr(first, seed).number(3)), printed(test::RandomExpr(second, seed).number(3)));
  }
}

TEST(Print, NumbersAreWrittenAsAPersonWould) {
  EXPECT_EQ(printed_number(9.0 / 14.0), "9/14");
  EXPECT_EQ(printed_number(-1.0 / 3.0), "-1/3");
  EXPECT_EQ(printed_number(2.0 * std::numbers::pi), "2*pi");
  EXPECT_EQ(printed_number(std::numbers::pi / 3.0),
            std::numbers::pi / 3.0 == 1.0 / 3.0 * std::numbers::pi ? "1/3*pi" : "1.0471975511965976");
  EXPECT_EQ(printed_number(std::numbers::pi), "pi");
  EXPECT_EQ(printed_number(0.1), "0.1");
  EXPECT_EQ(printed_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(printed_number(1e-10), "1e-10");
  EXPECT_EQ(printed_number(1e300), "1e+300");
  EXPECT_EQ(printed_number(-2.5), "-2.5");
  EXPECT_EQ(printed_number(5e-324), "5e-324");
}

TEST(Print, NumbersOfEverySizeAreReadBackExactly) {
  Graph graph;
  test::RandomExpr random(graph, 99);
  for (int i = 0; i < 3000; ++i) {
    const Expr e =
        i % 2 == 0 ? random.constant() : graph.constant(std::ldexp(random.real() - 0.5, random.below(2000) - 1000));
    EXPECT_EQ(read(graph, printed(e)), e) << printed(e);
    EXPECT_EQ(read(graph, printed(e * graph.symbol("x"))), e * graph.symbol("x")) << printed(e);
  }
}

TEST(Print, TextIsWhatAPersonWouldWrite) {
  Graph graph;
  const auto text = [&](std::string_view input) { return printed(read(graph, input)); };
  EXPECT_EQ(text("b + a"), "a + b");
  EXPECT_EQ(text("-a + b"), "b - a");
  EXPECT_EQ(text("-a - b"), "-a - b");
  EXPECT_EQ(text("a/(b*c)"), "a/(b*c)");
  EXPECT_EQ(text("1/a"), "1/a");
  EXPECT_EQ(text("a/b^2"), "a/b^2");
  EXPECT_EQ(text("-(a + b)*c"), "-(a + b)*c");
  EXPECT_EQ(text("a^b^c"), "a^(b^c)");
  EXPECT_EQ(text("(a + b)^2"), "(a + b)^2");
  EXPECT_EQ(text("x^-1.5"), "x^(-1.5)");
  EXPECT_EQ(text("if(x > 0 and y <= 1, a, b)"), "if((x > 0) and (y - 1 <= 0), a, b)");
  EXPECT_EQ(text("9/14*cos(psi1-psi2)*psi2'^2"), "9/14*cos(psi1 - psi2)*psi2'^2");
}

TEST(Print, ALongTextIsCut) {
  Graph graph;
  Expr e = graph.symbol("x");
  for (int i = 0; i < 200; ++i) e = sin(e) + e * e;  // 2^200 characters if written out
  EXPECT_LE(printed(e, 1000).size(), 4000U);
  EXPECT_NE(printed(e, 1000).find("…"), std::string::npos);
}

TEST(Print, LatexIsWhatAPaperWouldShow) {
  Graph graph;
  const auto text = [&](std::string_view input) { return latex(read(graph, input)); };
  EXPECT_EQ(text("psi1'^2"), "\\dot{\\psi}_{1}^{2}");
  EXPECT_EQ(text("a/b"), "\\frac{a}{b}");
  EXPECT_EQ(text("9/14*cos(psi1 - psi2)"), "\\tfrac{9}{14}\\,\\cos\\left(\\psi_{1} - \\psi_{2}\\right)");
  EXPECT_EQ(text("-1/3*x"), "-\\tfrac{1}{3}\\,x");
  EXPECT_EQ(text("sqrt(x)"), "\\sqrt{x}");
  EXPECT_EQ(text("abs(x)"), "\\left|x\\right|");
  EXPECT_EQ(text("2*pi*omega"), "2\\pi\\,\\omega");
  EXPECT_EQ(text("1.5e-12*x"), "1.5\\cdot 10^{-12}\\,x");
  EXPECT_EQ(text("(a + b)^2"), "\\left(a + b\\right)^{2}");
  EXPECT_EQ(text("atan2(y, x)"), "\\operatorname{atan2}\\left(y, x\\right)");
  EXPECT_EQ(text("asin(x)"), "\\arcsin\\left(x\\right)");
  EXPECT_EQ(text("if(x > 0 and x <= 2, a, b)"),
            "\\begin{cases}a & \\left(x > 0\\right) \\land \\left(x - 2 \\le 0\\right)\\\\ b & "
            "\\text{otherwise}\\end{cases}");
}

TEST(Print, SymbolsBecomeLatexByTheirNames) {
  EXPECT_EQ(latex_symbol("x"), "x");
  EXPECT_EQ(latex_symbol("psi1"), "\\psi_{1}");
  EXPECT_EQ(latex_symbol("psi1'"), "\\dot{\\psi}_{1}");
  EXPECT_EQ(latex_symbol("x_tip"), "x_{\\mathrm{tip}}");
  EXPECT_EQ(latex_symbol("x_a"), "x_{a}");
  EXPECT_EQ(latex_symbol("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latex_symbol("k_in_out"), "k_{\\mathrm{in\\_out}}");
  EXPECT_EQ(latex_symbol("_a"), "\\mathrm{\\_a}");
}

}  // namespace
}  // namespace saltus
