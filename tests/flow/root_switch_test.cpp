// Forces with a root of a switching function, as −√|x| sign x: infinite slopes on the surface, in the motion, its tangent and at limits.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

const int seeded_roots = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

/// x′ = −k₁ √|x| sign x + w, w′ = −k₂ sign x. With ζ = (√|x| sign x, w) and dσ = dt/√|x| the motion is linear:
///   dζ/dσ = [[−k₁/2, ½], [−k₂, 0]] ζ,   and   dw = −k₂ sign x dt
/// makes every piece last |Δw|/k₂. Half a turn multiplies w by −ρ, ρ = exp(−π k₁/(4ω)), ω² = k₂/2 − k₁²/16.
struct SuperTwisting {
  double k1, k2, x, w;

  double omega() const { return std::sqrt(k2 / 2.0 - k1 * k1 / 16.0); }
  double rho() const { return std::exp(-std::numbers::pi * k1 / (4.0 * omega())); }
  struct FirstSwitch {
    double t, w;
  };
  FirstSwitch first_switch() const {
    const double root = std::copysign(std::sqrt(std::abs(x)), x);
    const double decay = -k1 / 4.0;
    const double sine = ((w - k1 * root) / 2.0 - decay * root) / omega();
    double turn = std::atan2(root, -sine);
    if (turn <= 0.0) turn += std::numbers::pi;
    const double sine_of_w = (-k2 * root - decay * w) / omega();
    const double there = std::exp(decay * turn / omega()) * (w * std::cos(turn) + sine_of_w * std::sin(turn));
    return {std::abs(there - w) / k2, there};
  }
  double limit() const {
    const FirstSwitch first = first_switch();
    return first.t + std::abs(first.w) * (1.0 + rho()) / (1.0 - rho()) / k2;
  }
  std::string text() const {
    return fmt::format(
        "[parameters]\nk1 = {}\nk2 = {}\n[mechanics]\nstates = [\"x\", \"w\", \"y\"]\n"
        "rates = [\"-k1*sqrt(abs(x))*sign(x) + w\", \"-k2*sign(x)\", \"1 + x\"]\n[initial]\nx = {}\nw = {}\n",
        k1, k2, x, w);
  }
};

std::vector<Event> limits_of(const FlowResult& result) {
  std::vector<Event> found;
  for (const Event& event : result.events)
    if (event.kind == EventKind::accumulation) found.push_back(event);
  return found;
}

/// ∂(end)/∂(start, parameters) by differences of fourth order.
Matrix differences_of_ends(const Motion& motion, double T, double h) {
  const Eigen::Index N = motion.start().size();
  const auto varied = static_cast<Eigen::Index>(motion.varied().size());
  Matrix D(N, N + varied);
  for (Eigen::Index j = 0; j < N + varied; ++j) {
    const auto end = [&](double by) {
      const Vector dx = j < N ? Vector(Vector::Unit(N, j) * by) : Vector(Vector::Zero(N));
      return motion.until(T, dx, static_cast<std::size_t>(std::max<Eigen::Index>(j - N, 0)), j < N ? 0.0 : by).end.x;
    };
    D.col(j) = (8.0 * (end(h) - end(-h)) - (end(2.0 * h) - end(-2.0 * h))) / (12.0 * h);
  }
  return D;
}

TEST(RootSwitch, SuperTwistingRestsFromTheClosedFormInstantOn) {
  const SuperTwisting of{1.5, 1.1, 1.0, 1.0};
  EXPECT_NEAR(of.limit(), 1.911227994404, 1e-12);
  const FlowResult result = Motion::of(of.text()).until(3.0, Carries::state_and_tangent);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  const auto found = limits_of(result);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].t, of.limit(), 1e-9);
  EXPECT_NEAR(found[0].ratio, of.rho() * of.rho(), 1e-4);
  EXPECT_LE(largest(result.end.x.head(2)), 1e-12);
  // Rest forgets where it came from.
  EXPECT_LE(largest(result.end.tangent.topRows(2)), 1e-12);
}

RC_GTEST_PROP(RootSwitch, RandomSuperTwistingRestsFromTheClosedFormInstantOn, ()) {
  const auto some = [](int low, int high) { return 0.01 * *rc::gen::inRange(low, high); };
  SuperTwisting of{some(30, 300), some(50, 300), some(20, 200), some(-200, 200) + 0.005};
  // From 0.99 to 1e-4 of a half turn to the one before.
  RC_PRE(of.k1 * of.k1 < 5.0 * of.k2);
  if (*rc::gen::arbitrary<bool>()) of.x = -of.x;
  RC_LOG() << of.text();
  const FlowResult result = Motion::of(of.text(), {.options = tight()}).until(of.limit() + 1.0);
  RC_ASSERT(result.outcome == Outcome::reached_end);
  const auto found = limits_of(result);
  RC_ASSERT(found.size() == 1u);
  RC_ASSERT(std::abs(found[0].t - of.limit()) < 1e-9 * (1.0 + of.limit()));
  RC_ASSERT(largest(result.end.x.head(2)) < 1e-12);
}

TEST(RootSwitch, TheTangentThroughASwitchWithARootIsThatOfDifferences) {
  // Between the first switch, at 1.33, and the second, at 1.82.
  const Motion motion =
      Motion::of(SuperTwisting{1.5, 1.1, 1.0, 1.0}.text(), {.varied = {"k1", "k2"}, .options = tight()});
  const FlowResult result = motion.until(1.6, Carries::state_and_tangent);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  const Matrix D = differences_of_ends(motion, 1.6, 1e-3);
  EXPECT_LE(largest(result.end.tangent - D), 1e-7 * largest(D)) << "X\n" << result.end.tangent << "\nD\n" << D;
}

/// x′ = −a √|u| sign u + w beside x″ = −a ∛|u| sign u, u = x − 0.3 sin t: surfaces that move, of states and of coordinates.
TEST(RootSwitch, SoIsThatOfARootOfAMovingSurfaceAndOfACubicOne) {
  const std::string first = R"toml(
[parameters]
a = 1.5
[mechanics]
states = ["x", "w"]
rates = ["-a*sqrt(abs(x - 0.3*sin(t)))*sign(x - 0.3*sin(t)) + w", "-1.1*sign(x - 0.3*sin(t))"]
[initial]
x = 1
w = 1
)toml";
  const std::string second = R"toml(
[parameters]
a = 1.5
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-a*abs(x - 0.3*sin(t))^(1/3)*sign(x - 0.3*sin(t))"]
[initial]
x = 1
)toml";
  for (const std::string& text : {first, second}) {
    const Motion motion = Motion::of(text, {.varied = {"a"}, .options = tight()});
    const FlowResult result = motion.until(1.5, Carries::state_and_tangent);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << text;
    ASSERT_EQ(result.events.size(), 1u) << text;
    const Matrix D = differences_of_ends(motion, 1.5, 1e-3);
    EXPECT_LE(largest(result.end.tangent - D), 1e-6 * largest(D)) << text << "X\n"
                                                                  << result.end.tangent << "\nD\n"
                                                                  << D;
  }
}

TEST(RootSwitch, WhatRemembersTheWayHasTheTangentOfDifferencesBehindTheLimit) {
  const Motion motion =
      Motion::of(SuperTwisting{1.5, 1.1, 1.0, 1.0}.text(), {.varied = {"k1", "k2"}, .options = tight()});
  const FlowResult result = motion.until(3.0, Carries::state_and_tangent);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  const Matrix D = differences_of_ends(motion, 3.0, 1e-3);
  EXPECT_LE(largest(result.end.tangent - D), 1e-6 * largest(D)) << "X\n" << result.end.tangent << "\nD\n" << D;
}

TEST(RootSwitch, ADisturbanceIsHeldOffUntilTheRelayIsTooWeak) {
  // w′ = −1.1 sign x + t/10: held at x = w = 0 until t = 11; behind it x′ = −1.5 √x + w, w′ = −1.1 + t/10.
  const Motion motion = Motion::of(R"toml(
[mechanics]
states = ["x", "w"]
rates = ["-1.5*sqrt(abs(x))*sign(x) + w", "-1.1*sign(x) + 0.1*t"]
[initial]
x = 1
w = 1
)toml");
  const FlowResult result = motion.until(12.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  ASSERT_EQ(limits_of(result).size(), 1u);
  double left = 0.0;
  for (const Event& event : result.events)
    if (event.kind == EventKind::filippov_end) left = event.t;
  EXPECT_NEAR(left, 11.0, 1e-7);
  EXPECT_NEAR(result.end.x[1], 0.05, 1e-7);  // (t − 11)²/20
  EXPECT_GT(result.end.x[0], 0.0);
}

/// x′ = −a |s|^r sign s + ċ, s = x − c(t), rests on s = 0 from t* = |s₀|^(1−r)/(a (1 − r)) on; y′ = 1 + s remembers the way:
///   y = t + s₀ |s₀|^(1−r)/(a (2 − r)).
std::string law_of_rest(const std::string& s, const std::string& rate, double r, double a, double x) {
  return fmt::format(
      "[parameters]\nr = {0}\na = {1}\n[mechanics]\nstates = [\"x\", \"y\"]\n"
      "rates = [\"-a*sign({2})*abs({2})^r{3}\", \"1 + {2}\"]\n[initial]\nx = {4}\n",
      r, a, s, rate, x);
}

TEST(RootSwitch, AMotionComesToRestOnARootAtTheClosedFormInstantAndStays) {
  for (const double r : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9})
    for (const double x : {1.0, -0.3}) {
      const double a = 0.7;
      const Motion motion = Motion::of(law_of_rest("x", "", r, a, x), {.varied = {"a"}});
      const double arrival = std::pow(std::abs(x), 1.0 - r) / (a * (1.0 - r));
      const double T = arrival + 5.0;
      const FlowResult result = motion.until(T, Carries::state_and_tangent);
      ASSERT_EQ(result.outcome, Outcome::reached_end) << r;
      ASSERT_EQ(result.events.size(), 1u) << r;
      EXPECT_EQ(result.events[0].kind, EventKind::filippov_start) << r;
      EXPECT_NEAR(result.events[0].t, arrival, 1e-8 * arrival) << r;
      EXPECT_EQ(result.end.x[0], 0.0) << r;
      const double way = x * std::pow(std::abs(x), 1.0 - r) / (2.0 - r);
      EXPECT_NEAR(result.end.x[1], T + way / a, 1e-8) << r;
      // The rest forgets where it came from, y does not.
      EXPECT_LE(largest(result.end.tangent.row(0)), 1e-12) << r;
      EXPECT_NEAR(result.end.tangent(1, 0), std::pow(std::abs(x), 1.0 - r) / a, 1e-6) << r;
      EXPECT_NEAR(result.end.tangent(1, 2), -way / (a * a), 1e-6) << r;
    }
}

TEST(RootSwitch, ARestOnAMovingSurfaceMovesWithIt) {
  for (const double r : {0.2, 0.5, 0.8}) {
    const FlowResult result = Motion::of(law_of_rest("(x - sin(t))", " + cos(t)", r, 1.0, 0.5)).until(9.0);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << r;
    EXPECT_NEAR(result.end.x[0], std::sin(9.0), 1e-9) << r;
    EXPECT_NEAR(result.end.x[1], 9.0 + std::pow(0.5, 2.0 - r) / (2.0 - r), 1e-7) << r;
  }
}

// A tank runs empty at t = 4 and is filled again from t = 6 on: u = √h then obeys t − 6 = −4u − 2.4 ln(1 − u/0.6).
TEST(RootSwitch, AnEmptyTankStaysEmptyUntilItIsFilledAgain) {
  const FlowResult result = Motion::of(R"toml(
[mechanics]
states = ["h"]
rates = ["-0.5*sqrt(max(h, 0)) + if(t > 6, 0.3, 0)"]
[initial]
h = 1
)toml")
                                .until(8.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  const double u = std::sqrt(result.end.x[0]);
  EXPECT_NEAR(-4.0 * u - 2.4 * std::log(1.0 - u / 0.6), 2.0, 1e-8);
  EXPECT_NEAR(result.events.front().t, 4.0, 1e-8);
}

// x′ = −√|x| may stay at 0 or go on below it, whenever it likes.
TEST(RootSwitch, ARootThatIsLeftOnTheOtherSideIsNoRest) {
  const FlowResult result =
      Motion::of("[mechanics]\nstates = [\"x\"]\nrates = [\"-sqrt(abs(x))\"]\n[initial]\nx = 1\n").until(5.0);
  EXPECT_NE(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(result.end.t.phase, 2.0, 4e-6);
}

}  // namespace
}  // namespace saltus::test
