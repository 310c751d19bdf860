#include "saltus/expr/differentiate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/print.hpp"
#include "tests/expr/read.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::central_difference;
using test::read;

double value_at(Expr e, double x) {
  return evaluate(e, [&](const std::string& name) { return name == "x" ? x : name == "a" ? 1.3 : 0.7; });
}

struct Derivative {
  std::string of;
  std::string closed_form;
  std::string mistake;  // a tempting wrong answer that the differences must reject
};

class DifferentiateTest : public testing::TestWithParam<Derivative> {
 protected:
  Graph graph;
  Expr x = graph.symbol("x");
};

TEST_P(DifferentiateTest, AgreesWithTheClosedForm) {
  const Expr derivative = differentiate(read(graph, GetParam().of), x);
  const Expr closed_form = read(graph, GetParam().closed_form);
  for (const double at : {0.2, 0.45, 0.8}) {
    // Worst measured: 1.8 eps.
    EXPECT_CLOSE(value_at(derivative, at), value_at(closed_form, at), rounding(15)) << printed(derivative);
  }
}

TEST_P(DifferentiateTest, AgreesWithCentralDifferencesOfSecondOrderAndAMistakeDoesNot) {
  const Expr e = read(graph, GetParam().of);
  const auto f = [&](double at) { return value_at(e, at); };
  const Expr derivative = differentiate(e, x);
  const Expr mistake = read(graph, GetParam().mistake);
  for (const double at : {0.25, 0.6}) {
    const double h = 4e-3;
    // Parabolas and lines: the difference is exact, and only its rounding eps/h ≈ 6e-14 is left.
    EXPECT_CLOSE(central_difference(f, at), value_at(derivative, at), difference(h, 1e-12)) << printed(derivative);
    const auto verdict = test::close("difference", "mistake", "", central_difference(f, at), value_at(mistake, at),
                                     test::difference(h, 1e-12));
    EXPECT_FALSE(verdict) << GetParam().mistake;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, DifferentiateTest,
    testing::Values(
        Derivative{"3*x^2 - 2*x + 1", "6*x - 2", "6*x + 2"}, Derivative{"a*x^5", "5*a*x^4", "5*a*x^5"},
        Derivative{"x*sin(x)*exp(x)", "sin(x)*exp(x) + x*cos(x)*exp(x) + x*sin(x)*exp(x)", "cos(x)*exp(x)"},
        Derivative{"1/x", "-1/x^2", "1/x^2"},
        Derivative{"(1 + x)/(2 + x^2)", "(2 + x^2 - (1 + x)*2*x)/(2 + x^2)^2", "1/(2*x)"},
        Derivative{"x^1.7", "1.7*x^0.7", "1.7*x^1.7"}, Derivative{"x^-2.5", "-2.5*x^-3.5", "2.5*x^-3.5"},
        Derivative{"x^a", "a*x^(a - 1)", "x^a*log(x)"}, Derivative{"a^x", "a^x*log(a)", "x*a^(x - 1)"},
        Derivative{"x^x", "x^x*(log(x) + 1)", "x*x^(x - 1)"},
        Derivative{"(1 + x^2)^sin(x)", "(1 + x^2)^sin(x)*(cos(x)*log(1 + x^2) + 2*x*sin(x)/(1 + x^2))",
                   "sin(x)*(1 + x^2)^(sin(x) - 1)"},
        Derivative{"sqrt(1 + x)", "1/(2*sqrt(1 + x))", "1/sqrt(1 + x)"},
        Derivative{"exp(a*x)", "a*exp(a*x)", "exp(a*x)"}, Derivative{"log(2 + a*x)", "a/(2 + a*x)", "1/(2 + a*x)"},
        Derivative{"sin(a*x)", "a*cos(a*x)", "cos(a*x)"}, Derivative{"cos(x^2)", "-2*x*sin(x^2)", "2*x*sin(x^2)"},
        Derivative{"tan(x)", "1/cos(x)^2", "1 - tan(x)^2"},
        Derivative{"asin(x)", "1/sqrt(1 - x^2)", "-1/sqrt(1 - x^2)"},
        Derivative{"acos(x)", "-1/sqrt(1 - x^2)", "1/sqrt(1 - x^2)"},
        Derivative{"atan(x)", "1/(1 + x^2)", "1/sqrt(1 + x^2)"},
        Derivative{"atan2(a*x, 2 - x)", "2*a/((a*x)^2 + (2 - x)^2)", "a/(2 - x)"},
        Derivative{"atan2(a, x)", "-a/(a^2 + x^2)", "a/(a^2 + x^2)"}, Derivative{"sinh(x)", "cosh(x)", "sinh(x)"},
        Derivative{"cosh(x)", "sinh(x)", "-sinh(x)"}, Derivative{"tanh(2*x)", "2/cosh(2*x)^2", "2 + 2*tanh(2*x)^2"},
        Derivative{"abs(x - 0.4)*x^2", "sign(x - 0.4)*x^2 + abs(x - 0.4)*2*x", "x^2 + abs(x - 0.4)*2*x + 1"},
        Derivative{"min(x^3, 0.1)", "if(x^3 < 0.1, 3*x^2, 0)", "if(x^3 > 0.1, 3*x^2, 0)"},
        Derivative{"max(x^3, sin(x) - 0.3)", "if(x^3 > sin(x) - 0.3, 3*x^2, cos(x))",
                   "if(x^3 < sin(x) - 0.3, 3*x^2, cos(x))"},
        Derivative{"if(x > 0.4 and a > 1, x^3, exp(x))", "if(x > 0.4, 3*x^2, exp(x))", "if(x < 0.4, 3*x^2, exp(x))"}));

TEST(Differentiate, SignAndConditionsHaveNoDerivative) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_TRUE(differentiate(read(graph, "sign(x)"), x).is_constant(0.0));
  EXPECT_TRUE(differentiate(read(graph, "if(x > 0, 1, 2)"), x).is_constant(0.0));
  EXPECT_TRUE(differentiate(read(graph, "sin(y)^2 + 3"), x).is_constant(0.0));
}

TEST(Differentiate, AHeldValueIsDifferentiatedAsItself) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(differentiate(hold(sin(x)) * x, x), cos(x) * x + hold(sin(x)));
}

TEST(Differentiate, SeveralRootsGiveWhatEachGivesAlone) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr roots[] = {read(graph, "sin(x*y)"), read(graph, "y"), read(graph, "x^2*sin(x*y)")};
  const std::vector<Expr> together = differentiate(roots, x);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(together[i], differentiate(roots[i], x));
}

/// A chain of n pendulums: M_ij = c_ij cos(ψi − ψj), f_i = −Σ c_ij sin(ψi − ψj) ψj'² − g_i sin ψi.
struct Chain {
  std::vector<Expr> q, v, M, f;

  Chain(Graph& graph, int n) {
    const auto name = [](const char* stem, int i) { return stem + std::to_string(i); };
    for (int i = 0; i < n; ++i) q.push_back(graph.symbol(name("psi", i)));
    for (int i = 0; i < n; ++i) v.push_back(graph.symbol(name("psi", i) + "'"));
    for (int i = 0; i < n; ++i) {
      Expr force = -graph.symbol(name("g", i)) * sin(q[i]);
      for (int j = 0; j < n; ++j) {
        const Expr c = graph.symbol(name("c", std::min(i, j)) + "_" + std::to_string(std::max(i, j)));
        M.push_back(c * cos(q[i] - q[j]));
        force = force - c * sin(q[i] - q[j]) * v[j] * v[j];
      }
      f.push_back(force);
    }
  }
};

TEST(Differentiate, TheDerivativesOfAChainOfEightPendulumsShareWhatIsCommon) {
  Graph graph;
  const Chain chain(graph, 8);
  std::vector<Expr> all = chain.M;
  all.insert(all.end(), chain.f.begin(), chain.f.end());
  const std::size_t before = reachable(all).size();
  for (const std::vector<Expr>* symbols : {&chain.q, &chain.v}) {
    for (const Expr& symbol : *symbols) {
      const std::vector<Expr> df = differentiate(chain.f, symbol);
      all.insert(all.end(), df.begin(), df.end());
    }
  }
  for (const Expr& symbol : chain.q) {
    const std::vector<Expr> dM = differentiate(chain.M, symbol);
    all.insert(all.end(), dM.begin(), dM.end());
  }
  const std::size_t used = reachable(all).size();
  std::printf("chain of 8 pendulums: %zu nodes, %zu with all derivatives, graph %zu\n", before, used, graph.size());
  // 36 c, 8 g, 16 states; 7 negative angles, 28 differences, their 28 sines and 28 cosines, 8 sin ψ; 8 v²; 28 c cos,
  // 56 c sin v², 8 g sin ψ, 8 sums; the constants −1 and 2.
  EXPECT_CLOSE(before, 36 + 8 + 16 + 7 + 28 + 28 + 28 + 8 + 8 + 28 + 56 + 8 + 8 + 2, exact);
  // ∂f/∂v: 56 c sin v.  ∂f/∂q: 56 c cos v² and as many with the other sign, 8 cos ψ, 8 g cos ψ, 8 sums.
  // ∂M/∂q: 28 c sin with either sign.  The constants 0 and −2.
  EXPECT_CLOSE(used, before + 56 + 56 + 56 + 8 + 8 + 8 + 56 + 2, exact);
  // The rest was built on the way and is not used: 306 nodes.
  EXPECT_LT(graph.size(), 2 * used);
}

}  // namespace
}  // namespace saltus
