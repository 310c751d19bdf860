// Motions through windows, sawteeth and laws with a limited domain, against closed forms.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;

/// A mass under a force, or a state with a rate.
std::string mass_under(const std::string& force, const std::string& initial = "x = 0") {
  return "[parameters]\nc = 2.5\nw = 0.1\n[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"" + force +
         "\"]\n[initial]\n" + initial + "\n";
}

double speed_after(const std::string& force, double T, const std::vector<Assignment>& set = {}) {
  const FlowResult result = Motion::of(mass_under(force), {.set = set}).until(T);
  EXPECT_EQ(result.outcome, Outcome::reached_end) << force;
  return result.end.x[1];
}

TEST(Pieces, APushThatLastsAWindowOfTimeIsFeltHoweverTheWindowIsWritten) {
  // 1/w over a window of length 2w: 2 in all.
  const std::vector<std::string> windows = {"abs(t - c) < w",
                                            "(t - c)^2 < w^2",
                                            "sqrt((t - c)^2) < w",
                                            "w - abs(t - c) > 0",
                                            "max(t - c, c - t) < w",
                                            "(t - c)^4 < w^4",
                                            "not abs(t - c) >= w",
                                            "t > c - w and t < c + w",
                                            "(t - c - w)*(t - c + w) < 0",
                                            "min(t - c + w, c + w - t) > 0",
                                            "if(t < c, c - t, t - c) < w",
                                            "w^2 - (c - t)^2 > 0"};
  for (const std::string& window : windows)
    for (const double w : {1e-9, 1e-7, 1e-4, 0.1, 0.7}) {
      const double speed = speed_after("if(" + window + ", 1/w, 0)", 5.0, {{"w", std::to_string(w * 1e9) + "e-9"}});
      // The ends of the window lie on a grid of t: 2w is rounded to 1e-15.
      EXPECT_CLOSE(speed, 2.0, integration(1e-9 + 2e-15 / w, 1.0)) << window << ", w = " << w;
    }
}

TEST(Pieces, AWindowInTheStateOrInTheSpeedIsPassedLikewise) {
  // At speed 1 a push over |x − 2| < w changes the energy by 2w f.
  for (const double w : {1e-9, 1e-6, 1e-3, 0.1}) {
    const std::vector<Assignment> set = {{"w", std::to_string(w * 1e9) + "e-9"}};
    const FlowResult in_x =
        Motion::of(mass_under("if(abs(x - c) < w, 0.75/w, 0)", "\"x'\" = 1"), {.set = set}).until(5.0);
    EXPECT_CLOSE(in_x.end.x[1], 2.0, integration(1e-9 + 1e-15 / w, 1.0)) << w;
    // x″ = −1 while |x'| < w, −½ otherwise: from 1 to −1 in 2(1 − w)·2 + 2w.
    const FlowResult in_v = Motion::of(mass_under("if(abs(x') < w, -1, -0.5)", "\"x'\" = 1"), {.set = set})
                                .until(4.0 * (1.0 - w) + 2.0 * w);
    EXPECT_CLOSE(in_v.end.x[1], -1.0, integration(1e-9, 1.0)) << w;
  }
}

RC_GTEST_PROP(PiecesProperty, WindowsAtRandomPlacesAndOfRandomWidthsAreAllFelt, ()) {
  const double c = 0.5 + 0.001 * *rc::gen::inRange(0, 9000);
  const double w = std::pow(10.0, -0.01 * *rc::gen::inRange(40, 850));
  const std::vector<Assignment> set = {{"c", std::to_string(c)}, {"w", std::to_string(w * 1e9) + "e-9"}};
  const double exact_w = std::stod(set[1].value);
  const FlowResult result =
      Motion::of(mass_under("if(abs(t - c) < w, 1/w, 0) - 0.3*(x - x)", "x = 1"), {.set = set}).until(12.0);
  RC_ASSERT(result.outcome == Outcome::reached_end);
  RC_ASSERT(std::abs(result.end.x[1] - 2.0) < 1e-8 + 1e-14 / exact_w);
}

TEST(Pieces, ASawtoothRisesAndFallsBackAtEveryPeriod) {
  // ∫₀^T mod(t, p) dt = n p²/2 + (T − n p)²/2
  for (const double p : {0.7, 1.3}) {
    const double T = 7.5;
    const double n = std::floor(T / p);
    const double truth = n * p * p / 2.0 + (T - n * p) * (T - n * p) / 2.0;
    EXPECT_CLOSE(speed_after("mod(t, w)", T, {{"w", std::to_string(p)}}), truth, integration(1e-9, 1.0)) << p;
  }
}

// A remainder is zero just behind its jump, and its size has a kink there: rounding of the instant must not say on which side it is.
RC_GTEST_PROP(PiecesProperty, TheSizeOfARemainderIsTheRemainder, ()) {
  const double p = 0.01 * *rc::gen::inRange(11, 300);
  const std::string remainder = "mod(t, " + std::to_string(p) + ")";
  const double T = 10.0 * p + 0.3;
  const double n = std::floor(T / p);
  const double truth = n * p * p / 2.0 + (T - n * p) * (T - n * p) / 2.0;
  const std::string law = *rc::gen::element<std::string>("abs(", "max(0, ", "-min(0, -", "max(-7, ");
  RC_ASSERT(std::abs(speed_after(law + remainder + ")", T) - truth) < 1e-9);
}

TEST(Pieces, StairsInTheStateAreClimbedAndDescended) {
  // z' = 1 + floor(z): speed n + 1 on [n, n + 1), one unit in 1/(n + 1).
  const std::string up = "[mechanics]\nstates = [\"z\"]\nrates = [\"1 + floor(z)\"]\n[initial]\nz = 0\n";
  EXPECT_CLOSE(Motion::of(up).until(1.0 + 0.5 + 1.0 / 3.0 + 0.125).end.x[0], 3.5, integration(1e-9, 10.0));
  const std::string down = "[mechanics]\nstates = [\"z\"]\nrates = [\"round(z) - 6\"]\n[initial]\nz = 4\n";
  // round(z) = 4 down to 3.5 at speed 2, then 3 at speed 3 to 2.5, then 2 at speed 4.
  EXPECT_CLOSE(Motion::of(down).until(0.25 + 1.0 / 3.0 + 0.125).end.x[0], 2.0, integration(1e-9, 10.0));
}

TEST(Pieces, APulseWidthIsKeptOverManyPeriods) {
  // 0.3 of every period.
  EXPECT_CLOSE(speed_after("if(mod(t, 1) < 0.3, 1, 0)", 100.5), 30.3, integration(1e-9, 1.0));
  EXPECT_CLOSE(speed_after("if(mod(t, 1) > 0.3, 1, 0)", 100.5), 70.2, integration(1e-9, 1.0));
  EXPECT_CLOSE(speed_after("if(mod(floor(t), 2) < 1, 1, -1)", 101.0), 1.0, integration(1e-9, 100.0));
}

TEST(Pieces, AComparisonWithASawtoothSwitchesTwiceAPeriod) {
  // With the forcing period of the ramp itself, so that time is counted within it.
  const std::string text =
      "[mechanics]\nstates = [\"z\"]\nrates = [\"if(z > mod(t, 1), -1, 0.5)\"]\n[forcing]\nperiod = "
      "\"1\"\n[initial]\nz = 0.4\n";
  const FlowResult result = Motion::of(text).until(3.0);
  // 0.4 − t meets t at 0.2; then 0.2 + 0.5(t − 0.2) ends at 0.6; from t = 1 again: 0.6 − s meets s at 0.3, ends at 0.65;
  // 0.325, ends at 0.6625.
  EXPECT_CLOSE(result.end.x[0], 0.325 + 0.5 * 0.675, integration(1e-9, 10.0));
}

TEST(Pieces, ABuckConverterWithASawtoothRunsAsAProgramOfItsOwnSays) {
  const std::string text = R"toml([mechanics]
states = ["v", "i"]
rates = ["i/47e-6 - v/(22*47e-6)", "(if(8.4*(v - 11.3) < 3.8 + 4.4*mod(t, 400e-6)/400e-6, 20, 0) - v)/20e-3"]
[forcing]
period = "400e-6"
[initial]
v = 12
i = 0.55
)toml";
  const FlowResult result = Motion::of(text).until(0.008);
  // Classical Runge-Kutta steps of 1e-6 within each period, switching instants by bisection.
  EXPECT_NEAR(result.end.x[0], 11.829094075, 1e-7);
  EXPECT_NEAR(result.end.x[1], 0.592929495, 1e-8);
}

TEST(Pieces, ATriangleHasItsKinks) {
  // ∫₀^T of the triangle of height π and period 2π, T = 5π + 1.
  const double pi = std::numbers::pi;
  EXPECT_CLOSE(speed_after("acos(cos(t))", 5.0 * pi + 1.0), 5.0 * pi * pi / 2.0 + pi - 0.5, integration(1e-9, 1.0));
  EXPECT_CLOSE(speed_after("asin(sin(t))", 0.5 * pi + 1.0), pi * pi / 8.0 + pi / 2.0 - 0.5, integration(1e-9, 1.0));
  EXPECT_CLOSE(speed_after("sqrt(1 - cos(t)^2)", 3.0 * pi), 6.0, integration(1e-9, 1.0));
}

const std::string hertz = R"toml([parameters]
k = 100
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-1 + k*max(-x, 0)^1.5"]
[initial]
x = 0.5
)toml";

TEST(Pieces, ABallOnAHertzSpringComesBackAfterItsPeriod) {
  // 2 sqrt(2·0.5) in the air and the contact time, by quadrature.
  const FlowResult result = Motion::of(hertz).until(2.539953134);
  EXPECT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(result.end.x[0], 0.5, 1e-8);
  EXPECT_NEAR(result.end.x[1], 0.0, 2e-9);  // the period is printed to nine digits
  const FlowResult late = Motion::of(hertz).until(100.0);
  const double x = late.end.x[0];
  const double v = late.end.x[1];
  EXPECT_NEAR(v * v / 2.0 + x + (x < 0.0 ? 40.0 * std::pow(-x, 2.5) : 0.0), 0.5, 1e-7);
}

TEST(Pieces, TheTangentThroughAHertzSpringIsThatOfDifferences) {
  test::expect_tangent(Motion::of(hertz, {.varied = {"k"}, .options = test::tight()}), 2.2);
}

TEST(Pieces, ARootOfASizeIsPassed) {
  // z' = −sqrt|z| − 1 from 1: with u = sqrt z, time to 0 is ∫ 2u du/(1 + u) = 2(1 − ln 2); below, u' = … the same law rising:
  // z' = −(1 + u), z = −u²: 2u u' = 1 + u, time to u = 1 again 2(1 − ln 2).
  const std::string text = "[mechanics]\nstates = [\"z\"]\nrates = [\"-sqrt(abs(z)) - 1\"]\n[initial]\nz = 1\n";
  const FlowResult result = Motion::of(text).until(4.0 * (1.0 - std::numbers::ln2));
  EXPECT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(result.end.x[0], -1.0, 1e-7);
}

TEST(Pieces, SurfacesThatDifferByANumberInFrontAreOne) {
  const Motion motion = Motion::of(mass_under("-sign(x') - 2*sign(x'*1) - 0.5*sign(2*x') - x", "x = 10"));
  EXPECT_EQ(motion.layout().switches, 1U);
  const FlowResult result = motion.until(10.0);
  EXPECT_CLOSE(result.end.x[0], -3.0, integration(1e-9, 1.0));  // 10 → −3 about the centre 3.5, and there it sticks
}

}  // namespace
}  // namespace saltus
