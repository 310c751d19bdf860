// Switches that accumulate, and motions that are held where several switching surfaces meet.

#include "saltus/flow/accumulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

const int seeded_accumulations = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

FlowOptions by(FlowMethod method) {
  FlowOptions options;
  options.method = method;
  return options;
}

std::vector<Event> accumulations_of(const FlowResult& result) {
  std::vector<Event> found;
  for (const Event& event : result.events)
    if (event.kind == EventKind::accumulation) found.push_back(event);
  return found;
}

/// Runs a model by both methods: it must come to rest at zero, once, at t* and with the ratio.
void expect_rest(const std::string& text, double T, double limit, double ratio) {
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    const FlowResult result = Motion::of(text, {.options = by(method)}).until(T);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << name_of(result.outcome);
    EXPECT_EQ(result.end.t.phase, T);
    EXPECT_LE(largest(result.end.x), 1e-12);
    const auto found = accumulations_of(result);
    ASSERT_EQ(found.size(), 1u);
    // Measured: 2e-12.
    EXPECT_NEAR(found[0].t, limit, 1e-9);
    EXPECT_NEAR(found[0].ratio, ratio, 1e-3);
    EXPECT_EQ(found[0].switches.size(), 2u);
    EXPECT_TRUE(result.end.mode.any_held());
  }
}

// The twisting controller, x″ = −G sign x − βG sign x′: with a = G(1 + β), b = G(1 − β) every half turn takes √(b/a) of the one
// before, and the sums of the times are geometric series.
TEST(Accumulation, ATwistingMassComesToRestWhenTheGeometricSeriesEnds) {
  const double a = 13.0;
  const double b = 7.0;
  // From x = 10, v = 10 up to the turn at x₀ by a, then quarter turns down by b and up by a.
  const double top = 10.0 + 100.0 / (2.0 * a);
  const double down = std::sqrt(2.0 * top / b);
  const double speed = b * down;
  const double half = speed / a;  // up to the turn on the other side
  const double q = std::sqrt(b / a);
  const double limit = 10.0 / a + (down + half) / (1.0 - q);
  EXPECT_NEAR(limit, 12.2642087646539269, 1e-13);  // by 30 digits
  expect_rest(R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-10*sign(x) - 3*sign(x')"]
[initial]
x = 10
"x'" = 10
)toml",
              40.0, limit, b / a);
}

TEST(Accumulation, TwoRelaysSpiralIntoTheCornerOfTheirSurfaces) {
  expect_rest(R"toml(
[parameters]
c = 25
[mechanics]
states = ["x", "y"]
rates = ["-2*sign(x) + 2*(1+c)*sign(y)", "-2*(1+c)*sign(x) - 2*sign(y)"]
[initial]
x = 3
y = 3
)toml",
              2.0, 1.5, std::pow(50.0 / 54.0, 4));
}

// Fuller's problem: the switching function is piecewise itself, and its sides enter its second derivative at the limit.
TEST(Accumulation, FullersMotionRestsAtTheOrigin) {
  const FlowResult result = Motion::of(R"toml(
[mechanics]
states = ["u", "v"]
rates = ["v", "-sign(u + 0.4446*v*abs(v))"]
[initial]
u = 1
)toml")
                                .until(5.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_LE(largest(result.end.x), 1e-12);
  ASSERT_EQ(accumulations_of(result).size(), 1u);
  EXPECT_NEAR(accumulations_of(result)[0].t, 2.7154237317, 1e-9);
}

TEST(Accumulation, PreloadAndDryFrictionHoldAMassUntilAForceLargerThanBothTakesItAway) {
  const std::string text = R"toml(
[parameters]
f = 0
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - sign(x) - 0.3*sign(x') + f*t"]
[initial]
x = 1
)toml";
  const FlowResult rest = Motion::of(text).until(40.0);
  ASSERT_EQ(rest.outcome, Outcome::reached_end);
  EXPECT_LE(largest(rest.end.x), 1e-12);
  EXPECT_EQ(accumulations_of(rest).size(), 1u);
  // Pulled by f t it is let go when f t = 1.3.
  const Motion pulled = Motion::of(text, {.set = {{"f", "0.05"}}, .options = tight()});
  const FlowResult freed = pulled.until(30.0);
  ASSERT_EQ(freed.outcome, Outcome::reached_end);
  double left = 0.0;
  for (const Event& event : freed.events)
    if (event.kind == EventKind::filippov_end) left = event.t;
  EXPECT_NEAR(left, 26.0, 1e-8);
  // From there x″ = −x + f (t − 26): x = f (τ − sin τ).
  EXPECT_NEAR(freed.end.x[0], 0.05 * (4.0 - std::sin(4.0)), 1e-8);
  EXPECT_NEAR(freed.end.x[1], 0.05 * (1.0 - std::cos(4.0)), 1e-8);
}

/// u′ = −a sign u + b sign v, v′ = −b sign u − c sign v, z′ = 1 + k sign u. |u| + |v| falls by a + c per unit of time, so that the
/// corner is reached at t* = (|u₀| + |v₀|)/(a + c), and ∫ sign u dt = (c u₀ + b v₀)/(a c + b²).
struct Relays {
  double a, b, c, k, u, v;
  std::string text() const {
    return fmt::format(
        "[mechanics]\nstates = [\"u\", \"v\", \"z\"]\n"
        "rates = [\"-{0}*sign(u) + {1}*sign(v)\", \"-{1}*sign(u) - {2}*sign(v)\", \"1 + {3}*sign(u)\"]\n"
        "[initial]\nu = {4}\nv = {5}\n",
        a, b, c, k, u, v);
  }
  double limit() const { return (std::abs(u) + std::abs(v)) / (a + c); }
  double ratio() const { return std::pow((b - a) * (b - c) / ((b + a) * (b + c)), 2); }  // of whole turns
};

// z′ = 1 + k sign u: the constant is the same in both halves of a round, the sign is mirrored; with k = ±1 z stands still in one of them.
TEST(Accumulation, WhatIsNeitherMirroredNorTheSameInBothHalvesGoesOnByWholeRounds) {
  for (const double k : {-2.0, 1.0, -1.0, 0.5}) {
    const Relays relays{0.53, 2.45, 1.95, k, -2.995, -2.995};
    const double T = relays.limit() + 1.0;
    const double area = relays.a * relays.c + relays.b * relays.b;
    const double z = T + relays.k * (relays.c * relays.u + relays.b * relays.v) / area;
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
      const FlowResult result = Motion::of(relays.text(), {.options = by(method)}).until(T, Carries::state_and_tangent);
      ASSERT_EQ(result.outcome, Outcome::reached_end);
      EXPECT_NEAR(result.end.x[2], z, 1e-9) << k;  // 1e-6 off where halves are taken for one law
      EXPECT_NEAR(result.end.tangent(2, 0), relays.k * relays.c / area, 1e-6) << k;
      EXPECT_NEAR(result.end.tangent(2, 1), relays.k * relays.b / area, 1e-6) << k;
    }
  }
}

RC_GTEST_PROP(Accumulation, RandomRelaysReachTheirCornerWithTheTangentOfTheClosedForm, ()) {
  const auto some = [](int low, int high) { return 0.01 * *rc::gen::inRange(low, high); };
  Relays relays{some(50, 300), 0.0, some(50, 300), some(-200, 200), some(-300, 300) + 0.005, some(-300, 300) + 0.005};
  relays.b = std::max(relays.a, relays.c) + some(50, 1500);
  RC_LOG() << relays.text();
  const double T = relays.limit() + 1.0;
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    const Motion motion = Motion::of(relays.text(), {.options = by(method)});
    const FlowResult result = motion.until(T, Carries::state_and_tangent);
    RC_ASSERT(result.outcome == Outcome::reached_end);
    const auto found = accumulations_of(result);
    RC_ASSERT(found.size() == 1u);
    RC_ASSERT(std::abs(found[0].t - relays.limit()) < 1e-9);
    RC_ASSERT(std::abs(found[0].ratio - relays.ratio()) < 1e-2);
    const double area = relays.a * relays.c + relays.b * relays.b;
    const double z = T + relays.k * (relays.c * relays.u + relays.b * relays.v) / area;
    RC_ASSERT(std::abs(result.end.x[0]) + std::abs(result.end.x[1]) < 1e-12);
    RC_ASSERT(std::abs(result.end.x[2] - z) < 1e-7);
    // u and v have forgotten where they came from; z has not.
    const Matrix& X = result.end.tangent;
    RC_ASSERT(largest(X.topRows(2)) == 0.0);
    RC_ASSERT(std::abs(X(2, 0) - relays.k * relays.c / area) < 1e-6);
    RC_ASSERT(std::abs(X(2, 1) - relays.k * relays.b / area) < 1e-6);
    RC_ASSERT(std::abs(X(2, 2) - 1.0) < 1e-9);
  }
}

TEST(Accumulation, TheLimitOfIntervalsThatShrinkGeometricallyIsTheSumOfTheirSeries) {
  SwitchHistory history;
  double t = 0.0;
  double step = 1.0;
  for (int j = 0; j < 70; ++j, t += step, step *= 0.8)
    history.note({t, static_cast<std::size_t>(j % 2), SwitchState::plus});
  EXPECT_TRUE(history.shrinks());
  ASSERT_TRUE(history.limit());
  EXPECT_NEAR(history.limit()->t, 5.0, 1e-12);
}

// Where the relays meet, the mean of sign u sign v is not determined by u′ = v′ = 0: nobody knows how z goes on.
TEST(Accumulation, WhereTheForceThatHoldsIsNotTheOnlyOneTheRunEndsAndSaysSo) {
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    const FlowResult result = Motion::of(R"toml(
[mechanics]
states = ["u", "v", "z"]
rates = ["-sign(u) + 2*sign(v)", "-2*sign(u) - sign(v)", "sign(u)*sign(v)"]
[initial]
u = 1
v = 0.3
)toml",
                                         {.options = by(method)})
                                  .until(5.0);
    EXPECT_EQ(result.outcome, Outcome::accumulation_unknown);
    EXPECT_EQ(result.switches, (std::vector<std::size_t>{0, 1}));
    ASSERT_TRUE(std::holds_alternative<Rounds>(result.details)) << name_of(result.outcome);
    EXPECT_NEAR(std::get<Rounds>(result.details).ratio, 0.0123457, 5e-8);
    EXPECT_NEAR(std::get<Rounds>(result.details).end, 0.65, 1e-6);
    EXPECT_NEAR(result.end.t.phase, 0.65, 1e-6);
  }
}

// z′ = 1 + x² − v̇ remembers the whole way: its derivatives by the start and by β, which moves ratio and limit, against differences.
TEST(Accumulation, TheTangentThroughTheLimitIsThatOfDifferences) {
  const Motion motion = Motion::of(R"toml(
[parameters]
beta = 0.3
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-10*sign(x) - 10*beta*sign(x')"]
states = ["z"]
rates = ["1 + x^2 + 10*sign(x) + 10*beta*sign(x')"]
[initial]
x = 1
"x'" = 1
)toml",
                                   {.varied = {"beta"}, .options = tight()});
  const double T = 8.0;
  const FlowResult result = motion.until(T, Carries::state_and_tangent);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  ASSERT_EQ(accumulations_of(result).size(), 1u);
  const Matrix& X = result.end.tangent;
  EXPECT_LE(largest(X.topRows(2)), 1e-12);  // x and v rest, whatever they began with
  for (Eigen::Index j = 0; j < 4; ++j) {
    const auto z = [&](double h) {
      const Vector dx = j < 3 ? Vector(Vector::Unit(3, j) * h) : Vector(Vector::Zero(3));
      return motion.until(T, dx, 0, j < 3 ? 0.0 : h).end.x[2];
    };
    const double h = 1e-3;
    const double difference = (8.0 * (z(h) - z(-h)) - (z(2.0 * h) - z(-2.0 * h))) / (12.0 * h);
    EXPECT_NEAR(X(2, j), difference, 1e-6 * (1.0 + std::abs(difference))) << "column " << j;
  }
}

TEST(Accumulation, AnEvenBeatDoesNotAccumulate) {
  SwitchHistory history;
  for (int j = 0; j < 500; ++j) history.note({0.1 * j, static_cast<std::size_t>(j % 3), SwitchState::plus});
  EXPECT_FALSE(history.shrinks());
  EXPECT_FALSE(history.limit());
  EXPECT_FALSE(history.stuck());
}

TEST(Accumulation, SwitchesWithoutEndInNoTimeAreStuck) {
  SwitchHistory history;
  for (int j = 0; j < 100; ++j) history.note({1.0, static_cast<std::size_t>(j % 7), static_cast<SwitchState>(j % 5)});
  EXPECT_TRUE(history.stuck());
}

}  // namespace
}  // namespace saltus::test
