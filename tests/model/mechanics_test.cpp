#include "saltus/model/mechanics.hpp"

#include <cmath>

#include "saltus/expr/print.hpp"
#include "tests/model/model_text.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::model_of;
using test::value;

TEST(EulerLagrange, APendulumIsDrivenByItsWeightAlone) {
  const auto model = model_of(R"toml([parameters]
m = 2
l = 3
g = 9.81
[mechanics]
coordinates = ["phi"]
kinetic = "m*l^2*phi'^2/2"
potential = "-m*g*l*cos(phi)"
)toml");
  ASSERT_TRUE(model);
  const std::map<std::string, double> at = {{"m", 2.0}, {"l", 3.0}, {"g", 9.81}, {"phi", 0.7}, {"phi'", 1.3}};
  EXPECT_CLOSE(value(model->mass[0].expr, at), 18.0, rounding(4));                        // m l²
  EXPECT_CLOSE(value(model->force[0].expr, at), -2.0 * 9.81 * 3.0 * std::sin(0.7), rounding(4));  // −m g l sin φ
}

TEST(EulerLagrange, ADoublePendulumHasTheTextbookMassAndForce) {
  // Landau & Lifshitz, Mechanics, §5 problem 1, with m1 = m2 = l1 = l2 = 1:
  //   M = [2, cos(a−b); cos(a−b), 1],  f = (−sin(a−b) b'² − 2 g sin a, sin(a−b) a'² − g sin b).
  const auto model = model_of(R"toml([mechanics]
coordinates = ["a", "b"]
kinetic = "a'^2 + b'^2/2 + cos(a - b)*a'*b'"
potential = "-9.81*(2*cos(a) + cos(b))"
)toml");
  ASSERT_TRUE(model);
  const double a = 0.4, b = -1.1, da = 0.9, db = 1.7, g = 9.81;
  const std::map<std::string, double> at = {{"a", a}, {"b", b}, {"a'", da}, {"b'", db}};
  EXPECT_CLOSE(value(model->mass[0].expr, at), 2.0, rounding(1));
  EXPECT_CLOSE(value(model->mass[1].expr, at), std::cos(a - b), rounding(4));
  EXPECT_EQ(model->mass[1].expr, model->mass[2].expr);
  EXPECT_CLOSE(value(model->mass[3].expr, at), 1.0, rounding(1));
  EXPECT_CLOSE(value(model->force[0].expr, at), -std::sin(a - b) * db * db - 2 * g * std::sin(a), rounding(10));
  EXPECT_CLOSE(value(model->force[1].expr, at), std::sin(a - b) * da * da - g * std::sin(b), rounding(10));
}

TEST(EulerLagrange, AMovingBaseActsThroughTheMixedTimeDerivative) {
  // T = (x' + u')²/2 with the base u = A cos(w t): x'' = −u'' = A w² cos(w t). Without ∂²T/∂v∂t the force would be 0.
  const auto model = model_of(R"toml([mechanics]
coordinates = ["x"]
kinetic = "(x' - 0.5*3*sin(3*t))^2/2"
[forcing]
period = "2*pi/3"
)toml");
  ASSERT_TRUE(model);
  const std::map<std::string, double> at = {{"x", 0.3}, {"x'", -0.2}, {"t", 0.8}};
  EXPECT_CLOSE(value(model->mass[0].expr, at), 1.0, rounding(1));
  EXPECT_CLOSE(value(model->force[0].expr, at), 0.5 * 9.0 * std::cos(2.4), rounding(4));
}

TEST(EulerLagrange, ARotatingHoopGivesTheCentrifugalForce) {
  // T = (φ'² + w² sin² φ)/2, V = −g cos φ:  φ'' = w² sin φ cos φ − g sin φ.
  const auto model = model_of(R"toml([parameters]
w = 2
[mechanics]
coordinates = ["phi"]
kinetic = "(phi'^2 + w^2*sin(phi)^2)/2"
potential = "-9.81*cos(phi)"
)toml");
  ASSERT_TRUE(model);
  const double phi = 0.6;
  const std::map<std::string, double> at = {{"phi", phi}, {"phi'", 0.1}, {"w", 2.0}};
  EXPECT_CLOSE(value(model->force[0].expr, at), 4.0 * std::sin(phi) * std::cos(phi) - 9.81 * std::sin(phi),
               rounding(10));
}

TEST(EulerLagrange, APositionDependentMassBringsItsOwnForce) {
  // T = m(x) x'²/2:  f = m' x'²/2 − m' x'² = −m' x'²/2. Dropping (∂²T/∂v∂q) v would give the wrong sign.
  const auto model = model_of(R"toml([mechanics]
coordinates = ["x"]
kinetic = "(1 + x^2)*x'^2/2"
)toml");
  ASSERT_TRUE(model);
  EXPECT_CLOSE(value(model->force[0].expr, {{"x", 0.5}, {"x'", 2.0}}), -0.5 * 4.0, rounding(2));
}

TEST(EulerLagrange, DissipationAndAppliedForcesAreAdded) {
  const auto model = model_of(R"toml([mechanics]
coordinates = ["x", "y"]
kinetic = "(x'^2 + y'^2)/2"
dissipation = "0.3*(x' - y')^2/2"
applied = ["1", "-x"]
)toml");
  ASSERT_TRUE(model);
  const std::map<std::string, double> at = {{"x", 0.5}, {"y", 7.0}, {"x'", 2.0}, {"y'", -1.0}};
  EXPECT_CLOSE(value(model->force[0].expr, at), 1.0 - 0.9, rounding(4, 1.0));
  EXPECT_CLOSE(value(model->force[1].expr, at), -0.5 + 0.9, rounding(4, 1.0));
}

TEST(EulerLagrange, AClearanceSpringMayBeGivenByItsPiecewisePotential) {
  const auto model = model_of(R"toml([mechanics]
coordinates = ["x"]
kinetic = "x'^2/2"
potential = "if(x > 1, (x - 1)^2/2, 0)"
)toml");
  ASSERT_TRUE(model);
  EXPECT_CLOSE(value(model->force[0].expr, {{"x", 3.0}, {"x'", 0.0}}), -2.0, rounding(1));
  EXPECT_CLOSE(value(model->force[0].expr, {{"x", 0.5}, {"x'", 0.0}}), 0.0, exact);
  ASSERT_EQ(model->switches.size(), 1U);
  EXPECT_EQ(model->switches[0].text, "x - 1");
}

TEST(EulerLagrange, AQuadraticKineticEnergyIsAcceptedHoweverItIsWritten) {
  const auto model = model_of(R"toml([mechanics]
coordinates = ["x"]
kinetic = "(1 + x^2)*x'^2*exp(x')/exp(x' - log(2))"
)toml");
  ASSERT_TRUE(model);  // 2 (1 + x²) x'²
  EXPECT_FALSE(depends_on(model->mass[0].expr, model->v[0]));
  EXPECT_CLOSE(value(model->mass[0].expr, {{"x", 0.5}}), 5.0, rounding(10));
}

}  // namespace
}  // namespace saltus
