#include "saltus/kernel/piecewise_linear.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

Nonlinearity found_in(const std::string& force, const std::string& rest = "") {
  const std::string text =
      "[parameters]\nk = 2.0\nw = 1.5\n[mechanics]\ncoordinates = [\"x\", \"y\"]\n"
      "mass  = [[\"1\", \"0\"], [\"0\", \"k\"]]\nforce = [\"" +
      force + "\", \"-y\"]\n" + rest;
  const ModelReading reading = read_model("model.toml", text);
  if (!reading.model) throw std::runtime_error(rendered(reading.diagnostics));
  return first_nonlinearity(*reading.model).value_or(Nonlinearity{});
}

TEST(PiecewiseLinear, AcceptsConstantCoefficientsPiecesHarmonicsAndPolynomialsOfTime) {
  for (const char* force :
       {"-k*x + k^2*y' - sqrt(k)*(x - y)", "if(x > 1, k*(x - 1), if(x < -1, x + 1, 0)) + abs(y) - max(x', y)",
        "cos(w*t + 1)*sin(t) + t^3 - t*cos(t)", "-k*sign(x' - w) + cos(w)*x + exp(k)", "sign(sin(w*t))*x"})
    EXPECT_EQ(found_in(force).expression, "") << force;
}

TEST(PiecewiseLinear, NamesTheFirstExpressionThatIsNotLinearAndItsPlace) {
  EXPECT_EQ(found_in("-k*x + 3*sin(x)").expression, "sin(x)");
  EXPECT_EQ(found_in("-k*x + 3*sin(x)").where, "the force of 'x'");
  EXPECT_EQ(found_in("-k*x + 3*sin(x)").span.line, 7);
  EXPECT_EQ(found_in("-k*x + 3*sin(x)").span.first, 20);
  EXPECT_EQ(found_in("-k*x + 3*sin(x)").span.last, 25);
  EXPECT_EQ(found_in("x*y'").expression, "x*y'");
  EXPECT_EQ(found_in("-k*x*cos(w*t)").expression, "-cos(t*w)*k*x");
  EXPECT_EQ(found_in("cos(t^2)").expression, "cos(t^2)");
  EXPECT_EQ(found_in("if(x^2 > y, 1, 0)").expression, "x^2");
  EXPECT_EQ(
      found_in("-x", "[[contact]]\nname = \"ring\"\ngap = \"x^2 + y^2 - 0.5\"\nrestitution = \"1\"\n[initial]\nx = 1\n")
          .where,
      "the gap of contact 'ring'");
}

TEST(PiecewiseLinear, SortsTheExamples) {
  const auto is_linear = [](const std::string& name) {
    return !first_nonlinearity(*read_model_file("examples/" + name + ".toml").model).has_value();
  };
  for (const char* name :
       {"bouncing_ball", "clearance_pair", "impact_oscillator", "impact_pair", "newton_cradle", "vibrating_table"})
    EXPECT_TRUE(is_linear(name)) << name;
  for (const char* name : {"double_pendulum_wall", "driven_pendulum_stop", "friction_belt", "piston_crank",
                           "triple_pendulum_barrier", "triple_pendulum_torque"})
    EXPECT_FALSE(is_linear(name)) << name;
}

}  // namespace
}  // namespace saltus
