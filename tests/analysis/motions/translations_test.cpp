#include "saltus/analysis/motions/translations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/expr/evaluate.hpp"

namespace saltus {
namespace {

using std::numbers::pi;

/// The model of a text that must be right.
std::shared_ptr<const Model> sound_model(const std::string& text) {
  const ModelReading reading = read_model("model.toml", text);
  EXPECT_EQ(rendered(reading.diagnostics), "") << text;
  return reading.model;
}

/// An expression at given values of its symbols.
double value_at(Expr e, const std::map<std::string, double>& at) {
  return evaluate(e, [&](const std::string& name) { return at.at(name); });
}

/// Two bodies a and b of mass 1; `more` stands behind [mechanics].
std::string pair_text(const std::string& force_a, const std::string& force_b, const std::string& more = "") {
  return fmt::format(
      "[parameters]\nk = 2\nl = 0.3\n[mechanics]\ncoordinates = [\"a\", \"b\"]\nmass = [[\"1\", \"0\"], [\"0\", "
      "\"1\"]]\nforce = [\"{}\", \"{}\"]\n{}",
      force_a, force_b, more);
}

Translations of_text(const std::string& text, const std::vector<double>& parameters = {2.0, 0.3}) {
  const auto model = sound_model(text);
  return translations_of(model->invariance, model->dimension(), parameters);
}

Translations of_forces(const std::string& a, const std::string& b, const std::string& more = "") {
  return of_text(pair_text(a, b, more));
}

/// The periods of a and b alone.
std::vector<double> periods_of(const Translations& translations) { return translations.periods(2); }

bool is_translation(const Translations& translations, double a, double b) {
  return translations.remainder(Eigen::Vector4d(a, b, 0.0, 0.0)).norm() < 1e-9;
}

void expect_periods(const Translations& translations, double a, double b) {
  EXPECT_NEAR(translations.period(0), a, 1e-12);
  EXPECT_NEAR(translations.period(1), b, 1e-12);
}

TEST(Translations, AnglesHaveThePeriodsOfTheFunctionsTheyStandUnder) {
  expect_periods(of_forces("-sin(a) - a'", "-b"), 2 * pi, 0.0);
  expect_periods(of_forces("cos(a/2)", "tan(b)"), 4 * pi, pi);
  expect_periods(of_forces("sin(3*a) + cos(2*a)", "cos(1.5*b)*exp(sin(b))"), 2 * pi, 4 * pi);
  expect_periods(of_forces("sin(3*a + 1)", "sin(k*b)*t"), 2 * pi / 3, pi);
  expect_periods(of_forces("sin(a) + sin(sqrt(2)*a)", "sin(b)*b"), 0.0, 0.0);
  expect_periods(of_forces("sin(a + 0.3*sin(b) - t)", "sin(b/3 + b'^2)"), 2 * pi, 6 * pi);
}

TEST(Translations, WhatNothingDependsOnIsCyclic) {
  const Translations free = of_forces("-a' + cos(t)", "-sin(b)");
  ASSERT_EQ(free.drifts(), 1U);
  EXPECT_EQ(free.held().front(), 0);
  EXPECT_EQ(free.drift_of(Eigen::Vector4d(3.0, 2 * pi, 0.0, 0.0)), (Drift{{0, 3.0}}));
}

TEST(Translations, WhatOnlyFeelsADifferenceIsCyclicTogether) {
  for (const char* force : {"k*(b - a)", "k*b - k*a", "(b - a)^3*a'", "b*a' - a*a'", "max(a - b - l, 0)",
                            "if(a - b > l, 1, 0)", "sqrt(1 + (2*a - 2*b)^2)"}) {
    const Translations pair = of_forces(force, "-b'");
    ASSERT_EQ(pair.drifts(), 1U) << force;
    EXPECT_TRUE(is_translation(pair, 0.7, 0.7)) << force;
    EXPECT_FALSE(is_translation(pair, 0.7, 0.0)) << force;
    EXPECT_EQ(pair.drift_of(Eigen::Vector4d(0.7, 0.7, 0.0, 0.0)).size(), 2U) << force;
  }
}

TEST(Translations, AnglesCoupledByASpringTurnTogether) {
  const Translations pen = of_forces("-sin(a) + l*(b - a)", "-sin(b) + l*(a - b)");
  EXPECT_EQ(pen.drifts(), 0U);
  EXPECT_TRUE(is_translation(pen, 2 * pi, 2 * pi));
  EXPECT_FALSE(is_translation(pen, 2 * pi, 0.0));
  EXPECT_EQ(periods_of(pen), (std::vector<double>{0.0, 0.0}));
}

TEST(Translations, AGearOfTwoToOne) {
  const Translations gear = of_forces("-sin(a) + l*(a - 2*b)", "-sin(b) - l*(a - 2*b)");
  EXPECT_TRUE(is_translation(gear, 4 * pi, 2 * pi));
  EXPECT_FALSE(is_translation(gear, 2 * pi, pi));
}

TEST(Translations, EveryBranchAndEveryConditionCounts) {
  // Never met by samples: what lies beyond −100 holds the coordinate.
  expect_periods(of_forces("-(a' + 1) + if(a < -100, -100*(a + 100), 0)", "0"), 0.0, 0.0);
  EXPECT_EQ(of_forces("-(a' + 1) + if(a < -100, -100*(a + 100), 0)", "0").drifts(), 1U);  // b
  EXPECT_EQ(of_forces("max(a - 1e6, 0)", "-b").drifts(), 0U);
  expect_periods(of_forces("if(sin(a) > 0.5, cos(2*a), abs(sin(a)))", "-b"), 2 * pi, 0.0);
  expect_periods(of_forces("if(t > 5, 0, a)", "sin(b)*tanh(50*(b - 40))"), 0.0, 0.0);
}

TEST(Translations, GapsCountAsForcesDo) {
  const std::string contact = "[[contact]]\nname = \"wall\"\ngap = \"{}\"\nrestitution = 0.5\n";
  const auto with_gap = [&](const std::string& gap) {
    return of_forces("-a'", "-sin(b)", fmt::format(fmt::runtime(contact), gap));
  };
  EXPECT_EQ(with_gap("2 - cos(b)").drifts(), 1U);
  EXPECT_EQ(with_gap("2 - a").drifts(), 0U);
  expect_periods(with_gap("3 - cos(b/2) - cos(a)"), 2 * pi, 4 * pi);
}

TEST(Translations, EnergiesAreReadAsTheyAreWritten) {
  const Translations chain = of_text(
      "[parameters]\nk = 2\nl = 0.3\n[mechanics]\ncoordinates = [\"a\", \"b\"]\nkinetic = \"(a'^2 + b'^2)/2 + "
      "l*cos(a - b)*a'*b'\"\npotential = \"k*(a - b)^4 + 9.81*(a + b)\"\ndissipation = \"(a' - b')^2\"\n");
  ASSERT_EQ(chain.drifts(), 1U);
  EXPECT_TRUE(is_translation(chain, -1.3, -1.3));
}

TEST(Translations, FirstOrderStatesAreMovedToo) {
  const Translations phase = of_text(
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x + cos(p)\"]\nstates = [\"p\", "
      "\"w\"]\nrates = [\"1.3 + 0.2*sin(p/2)\", \"x\"]\n",
      {});
  EXPECT_NEAR(phase.period(2), 4 * pi, 1e-12);
  ASSERT_EQ(phase.drifts(), 1U);
  EXPECT_EQ(phase.held().front(), 3);
}

TEST(Translations, WhatDependsOnAVariedParameterIsNone) {
  const auto model = sound_model(pair_text("sin(k*a) + l*(b - a)", "l*a - l*b"));
  const Kernels varied(*model, {.varied = {0}});
  EXPECT_EQ(translations_of(varied, std::vector<double>{2.0, 0.3}).lattice().cols(), 0);
  const Kernels other(*model, {.varied = {1}});
  EXPECT_TRUE(is_translation(translations_of(other, std::vector<double>{2.0, 0.3}), pi, pi));
}

TEST(Translations, InvariantsAreTheSameForStatesATranslationApart) {
  const Translations pen = of_forces("-sin(a) + l*(b - a)", "-sin(b) + l*(a - b)");
  const Eigen::Vector4d x(0.4, 1.1, -2.0, 3.0);
  const Eigen::Vector4d turned = x + Eigen::Vector4d(6 * pi, 6 * pi, 0.0, 0.0);
  const Eigen::Vector4d other = x + Eigen::Vector4d(2 * pi, 0.0, 0.0, 0.0);
  const auto distance = [&](const Vector& y) {
    double largest = 0.0;
    const std::vector<double> a = pen.invariants(x), b = pen.invariants(y);
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  };
  EXPECT_LT(distance(turned), 1e-12);
  EXPECT_GT(distance(other), 0.1);
}

TEST(Translations, WhatStandsUnderAWholePartMovesWithIt) {
  expect_periods(of_forces("-mod(a, 3)", "-b"), 3.0, 0.0);
  expect_periods(of_forces("abs(mod(a, l) - l/2)", "sin(b) + mod(t, 2)"), 0.3, 2 * pi);
  expect_periods(of_forces("a - floor(a)", "round(b) - b"), 1.0, 1.0);
  expect_periods(of_forces("ceil(a/k) - a/k", "k*mod(b, 0.1)*b'"), 2.0, 0.1);
  expect_periods(of_forces("mod(a, 2) + sin(pi*a/3)", "if(mod(b, 1.5) > 1, 1, exp(mod(b, 0.5)))"), 6.0, 1.5);
  expect_periods(of_forces("sin(pi*floor(a))", "mod(b - a, 2)^2"), 2.0, 2.0);
  expect_periods(of_forces("a - floor(2*a)/2", "mod(b, 2*pi)*cos(b)"), 0.5, 2 * pi);
  const Translations pair = of_forces("mod(a - b, 1)", "-b'");
  EXPECT_TRUE(is_translation(pair, 0.7, 0.7));
  EXPECT_TRUE(is_translation(pair, 1.7, 0.7));
  EXPECT_FALSE(is_translation(pair, 0.5, 0.0));
}

TEST(Translations, AStaircaseAndWhatIsNotLinearUnderAWholePartHaveNone) {
  expect_periods(of_forces("floor(a)", "mod(b, 3) + 0.1*b"), 0.0, 0.0);
  expect_periods(of_forces("a*mod(a, 1)", "mod(b^2, 1)"), 0.0, 0.0);
  expect_periods(of_forces("mod(a, 1) + mod(a, sqrt(2))", "2*b - floor(b)"), 0.0, 0.0);
  expect_periods(of_forces("mod(a, 1)*floor(a)", "mod(b, 1) + exp(-b^2)"), 0.0, 0.0);
}

// ---- random models ----------------------------------------------------------------------------------------------------

/// A linear form of a and b, times 1/d.
std::string random_form() {
  const int a = *rc::gen::inRange(-3, 4);
  const int b = *rc::gen::inRange(-3, 4);
  const int d = *rc::gen::element(1, 1, 2, 3);
  return fmt::format("(({})*a + ({})*b)/{}", a, b, d);
}

std::string random_term(int depth) {
  const std::string u = random_form();
  switch (*rc::gen::inRange(-2, depth > 0 ? 10 : 7)) {
    case -2: return fmt::format("abs(mod({}, 0.7) - 0.35)", u);
    case -1: return fmt::format("cos(pi*floor({} + 0.0123)/2)", u);
    case 0: return fmt::format("sin({})", u);
    case 1: return fmt::format("cos({} + t)*a'", u);
    case 2: return fmt::format("k*{}", u);
    case 3: return fmt::format("exp(0.1*cos({}))", u);
    case 4: return fmt::format("abs({})*l", u);
    case 5: return "b'*l";
    case 6: return fmt::format("({})^3", u);
    case 7: return fmt::format("if(sin({}) > l, {}, {})", u, random_term(0), random_term(0));
    case 8: return fmt::format("sin({} + {})", u, random_term(0));
    default: return fmt::format("({})*({})", random_term(0), random_term(0));
  }
}

RC_GTEST_PROP(Translations, LeaveRandomModelsAsTheyAre, ()) {
  const std::string force_a = random_term(1) + " + " + random_term(1);
  const std::string force_b = random_term(1);
  RC_LOG() << force_a << "\n" << force_b << "\n";
  const auto model = sound_model(pair_text(force_a, force_b));
  RC_ASSERT(model != nullptr);
  const Translations found = translations_of(model->invariance, 4, std::vector<double>{2.0, 0.3});
  const auto number = [] { return *rc::gen::inRange(-3000, 3001) / 700.0; };
  Vector delta = Vector::Zero(4);
  for (Eigen::Index k = 0; k < found.cyclic().cols(); ++k) delta += number() * found.cyclic().col(k);
  for (Eigen::Index k = 0; k < found.lattice().cols(); ++k) delta += *rc::gen::inRange(-3, 4) * found.lattice().col(k);
  RC_ASSERT(delta.tail(2).isZero(0.0));
  RC_ASSERT(found.remainder(delta).norm() < 1e-9 * (1.0 + delta.norm()));
  const Eigen::Vector4d x(number(), number(), number(), number());
  const double t = number();
  for (const Located& force : model->force) {
    const auto at = [&](const Vector& y) {
      return value_at(force.expr,
                      {{"a", y[0]}, {"b", y[1]}, {"a'", y[2]}, {"b'", y[3]}, {"t", t}, {"k", 2.0}, {"l", 0.3}});
    };
    const double here = at(x);
    RC_ASSERT(std::abs(at(x + delta) - here) < 1e-7 * (1.0 + std::abs(here)));
  }
}

RC_GTEST_PROP(Translations, MissNoneOfLinearFormsAndPeriodicFunctions, ()) {
  // All coordinates under periodic functions of whole forms divided by d: 2πd of each alone must be among them.
  const int d = *rc::gen::inRange(1, 6);
  const auto form = [&] {
    return fmt::format("(({})*a + ({})*b)/{}", *rc::gen::inRange(-3, 4), *rc::gen::inRange(-3, 4), d);
  };
  const auto model = sound_model(pair_text("sin(" + form() + ") - exp(cos(" + form() + "))",
                                           "cos(" + form() + ")*b' + mod(" + form() + ", 2*pi)"));
  RC_ASSERT(model != nullptr);
  const Translations found = translations_of(model->invariance, 4, std::vector<double>{2.0, 0.3});
  RC_ASSERT(is_translation(found, 2 * pi * d, 0.0));
  RC_ASSERT(is_translation(found, 0.0, 2 * pi * d));
}

}  // namespace
}  // namespace saltus
