// On which side of its switches a motion begins, goes on after an event, and goes on after a restart.

#include "saltus/flow/switch_sides.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

using std::numbers::pi;

const int seeded_sides = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

std::string mass_under(const std::string& force, const std::string& rest = "") {
  return "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"" + force + "\"]\n" + rest;
}

/// Piecewise linear models: what is said of one road is said of the other.
class Side : public OnEveryRoad {};
class SwitchingFunction : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Side, every_road, name_of_road);
INSTANTIATE_TEST_SUITE_P(Roads, SwitchingFunction, every_road, name_of_road);

// ---- beginning ----------------------------------------------------------------------------------------------------------

// It is held, which the closed form leaves to steps.
TEST(HeldSide, OfAMassAtRestInAValleyIsNone) {
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    FlowOptions options;
    options.method = method;
    const FlowResult result = Motion::of(mass_under("-sign(x)"), {.options = options}).until(5.0);
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    EXPECT_LE(largest(result.end.x), 1e-12);
    EXPECT_EQ(count_of(result, EventKind::filippov_start), 1u);
  }
}

TEST_P(Side, OfAMassOnAHillIsOneOfBoth) {
  const FlowResult result = of(mass_under("sign(x)")).until(1.0);
  EXPECT_NEAR(std::abs(result.end.x[0]), 0.5, 1e-12);
}

// It is pressed into the spring by a constant force: x = −(1 − cos ωt)/ω².
TEST_P(Side, OfAMassThatRestsAtAnElasticStopIsWhereTheForcePushesIt) {
  const FlowResult result = of(mass_under("-1 - if(x < 0, 100*x, 0)")).until(2.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(result.end.x[0], -(1.0 - std::cos(20.0)) / 100.0, 1e-9);
}

// All derivatives up to the third vanish: x = t³/6 on the upper side, where the force is not doubled.
TEST_P(Side, IsDecidedByTheFirstDerivativeThatDoesNotVanish) {
  const FlowResult up = of(mass_under("if(x > 0, t, 2*t)")).until(1.0);
  EXPECT_NEAR(up.end.x[0], 1.0 / 6.0, 1e-10);
  const FlowResult down = of(mass_under("-if(x > 0, t, 2*t)")).until(1.0);
  EXPECT_NEAR(down.end.x[0], -1.0 / 3.0, 1e-10);
}

TEST_P(Side, OfAFunctionOfTimeIsThatOfTheNextInstant) {
  // x″ = −sign(sin t) from t = 0: x′ = −t up to π, whatever multiple of the period it is.
  for (const long cycles : {0L, 1L, 7L}) {
    const Motion motion = of(mass_under("-sign(sin(t))", "[forcing]\nperiod = \"2*pi\"\n"));
    const FlowResult result = motion.flow_from({cycles, 0.0}, Vector::Zero(2), {cycles, 2.0});
    EXPECT_NEAR(result.end.x[1], -2.0, 1e-11);
    const FlowResult later = motion.flow_from({cycles, pi}, Vector::Zero(2), {cycles, 4.0});
    EXPECT_NEAR(later.end.x[1], 4.0 - pi, 1e-11);
  }
}

TEST_P(Side, OfCoincidentSwitchesIsCommon) {
  // Total friction 3.5 against a spring: half turns about ±3.5, at rest at −3 after the first.
  const FlowResult result =
      of(mass_under("-sign(x') - 2*sign(x'*1) - 0.5*sign(2*x') - x", "[initial]\nx = 10\n")).until(10.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(result.end.x[0], -3.0, 1e-9);
  EXPECT_EQ(result.end.x[1], 0.0);
}

// ---- functions that jump ------------------------------------------------------------------------------------------------

constexpr const char* belt = R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - 1.5*sign(x' - 0.5*sign(sin(t)))"]
[forcing]
period = "2*pi"
[initial]
x = 0.2
)toml";

TEST_P(SwitchingFunction, OfAReversingBeltJumpsWithTheBelt) {
  const Motion motion = of(belt);
  EXPECT_NEAR(motion.until(2.5).end.x[0], 1.3526, 5e-5);
  // Carried on to 10 in one piece or in pieces that end where the belt turns.
  const FlowResult whole = motion.flow_from({}, motion.start(), {1, 10.0 - 2.0 * pi});
  EXPECT_NEAR(whole.end.x[0], 1.3110, 5e-5);
  FlowResult part = motion.flow_from({}, motion.start(), {0, pi});
  for (const Time& end : {Time{1, 0.0}, Time{1, pi}, Time{1, 10.0 - 2.0 * pi}}) {
    FlowRun run = motion.run_from(part.end.t, part.end.x, end, Carries::state);
    run.start = part.end;
    if (run.end.cycles == run.start.t.cycles && run.end.phase <= run.start.t.phase) continue;
    part = flow(motion.kernels(), motion.options, run);
  }
  EXPECT_NEAR(part.end.x[0], whole.end.x[0], 1e-8);
}

// Up to 1 at t = 0.75, held there, from π on down to −1, held there, and so on; samples tell the same.
TEST_P(SwitchingFunction, OfARelayWhoseSetPointJumpsIsFollowedThroughEverySide) {
  const Motion motion = of(R"toml(
[define]
set = "if(sin(t) > 0, 1, -1)"
[mechanics]
states = ["x"]
rates = ["if(x < set, 1, -1)"]
[forcing]
period = "2*pi"
[initial]
x = 0.25
)toml");
  const auto truth = [](double t) {
    if (t < pi) return std::min(0.25 + t, 1.0);
    const double since = std::fmod(t, pi);
    return std::fmod(t, 2.0 * pi) < pi ? std::min(-1.0 + since, 1.0) : std::max(1.0 - since, -1.0);
  };
  FlowRun run = motion.run_from({}, motion.start(), {2, 15.5 - 4.0 * pi}, Carries::state);
  for (int i = 1; i < 60; ++i) {
    const double t = 0.25 * i;
    const long cycles = static_cast<long>(t / (2.0 * pi));
    run.samples.push_back({cycles, t - 2.0 * pi * static_cast<double>(cycles)});
  }
  const FlowResult result = flow(motion.kernels(), motion.options, run);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(result.end.x[0], 1.0, 1e-9);
  for (const Sample& sample : result.samples) EXPECT_NEAR(sample.x[0], truth(sample.t), 1e-9) << "t = " << sample.t;
}

TEST_P(SwitchingFunction, OfAWindowOpensAndClosesIt) {
  const FlowResult result = of(mass_under("if(abs(t - 2.5) < 0.1, 10, 0)")).until(5.0);
  EXPECT_NEAR(result.end.x[1], 2.0, 1e-10);
}

// ---- pieces -------------------------------------------------------------------------------------------------------------

/// In one piece and in pieces that end at the given times, each begun by the point that the last one left.
void expect_composition(const Motion& motion, const std::vector<Time>& ends, double within) {
  const FlowResult whole = motion.flow_from({}, motion.start(), ends.back(), Carries::state_and_tangent);
  FlowRun run = motion.run_from({}, motion.start(), ends.front(), Carries::state_and_tangent);
  std::size_t switches = 0;
  FlowResult part;
  for (const Time& end : ends) {
    run.end = end;
    part = flow(motion.kernels(), motion.options, run);
    RC_ASSERT(part.outcome == Outcome::reached_end);
    switches += count_of(part, EventKind::switched);
    run.start = part.end;
  }
  RC_ASSERT(switches == count_of(whole, EventKind::switched) || switches + 1 == count_of(whole, EventKind::switched));
  RC_ASSERT(largest(part.end.x - whole.end.x) < within * (1.0 + largest(whole.end.x)));
  RC_ASSERT(largest(part.end.tangent - whole.end.tangent) < within * (1.0 + largest(whole.end.tangent)));
}

class Bound : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Bound, testing::Values(Road{FlowMethod::exact, 1}), name_of_road);

// An integrator between bounds, as of a spring with a yield force: at its bound the motion rests on a surface, by rounding on either side
// of it, until the input turns. z follows ∫ y from turn to turn, cut at the bounds.
TEST_P(Bound, OfAnIntegratorIsLeftWhenItsInputTurns) {
  const bool held = rc::check("an integrator leaves its bounds", [&] {
    const auto between = [](double low, double high) {
      return low + (high - low) * 1e-6 * static_cast<double>(*rc::gen::inRange(0, 1'000'001));
    };
    const double a = between(0.5, 2.0);
    const double bounds[] = {between(0.1, 0.9) * a, between(0.1, 0.9) * a};
    const double T = between(1.0, 20.0);
    const auto rate = [](const std::string& z, double bound) {
      return fmt::format("if(({0} < {1} or y < 0) and ({0} > -{1} or y > 0), y, 0)", z, bound);
    };
    const FlowResult result =
        of(fmt::format("[mechanics]\nstates = [\"y\", \"z\", \"w\"]\nrates = [\"{}*cos(t)\", \"{}\", \"{}\"]\n"
                       "[forcing]\nperiod = \"2*pi\"\n",
                       a, rate("z", bounds[0]), rate("w", bounds[1])))
            .until(T);
    RC_LOG() << "a " << a << " bounds " << bounds[0] << " and " << bounds[1] << " T " << T;
    RC_ASSERT(result.outcome == Outcome::reached_end);
    RC_ASSERT(std::abs(result.end.x[0] - a * std::sin(T)) < 1e-8);
    for (Eigen::Index i = 0; i < 2; ++i) {
      double z = 0.0;
      double last = 0.0;
      for (double next = pi; last < T; last = std::min(next, T), next += pi)
        z = std::clamp(z + a * (std::cos(last) - std::cos(std::min(next, T))), -bounds[i], bounds[i]);
      RC_ASSERT(std::abs(result.end.x[1 + i] - z) < 1e-8);
    }
  });
  ASSERT_TRUE(held);
}

RC_GTEST_PROP(Restart, OnASwitchingInstantIsNoOtherMotion, ()) {
  const int quarter = *rc::gen::inRange(1, 4);
  const double om = 0.1 * *rc::gen::inRange(5, 30);
  const double period = 2.0 * pi / om;
  // sign(sin) switches at whole and half periods, which are among the ends of the pieces.
  std::vector<Time> ends;
  for (int j = quarter; j < 12; j += quarter) ends.push_back({j / 4, static_cast<double>(j % 4) / 4.0 * period});
  ends.push_back({3, 0.3 * period});
  const std::string linear = fmt::format(
      "[parameters]\nom = {}\n[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\n"
      "force = [\"-2*sign(sin(om*t)) - 0.2*x' - x\"]\n[forcing]\nperiod = \"2*pi/om\"\n[initial]\nx = 0.5\n",
      om);
  RC_LOG() << linear << "quarter " << quarter;
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    FlowOptions options;
    options.method = method;
    expect_composition(Motion::of(linear, {.varied = {"om"}, .options = options}), ends, 1e-7);
  }
}

RC_GTEST_PROP(Relay, ChainsOfRelaysMoveByBothMethodsAlike, ()) {
  const int count = *rc::gen::inRange(2, 4);
  const auto some = [](int low, int high) { return fmt::format("({}/100)", *rc::gen::inRange(low, high)); };
  std::string names;
  std::string rates;
  std::string initial = "[initial]\n";
  for (int i = 0; i < count; ++i) {
    names += fmt::format("{}\"y{}\"", i ? ", " : "", i);
    std::string rate = some(-100, 101) + " + " + some(-100, 101) + "*cos(2*t)";
    for (int j = 0; j < count; ++j)
      rate += fmt::format(" {} {}*sign(y{} - {})", i == j ? "-" : "+", i == j ? some(20, 300) : some(-150, 151), j,
                          some(-100, 101));
    rates += (i ? ", \"" : "\"") + rate + "\"";
    initial += fmt::format("y{} = \"{}\"\n", i, some(-300, 301));
  }
  const std::string text =
      "[mechanics]\nstates = [" + names + "]\nrates = [" + rates + "]\n[forcing]\nperiod = \"pi\"\n" + initial;
  RC_LOG() << text;
  FlowOptions general;
  general.method = FlowMethod::runge_kutta;
  FlowOptions closed;
  closed.method = FlowMethod::automatic;
  const FlowResult a = Motion::of(text, {.options = general}).flow_from({}, Motion::of(text).start(), {3, 0.5});
  const FlowResult b = Motion::of(text, {.options = closed}).flow_from({}, Motion::of(text).start(), {3, 0.5});
  RC_ASSERT(a.outcome == b.outcome);
  if (a.outcome == Outcome::reached_end) RC_ASSERT(largest(a.end.x - b.end.x) < 1e-7);
}

}  // namespace
}  // namespace saltus::test
