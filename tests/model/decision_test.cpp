#include "saltus/model/decision.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "tests/model/model_text.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Values = std::map<std::string, double>;

std::shared_ptr<const Model> moved_by(const std::string& force) {
  return test::model_of(
      "[parameters]\na = 0.5\nb = -0.7\nn = 3\n[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"" +
      force + "\"]\n[initial]\nx = -0.1\n");
}

/// The force as its sides give it, where every side is the sign of its surface.
double pieced_value(const Model& model, Values at) {
  for (const Switch& each : model.switches) {
    const double s = test::value(each.s, at);
    EXPECT_TRUE(std::isfinite(s)) << each.text;
    at[each.side.name()] = s > 0.0 ? 1.0 : -1.0;
  }
  return test::value(model.pieced_force.front(), at);
}

/// Force and pieced force agree wherever the force is a number, at points all over the plane and at many times.
void expect_same_force(const std::string& force, int points = 60) {
  const auto model = moved_by(force);
  ASSERT_TRUE(model) << force;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-4.0, 4.0);
  for (int i = 0; i < points; ++i) {
    const Values at = {{"x", place(random)}, {"x'", place(random)}, {"t", 3.0 * place(random)},
                       {"a", 0.5},           {"b", -0.7},           {"n", 3.0}};
    const double truth = test::value(model->force.front().expr, at);
    if (!std::isfinite(truth)) continue;
    EXPECT_CLOSE(pieced_value(*model, at), truth, rounding(1000, 10.0))
        << force << " at x = " << at.at("x") << ", t = " << at.at("t");
  }
}

TEST(Decision, TheSidesOfTheSurfacesGiveTheForceBack) {
  const std::vector<std::string> conditions = {"abs(x) < a",
                                               "abs(x - 1) > 2*abs(x') - 1",
                                               "a*abs(x) < 1",
                                               "b*abs(x) < -1",
                                               "max(x, x') < 1",
                                               "min(x, 2*x', t) > b",
                                               "x^2 < a",
                                               "(x - 1)^2 < a^2",
                                               "b*x^4 > -1",
                                               "x^2 > x'^2",
                                               "4*x^2 < 9*(x' - 1)^2",
                                               "x^2 < b",
                                               "x*x' > 0",
                                               "x*(x - 1)*(x' + 1) > 0",
                                               "b*x^3 > 0",
                                               "exp(x)*(x - 1) > 0",
                                               "x < if(sin(t) > 0, 1, -1)",
                                               "x' - 0.5*sign(sin(t)) > 0",
                                               "x + sign(x' - sign(x - 1)) > 0",
                                               "if(x > 0, if(x' > 1, t, -t), x') > 1",
                                               "mod(t, 2) < 0.7",
                                               "mod(t, 2) > a",
                                               "mod(x, -2) < b",
                                               "a*mod(t + 1, n) < 1",
                                               "floor(t) > 2",
                                               "floor(x) <= 1",
                                               "ceil(x') >= 2",
                                               "round(x) < b",
                                               "mod(floor(t), 2) < 1",
                                               "mod(round(t), 3) >= 1",
                                               "x < mod(t, 2) - 1",
                                               "2*x - x'*floor(t) > 1",
                                               "abs(mod(t, 2) - 1) < 0.4",
                                               "acos(cos(t)) > 1 + x",
                                               "asin(sin(t)) < x",
                                               "max(x, 0) >= 0",
                                               "max(x, 0) <= 0",
                                               "min(x, 0)*x' < 0",
                                               "x*max(x', 0) > 0",
                                               "max(x, 0)^2 > 0",
                                               "abs(max(x, 0)) > 0",
                                               "if(x > 1, 1, 0) >= 1",
                                               "sign(x) + sign(x') >= 0",
                                               "floor(x)*x' > 0",
                                               "mod(x, 1) > max(x', x)",
                                               "0.5*floor(x) >= 1",
                                               "x^2 >= 0",
                                               "abs(x) > -1",
                                               "mod(max(t - 1, 0), 2) < 0.5",
                                               "sin(max(x, 0)) > 0",
                                               "sin(max(x, 0)) >= 0",
                                               "sqrt(abs(x)) > a",
                                               "sqrt(abs(x)) > b",
                                               "b*abs(x)^1.5 > -1",
                                               "sqrt(abs(x)) > x'*x",
                                               "log(x^2) > x'",
                                               "(x > 0 and x' > 0) or not t > 1",
                                               "max(floor(x), x') > mod(t, 1)",
                                               "tanh(x - 1)*x' > 0",
                                               "sqrt(x) > 1",
                                               "abs(x) + abs(x') < 2",
                                               "abs(abs(x) - 1) < 0.3",
                                               "atan(tan(t)) > x"};
  for (const std::string& condition : conditions) expect_same_force("if(" + condition + ", 1 + x, x')");
}

TEST(Decision, SoDoTheValuesOfEveryFunctionWithPieces) {
  const std::vector<std::string> values = {"floor(x)",
                                           "ceil(t)",
                                           "sign(max(x, 0))",
                                           "sign(round(x))*x'",
                                           "sign(x*max(x', 0) + floor(0.2))",
                                           "mod(max(t - 1, 0), 2)",
                                           "floor((sign(x) + 1)*t)",
                                           "floor(0.5*if(x > 0, t, 4))",
                                           "round(floor(x)/2)",
                                           "floor(0.5*floor(x) + 0.5*floor(t))",
                                           "round(3*x)",
                                           "mod(t, 2)",
                                           "mod(x, -1.5)",
                                           "mod(x*x', n)",
                                           "mod(t, a)",
                                           "floor(x + sign(x'))",
                                           "acos(cos(t))",
                                           "acos(sin(2*t))",
                                           "asin(cos(t + x))",
                                           "asin(sin(t))",
                                           "acos(-cos(t))",
                                           "atan(tan(t))",
                                           "atan2(sin(t), cos(t))",
                                           "sqrt(x^2)",
                                           "(x^2)^0.5",
                                           "(x^2)^1.5",
                                           "sqrt(4*(x - 1)^2)",
                                           "sqrt(x^2 - 2*x*x' + x'^2)",
                                           "sqrt(1 - cos(t)^2)",
                                           "sqrt(1 + sin(t))",
                                           "sqrt(2 - 2*cos(t))",
                                           "exp(0.5*log(x^2))",
                                           "abs(x)^1.5*sign(x)",
                                           "max(-x, 0)^1.5",
                                           "sqrt(abs(x))*sign(x)",
                                           "sqrt(1 + abs(x))",
                                           "if(x > 1, sqrt(x), 0)",
                                           "if(x > 0 and x' > 0, sqrt(x*x'), 0)",
                                           "(2*max(-x, 0))^0.7",
                                           "log(1 + max(x, 0))",
                                           "mod(abs(x), 1)",
                                           "max(x, min(x', t), abs(x - 1))",
                                           "sqrt(a*max(x, 0) + 1)"};
  for (const std::string& value : values) expect_same_force(value);
}

TEST(Decision, AWholeNumberIsExactAndHeldAQuarterBeyondItsSurface) {
  const auto model = moved_by("floor(x)");
  ASSERT_TRUE(model);
  ASSERT_EQ(model->switches.size(), 1U);
  EXPECT_EQ(model->switches[0].text, "sin(2*pi*x)");
  const std::string side = model->switches[0].side.name();
  for (const double n : {-7.0, -2.0, 0.0, 1.0, 8.0, 1e6 + 1.0, 1e12}) {
    const auto held = [&](double u, double sign) {
      return test::value(model->pieced_force.front(), {{"x", u}, {side, sign}});
    };
    for (const double beyond : {-0.24, -1e-4, 0.0, 0.25, 0.5, 0.74}) EXPECT_CLOSE(held(n + beyond, 1.0), n, exact);
    for (const double beyond : {0.26, 0.5, 0.75, 1.0, 1.0001, 1.24}) EXPECT_CLOSE(held(n + beyond, -1.0), n, exact);
  }
}

TEST(Decision, BeyondItsSurfaceABranchIsContinuedAndElsewhereARootOfANegativeNumberIsNone) {
  const auto hertz = moved_by("100*max(-x, 0)^1.5");
  const std::string side = hertz->switches[0].side.name();
  EXPECT_CLOSE(test::value(hertz->pieced_force.front(), {{"x", -0.04}, {side, -1.0}}), 0.8, rounding(10));
  EXPECT_CLOSE(test::value(hertz->pieced_force.front(), {{"x", 0.04}, {side, -1.0}}), -0.8, rounding(10));
  EXPECT_CLOSE(test::value(hertz->pieced_force.front(), {{"x", 0.04}, {side, 1.0}}), 0.0, exact);
  const auto wrong = moved_by("if(x > 0, sqrt(x - 1), 0)");
  EXPECT_TRUE(
      std::isnan(test::value(wrong->pieced_force.front(), {{"x", 0.5}, {wrong->switches[0].side.name(), 1.0}})));
  const auto sign = moved_by("sqrt(b*max(x, 0))");
  EXPECT_TRUE(std::isnan(
      test::value(sign->pieced_force.front(), {{"x", 0.5}, {"b", -0.7}, {sign->switches[0].side.name(), 1.0}})));
}

TEST(Decision, AKinkThatStaysInsideASurfaceHasItsOwnAndIsNamed) {
  const auto model = moved_by("if(x*abs(x') - 1 > 0, 1, 0)");
  ASSERT_EQ(model->switches.size(), 2U);
  EXPECT_EQ(model->switches[0].text, "x'");
  EXPECT_EQ(model->switches[1].depends, std::vector<std::size_t>{0});
}

TEST(Decision, AConditionOfVeryManyPartsIsNotTakenApartForEver) {
  std::string sum;
  for (int i = 0; i < 40; ++i) sum += "+sign(x - " + std::to_string(i) + ")";
  const auto model = moved_by("if(0.5" + sum + " > 0, 1, 0)");
  ASSERT_TRUE(model);
  EXPECT_LT(model->switches.size(), 200U);
}

/// Random sums, products and choices of what has pieces.
class RandomForce {
 public:
  explicit RandomForce(unsigned seed) : random_(seed) {}

  std::string value(int depth) {
    static const std::vector<std::string> leaves = {"x", "x'", "t", "a", "b", "1", "0.3", "2"};
    if (depth == 0) return leaves[below(leaves.size())];
    static const std::vector<std::string> functions = {"abs", "sign", "floor", "ceil", "round", "sin", "tanh"};
    switch (below(8)) {
      case 0: return "(" + value(depth - 1) + " + " + value(depth - 1) + ")";
      case 1: return "(" + value(depth - 1) + " - " + value(depth - 1) + ")";
      case 2: return value(depth - 1) + "*" + value(depth - 1);
      case 3: return "max(" + value(depth - 1) + ", " + value(depth - 1) + ")";
      case 4: return "mod(" + value(depth - 1) + ", 1.5)";
      case 5: return "(" + value(depth - 1) + ")^2";
      case 6:
        return "if(" + value(depth - 1) + " > " + value(depth - 1) + ", " + value(depth - 1) + ", " + value(depth - 1) +
               ")";
      default: return functions[below(functions.size())] + "(" + value(depth - 1) + ")";
    }
  }

 private:
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  std::mt19937 random_;
};

RC_GTEST_PROP(DecisionProperty, RandomForcesAreWhatTheirSidesSay, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  RandomForce random(seed);
  const std::string force = random.value(3);
  const auto model = moved_by(force);
  RC_ASSERT(model != nullptr);
  std::mt19937 places(seed);
  std::uniform_real_distribution<double> place(-4.0, 4.0);
  for (int i = 0; i < 20; ++i) {
    Values at = {{"x", place(places)}, {"x'", place(places)}, {"t", place(places)},
                 {"a", 0.5123},        {"b", -0.7071},        {"n", 3.0}};
    bool on_a_surface = false;
    for (const Switch& each : model->switches) {
      const double s = test::value(each.s, at);
      on_a_surface = on_a_surface || !(std::abs(s) > 1e-9);
      at[each.side.name()] = s > 0.0 ? 1.0 : -1.0;
    }
    if (on_a_surface) continue;  // what a condition is on its surface itself is not asked
    const double truth = test::value(model->force.front().expr, at);
    const double pieced = test::value(model->pieced_force.front(), at);
    RC_LOG() << force << ": " << pieced << " for " << truth << '\n';
    RC_ASSERT(std::abs(pieced - truth) <= 1e-9 * (1.0 + std::abs(truth)));
  }
}

}  // namespace
}  // namespace saltus
