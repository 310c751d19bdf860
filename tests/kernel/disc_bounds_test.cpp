#include "saltus/kernel/disc_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <string>

#include "saltus/kernel/narrow_features.hpp"
#include "saltus/kernel/tape.hpp"

namespace saltus {
namespace {

using Complex = std::complex<double>;

/// A function of one variable, written once for the program and once for complex numbers.
struct Function {
  std::string name;
  Expr (*of_expr)(Expr x);
  Complex (*of_complex)(Complex x);
};

const std::vector<Function> functions = {
    {"exp", [](Expr x) { return apply(Op::exp, x); }, [](Complex x) { return std::exp(x); }},
    {"log", [](Expr x) { return apply(Op::log, x); }, [](Complex x) { return std::log(x); }},
    {"sqrt", [](Expr x) { return sqrt(x); }, [](Complex x) { return std::sqrt(x); }},
    {"sin", [](Expr x) { return sin(x); }, [](Complex x) { return std::sin(x); }},
    {"cos", [](Expr x) { return cos(x); }, [](Complex x) { return std::cos(x); }},
    {"tan", [](Expr x) { return apply(Op::tan, x); }, [](Complex x) { return std::tan(x); }},
    {"tanh", [](Expr x) { return apply(Op::tanh, x); }, [](Complex x) { return std::tanh(x); }},
    {"sinh", [](Expr x) { return apply(Op::sinh, x); }, [](Complex x) { return std::sinh(x); }},
    {"cosh", [](Expr x) { return apply(Op::cosh, x); }, [](Complex x) { return std::cosh(x); }},
    {"asin", [](Expr x) { return apply(Op::asin, x); }, [](Complex x) { return std::asin(x); }},
    {"acos", [](Expr x) { return apply(Op::acos, x); }, [](Complex x) { return std::acos(x); }},
    {"atan", [](Expr x) { return apply(Op::atan, x); }, [](Complex x) { return std::atan(x); }},
    {"x^0.6", [](Expr x) { return pow(x, x.graph().constant(0.6)); }, [](Complex x) { return std::pow(x, 0.6); }},
    {"x^2.3", [](Expr x) { return pow(x, x.graph().constant(2.3)); }, [](Complex x) { return std::pow(x, 2.3); }},
    {"x^-1.5", [](Expr x) { return pow(x, -1.5 * x.graph().constant(1.0)); },
     [](Complex x) { return std::pow(x, -1.5); }},
    {"x^9", [](Expr x) { return pow(x, 9); }, [](Complex x) { return std::pow(x, 9.0); }},
    {"1/x", [](Expr x) { return 1.0 / x; }, [](Complex x) { return 1.0 / x; }},
    {"Gauss", [](Expr x) { return apply(Op::exp, -1.0 * x * x); }, [](Complex x) { return std::exp(-x * x); }},
    {"Lorentz", [](Expr x) { return 1.0 / (1.0 + x * x); }, [](Complex x) { return 1.0 / (1.0 + x * x); }},
    {"sech²", [](Expr x) { return 1.0 / (apply(Op::cosh, x) * apply(Op::cosh, x)); },
     [](Complex x) { return 1.0 / (std::cosh(x) * std::cosh(x)); }},
    {"1 − tanh²", [](Expr x) { return 1.0 - apply(Op::tanh, x) * apply(Op::tanh, x); },
     [](Complex x) { return 1.0 - std::tanh(x) * std::tanh(x); }},
    {"logistic", [](Expr x) { return 1.0 / (1.0 + apply(Op::exp, x)); },
     [](Complex x) { return 1.0 / (1.0 + std::exp(x)); }},
    {"x sin x − e^x / (2 + cos x)", [](Expr x) { return x * sin(x) - apply(Op::exp, x) / (2.0 + cos(x)); },
     [](Complex x) { return x * std::sin(x) - std::exp(x) / (2.0 + std::cos(x)); }},
    {"atan2(x, 1 + x²)", [](Expr x) { return apply(Op::atan2, x, 1.0 + x * x); },
     [](Complex x) { return std::atan(x / (1.0 + x * x)); }},
};

Program program_of(const Expr& e) {
  const Expr outputs[] = {e};
  return lower(outputs, [](const std::string&) { return InputRef{Slot::state, 0}; });
}

struct Bound {
  double middle, radius, analytic;
};
Bound bound_of(const Tape<double>& discs, double c, double r) {
  const double x[] = {c, r};
  double out[3];
  discs(nullptr, x, nullptr, nullptr, nullptr, out);
  return {out[0], out[1], out[2]};
}

TEST(DiscBounds, HoldTheValuesAtComplexPointsOfRandomDiscsForAllFunctions) {
  std::mt19937_64 random(20245);
  const auto uniform = [&](double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  for (const Function& function : functions) {
    Graph graph;
    const Tape<double> discs(disc_bounds_of(program_of(function.of_expr(graph.symbol("x")))));
    long outside = 0;
    long known = 0;
    for (int disc = 0; disc < 2000; ++disc) {
      const double c = uniform(-3.0, 3.0);
      const double r = std::pow(10.0, uniform(-4.0, 0.5));
      const Bound bound = bound_of(discs, c, r);
      if (bound.analytic != 1.0 || !std::isfinite(bound.radius) || !std::isfinite(bound.middle)) continue;
      ++known;
      for (int point = 0; point < 16; ++point) {
        const double part = point < 8 ? 0.999999 : uniform(0.0, 1.0);
        const Complex z = function.of_complex(c + std::polar(part * r, uniform(0.0, 2.0 * std::numbers::pi)));
        // Rounding is not included.
        if (!(std::abs(z - bound.middle) <= bound.radius + 1e-12 * (std::abs(z) + std::abs(bound.middle) + 1.0)))
          ++outside;
      }
    }
    EXPECT_EQ(outside, 0) << function.name;
    EXPECT_GT(known, 200) << function.name;  // and are not silent
  }
}

// Far from a pulse the discs may be nearly as wide as the way to it, and say that there is nothing.
TEST(DiscBounds, ShowThatAPulseIsNothingFarFromIt) {
  for (const std::string name : {"Gauss", "sech²", "1 − tanh²"}) {
    const auto found =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
    Graph graph;
    const Tape<double> discs(disc_bounds_of(program_of(found->of_expr(graph.symbol("x")))));
    const Bound far = bound_of(discs, 1000.0, 400.0);
    EXPECT_EQ(far.analytic, 1.0) << name;
    EXPECT_LT(far.radius, 1e-15) << name;
    EXPECT_GT(bound_of(discs, 1.0, 1.0).radius, 0.5) << name;
  }
}

TEST(DiscBounds, SayWhereAFunctionIsNotAnalyticAndBoundItOnTheRealLineAllTheSame) {
  Graph graph;
  const Expr x = graph.symbol("x");
  for (const Expr& f : {sqrt(x), pow(x, graph.constant(0.6)), apply(Op::abs, x), apply(Op::max, x, 0.3 * x)}) {
    const Tape<double> discs(disc_bounds_of(program_of(f)));
    const Tape<double> value(program_of(f));
    const Bound across = bound_of(discs, 0.1, 0.2);
    EXPECT_EQ(across.analytic, 0.0);
    for (const double at : {0.0, 0.05, 0.2, 0.2999}) {
      double out = 0.0;
      value(nullptr, &at, nullptr, nullptr, nullptr, &out);
      EXPECT_LE(std::abs(out - across.middle), across.radius);
    }
    EXPECT_EQ(bound_of(discs, 0.1, 0.05).analytic, 1.0);
  }
}

TEST(NarrowFeatures, AreThoseOfEverythingButLowPolynomialsOfSinesAndCosinesAndTheirRoots) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const auto narrow = [&](const Expr& f) -> bool { return may_have_narrow_features(program_of(f)).front(); };
  for (const Expr& f : {x, 3.0 * x * x * x - x, sin(x) * cos(x) * x, pow(cos(x), 8), sqrt(x),
                        pow(apply(Op::abs, x), graph.constant(0.6))})
    EXPECT_FALSE(narrow(f));
  for (const Expr& f : {pow(cos(x), 400), apply(Op::exp, x), 1.0 / x, sqrt(1.0 / x), apply(Op::tanh, x), pow(x, 9),
                        pow(x, graph.constant(20.5))})
    EXPECT_TRUE(narrow(f));
}

}  // namespace
}  // namespace saltus
