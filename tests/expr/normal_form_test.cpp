#include "saltus/expr/normal_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/print.hpp"
#include "tests/expr/random_expr.hpp"
#include "tests/expr/read.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::read;

int operations(Expr e) {
  const Expr roots[] = {e};
  return operation_count(roots);
}

void expect_normal_form(std::string_view text, std::string_view expected) {
  Graph graph;
  EXPECT_EQ(normal_form(read(graph, text)), read(graph, expected))
      << text << " became " << printed(normal_form(read(graph, text)));
}

TEST(NormalForm, TheIdentitiesOfSineAndCosineAreRecognised) {
  expect_normal_form("cos(a)^2 + sin(a)^2", "1");
  expect_normal_form("3*m*cos(a)^2 + 3*m*sin(a)^2 - 3*m", "0");
  expect_normal_form("cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)");
  expect_normal_form("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)");
  expect_normal_form("sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)");
  expect_normal_form("sin(a)*cos(b) - cos(a)*sin(b)", "sin(a - b)");
  expect_normal_form("k*l*(cos(a)*cos(b) + sin(a)*sin(b))", "k*l*cos(a - b)");
  expect_normal_form("cos(a)*cos(a + b) + sin(a)*sin(a + b)", "cos(b)");
  expect_normal_form("k*cos(a)*cos(b) + m*cos(a) + k*sin(a)*sin(b)", "k*cos(a - b) + m*cos(a)");
}

TEST(NormalForm, UnequalPartnersStayApart) {
  Graph graph;
  const Expr e = read(graph, "2*cos(a)*cos(b) + 3*sin(a)*sin(b)");
  EXPECT_EQ(normal_form(e), e);
}

TEST(NormalForm, LikeMonomialsAreCollectedThroughProductsAndPowers) {
  expect_normal_form("(x + y)^2 - x^2 - 2*x*y - y^2", "0");
  expect_normal_form("x*(y + 1) - x*y", "x");
  expect_normal_form("(x + y)*(x - y) + y^2", "x^2");
  expect_normal_form("a/x + b/x", "(a + b)/x");
  expect_normal_form("x/3 + x/3 + x/3 - x", "0");  // rounding of the thirds does not remain
  expect_normal_form("exp(x*(y + 1) - x*y)", "exp(x)");
  expect_normal_form("if(x*(y + 1) - x*y > 0, cos(x)^2 + sin(x)^2, 3)", "if(x > 0, 1, 3)");
}

TEST(NormalForm, WhatIsCheapAsItStandsIsLeftAlone) {
  for (const char* text :
       {"k*(x - x0)^3", "sin(a)^2*v", "m*(l0 + r)^2*v^2", "x", "3", "(x + y)^30", "(a + b)*(c + d)"}) {
    Graph graph;
    const Expr e = read(graph, text);
    EXPECT_EQ(normal_form(e), e) << printed(normal_form(e));
  }
}

TEST(NormalForm, ADoublePendulumFromItsEnergyCostsWhatTheHandWrittenOneCosts) {
  Graph graph;
  const Expr T = read(graph, "1/2*m*((l1*cos(a)*a' + l2*cos(b)*b')^2 + (l1*sin(a)*a' + l2*sin(b)*b')^2)");
  const Expr a = graph.symbol("a");
  const Expr va = graph.symbol("a'");
  const Expr vb = graph.symbol("b'");
  const auto mass = [&](Expr v, Expr w) { return normal_form(differentiate(differentiate(T, v), w)); };
  EXPECT_EQ(mass(va, va), read(graph, "m*l1^2"));
  EXPECT_EQ(mass(va, vb), read(graph, "m*l1*l2*cos(a - b)"));
  EXPECT_EQ(mass(vb, va), mass(va, vb));
  // Euler and Lagrange: −∂p_a/∂q · v + ∂T/∂a = −m l1 l2 sin(a − b) b'²
  const Expr p = differentiate(T, va);
  const Expr force = differentiate(T, a) - differentiate(p, a) * va - differentiate(p, graph.symbol("b")) * vb;
  EXPECT_EQ(normal_form(force), read(graph, "-m*l1*l2*sin(a - b)*b'^2"));
}

/// A chain of n rods with absolute angles (relative: each angle is the sum of those before).
Expr chain_energy(Graph& graph, int n, bool relative) {
  Expr T = graph.constant(0.0);
  Expr x = graph.constant(0.0);
  Expr y = graph.constant(0.0);
  Expr angle = graph.constant(0.0);
  Expr rate = graph.constant(0.0);
  for (int i = 1; i <= n; ++i) {
    const auto named = [&](const char* stem) { return graph.symbol(stem + std::to_string(i)); };
    const Expr q = named("q");
    const Expr v = graph.symbol("q" + std::to_string(i) + "'");
    angle = relative ? angle + q : q;
    rate = relative ? rate + v : v;
    x = x + named("l") * cos(angle) * rate;
    y = y + named("l") * sin(angle) * rate;
    T = T + 0.5 * named("m") * (pow(x, 2) + pow(y, 2));
  }
  return T;
}

TEST(NormalForm, TheMassMatrixOfATriplePendulumHasOneCosinePerPairOfRods) {
  Graph graph;
  const Expr T = chain_energy(graph, 3, false);
  const auto mass = [&](const char* v, const char* w) {
    return normal_form(differentiate(differentiate(T, graph.symbol(v)), graph.symbol(w)));
  };
  EXPECT_EQ(mass("q1'", "q1'"), read(graph, "l1^2*(m1 + m2 + m3)"));
  EXPECT_EQ(mass("q1'", "q2'"), read(graph, "l1*l2*(m2 + m3)*cos(q1 - q2)"));
  EXPECT_EQ(mass("q1'", "q3'"), read(graph, "l1*l3*m3*cos(q1 - q3)"));
  EXPECT_EQ(mass("q2'", "q3'"), read(graph, "l2*l3*m3*cos(q2 - q3)"));
}

TEST(NormalForm, InRelativeAnglesTheFirstOneDropsOutOfTheMassMatrix) {
  Graph graph;
  const Expr T = chain_energy(graph, 3, true);
  for (const char* v : {"q1'", "q2'", "q3'"}) {
    for (const char* w : {"q1'", "q2'", "q3'"}) {
      const Expr raw = differentiate(differentiate(T, graph.symbol(v)), graph.symbol(w));
      EXPECT_TRUE(depends_on(raw, graph.symbol("q1")));
      EXPECT_FALSE(depends_on(normal_form(raw), graph.symbol("q1"))) << printed(normal_form(raw));
    }
  }
}

TEST(NormalForm, TheOrderOfBuildingDoesNotMatter) {
  const auto hash_in = [](std::vector<std::string> first) {
    Graph graph;
    for (const std::string& name : first) graph.symbol(name);
    const Expr p = differentiate(chain_energy(graph, 3, false), graph.symbol("q2'"));
    return graph.node(normal_form(p).id()).hash;
  };
  EXPECT_EQ(hash_in({}), hash_in({"q3", "m2", "l1", "q2'", "q1"}));
}

TEST(NormalForm, EqualPolynomialsHaveTheSameNormalForm) {
  Graph graph;
  EXPECT_EQ(normal_form(read(graph, "(x + y)*z + (x + w)*y")), normal_form(read(graph, "x*z + y*z + x*y + w*y")));
  EXPECT_EQ(normal_form(read(graph, "m*cos(a - b)*v*w + m*v*u")), normal_form(read(graph, "m*v*(cos(b - a)*w + u)")));
}

TEST(NormalForm, KeepsTheValueAndIsNeverDearer) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    Graph graph;
    test::RandomExpr random(graph, seed);
    const Expr e = random.number(static_cast<int>(2 + seed % 3));
    const Expr n = normal_form(e);
    EXPECT_LE(operations(n), operations(e)) << "seed " << seed << "\n" << printed(e) << "\n" << printed(n);
    std::map<std::string, double> at;
    const auto value = [&](const std::string& name) { return at.at(name); };
    for (const char* name : {"x", "y", "psi1", "psi1'", "k_2", "ω"}) at[name] = 0.3 + 1.4 * random.real();
    const double before = evaluate(e, value);
    // What one part in 10^12 of each argument does to the value, times 10^12: the size of its rounding errors.
    double size = std::abs(before);
    for (auto& [name, number] : at) {
      const double kept = number;
      number *= 1.0 + 1e-12;
      size += std::abs(evaluate(e, value) - before) * 1e12;
      number = kept;
    }
    if (!(size < 1e6) || test::has_unreal_number(e)) continue;
    // Worst measured: 3.8 eps of the value itself.
    EXPECT_CLOSE(evaluate(n, value), before, rounding(16, size)) << "seed " << seed << "\n"
                                                                 << printed(e) << "\n"
                                                                 << printed(n);
    ++compared;
  }
  EXPECT_GT(compared, 280);
}

TEST(NormalForm, IsItsOwnNormalForm) {
  for (const bool relative : {false, true}) {
    Graph graph;
    const Expr T = chain_energy(graph, 3, relative);
    for (const char* symbol : {"q1", "q2", "q3", "q1'", "q2'", "q3'"}) {
      const Expr n = normal_form(differentiate(T, graph.symbol(symbol)));
      EXPECT_EQ(normal_form(n), n);
    }
  }
}

TEST(NormalForm, AnExpansionThatWouldExplodeIsGivenUp) {
  Graph graph;
  Expr product = graph.constant(1.0);
  for (int i = 0; i < 30; ++i)
    product = product * (sin(graph.symbol("a" + std::to_string(i))) + cos(graph.symbol("b" + std::to_string(i))));
  EXPECT_EQ(normal_form(product), product);  // 2^30 monomials
  const Expr x = graph.symbol("x");
  Expr deep = x;
  for (int i = 0; i < 300; ++i) deep = sin(deep) * x + 1.0;  // deeper than a recursion should go
  EXPECT_EQ(normal_form(deep), deep);
}

}  // namespace
}  // namespace saltus
