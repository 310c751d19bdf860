// Nothing is passed through, however long the step and however small what stands in its way.

#include "saltus/flow/exclusion.hpp"

#include "tests/flow/random_flights.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::count_of;
using test::first_event;
using test::Motion;

// ---- obstacles that were passed through -------------------------------------------------------------------------------

TEST(Exclusion, ABallThatFallsALongWayHitsASmallDisc) {
  const Motion m = Motion::of(R"model(
[parameters]
d = 20
a = 0.2
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "-1"]
[[contact]]
name = "disc"
gap = "sqrt((x-a)^2+(y+d)^2) - 0.25"
restitution = 0.5
[initial]
x = 0
y = 0
)model");
  for (const double d : {3.0, 20.0, 100.0, 1000.0}) {
    for (const double a : {0.0, 0.1, -0.2, 0.2499}) {
      FlowRun run = m.run_from({}, Vector::Zero(4), {0, 2.0 * std::sqrt(2.0 * d)}, Carries::state);
      run.parameters = {d, a};
      const FlowResult result = flow(m.kernels(), m.options, run);
      const Event* const hit = first_event(result, EventKind::impact);
      ASSERT_TRUE(hit) << "d = " << d << ", a = " << a;
      // It falls along x = 0 and meets the circle at y = −d + √(r² − a²).
      EXPECT_CLOSE(hit->t, std::sqrt(2.0 * (d - std::sqrt(0.0625 - a * a))), integration(1e-10, 10.0));
    }
    FlowRun beside = m.run_from({}, Vector::Zero(4), {0, 2.0 * std::sqrt(2.0 * d)}, Carries::state);
    beside.parameters = {d, 0.2501};
    EXPECT_EQ(count_of(flow(m.kernels(), m.options, beside), EventKind::impact), 0U);
  }
}

TEST(Exclusion, APendulumMeetsAThinNail) {
  const Motion m = Motion::of(R"model(
[parameters]
rn = 0.01
[mechanics]
coordinates = ["phi"]
mass = [["1"]]
force = ["-9.81*sin(phi)"]
[[contact]]
name = "nail"
gap = "sqrt(sin(phi)^2 + (1-cos(phi))^2) - rn"
restitution = 0.9
[initial]
phi = 1.5
)model");
  for (const double rn : {0.02, 0.01, 1e-3, 1e-5}) {
    FlowRun run = m.run_from({}, Vector{{1.5, 0.0}}, {0, 1.5}, Carries::state);
    run.parameters = {rn};
    const FlowResult result = flow(m.kernels(), m.options, run);
    const Event* const hit = first_event(result, EventKind::impact);
    ASSERT_TRUE(hit) << "radius " << rn;
    EXPECT_CLOSE(2.0 * std::sin(0.5 * hit->x_minus[0]), rn, integration(1e-9, 1.0, 1.0));
    EXPECT_LE(result.ledger.worst_penetration, 1e-9);
  }
}

TEST(Exclusion, AThinRegionInFrontOfALongStepIsEntered) {
  const Motion m = Motion::of(R"model(
[parameters]
c = 50.3
r = 0.5
b = 0.2
[mechanics]
states = ["x", "z"]
rates = ["1", "if(sqrt((x-c)^2 + b^2) < r, 1, 0)"]
[initial]
x = 0
)model");
  for (const double c : {50.3, 500.3, 12345.67}) {
    for (const double r : {3.0, 0.5, 0.2001}) {
      FlowRun run = m.run_from({}, Vector::Zero(2), {0, 2.0 * c}, Carries::state);
      run.parameters = {c, r, 0.2};
      const FlowResult result = flow(m.kernels(), m.options, run);
      EXPECT_CLOSE(result.end.x[1], 2.0 * std::sqrt(r * r - 0.04), integration(1e-10, 100.0, c)) << c << " " << r;
    }
  }
}

TEST(Exclusion, NoFlightOfABilliardGoesThroughItsDisc) {
  const Motion m = Motion::of(R"model(
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "0"]
[[contact]]
name = "left"
gap = "x"
restitution = 1
[[contact]]
name = "right"
gap = "1 - x"
restitution = 1
[[contact]]
name = "floor"
gap = "y"
restitution = 1
[[contact]]
name = "ceiling"
gap = "1 - y"
restitution = 1
[[contact]]
name = "disc"
gap = "sqrt((x-0.5)^2 + (y-0.5)^2) - 0.25"
restitution = 1
[initial]
x = 0.1
y = 0.13
"x'" = 0.83
"y'" = 0.557
)model");
  const FlowResult result = m.until(2400.0);
  EXPECT_EQ(result.outcome, Outcome::reached_end);
  long flights = 0;
  long through = 0;
  const Event* last = nullptr;
  for (const Event& event : result.events) {
    if (event.kind != EventKind::impact) continue;
    if (last) {
      // The nearest point of the chord to the middle of the disc.
      const Vector from = last->x_plus.head(2);
      const Vector way = event.x_minus.head(2) - from;
      const Vector middle{{0.5, 0.5}};
      const double s = std::clamp((middle - from).dot(way) / way.squaredNorm(), 0.0, 1.0);
      ++flights;
      if ((from + s * way - middle).norm() < 0.25 - 1e-9) ++through;
    }
    last = &event;
  }
  EXPECT_GT(flights, 5000);
  EXPECT_EQ(through, 0);
}

// ---- a proof, not denser samples -----------------------------------------------------------------------------------------

TEST(Exclusion, ADipIsFoundWhereverItIsPutAndCostsNoStepsBeforeIt) {
  const Motion m = Motion::of(R"model(
[parameters]
c = 5
w = 0.001
depth = 2
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["0"]
[[contact]]
name = "dip"
gap = "1 - depth*exp(-((x-c)/w)^2)"
restitution = 1
[initial]
x = 0
"x'" = 1
)model");
  const auto result_with = [&](double c, double depth) {
    FlowRun run = m.run_from({}, Vector{{0.0, 1.0}}, {0, 100.0}, Carries::state);
    run.parameters = {c, 0.001, depth};
    return flow(m.kernels(), m.options, run);
  };
  const long steps = result_with(50.0, 0.0).ledger.steps;
  EXPECT_LT(steps, 30);  // 100,000 times the width of the dip
  // Two hundred places no two of which share an instant at which the gap is looked at, golden as they are: a dip's width is a
  // hundred-thousandth of the way.
  for (int k = 1; k <= 200; ++k) {
    const double c = 1.0 + 98.0 * std::fmod(k * 0.6180339887498949, 1.0);
    const FlowResult result = result_with(c, 2.0);
    const Event* const hit = first_event(result, EventKind::impact);
    ASSERT_TRUE(hit) << c;
    EXPECT_CLOSE(hit->t, c - 0.001 * std::sqrt(std::log(2.0)), integration(1e-10, 100.0));
  }
  // A dip that does not reach zero is proven not to, in the same steps.
  for (int k = 1; k <= 50; ++k) {
    const FlowResult result = result_with(1.0 + 98.0 * std::fmod(k * 0.6180339887498949, 1.0), 0.9);
    EXPECT_TRUE(result.events.empty());
    EXPECT_EQ(result.ledger.steps, steps);
  }
}

TEST(Exclusion, WhatMissesByAMillionthIsNoGrazing) {
  const Motion m = Motion::of(R"model(
[parameters]
a = 0
r = 0.25
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "-1"]
[[contact]]
name = "disc"
gap = "sqrt((x-a)^2+(y+20)^2) - r"
restitution = 1
[initial]
x = 5
y = 0
)model");
  std::mt19937_64 random(11);
  for (int k = 0; k < 500; ++k) {
    const double r = 0.01 + 0.5 * static_cast<double>(random() >> 11) * 0x1p-53;
    const double past = k % 2 == 0 ? r + 1e-6 : -r - 1e-6;
    FlowRun run = m.run_from({}, Vector::Zero(4), {0, 8.0}, Carries::state);
    run.parameters = {past, r};
    const FlowResult result = flow(m.kernels(), m.options, run);
    ASSERT_EQ(result.events.size(), 0U) << r;
    run.parameters = {past > 0 ? past - 2e-6 : past + 2e-6, r};
    ASSERT_EQ(count_of(flow(m.kernels(), m.options, run), EventKind::impact), 1U) << r;
  }
}

TEST(Exclusion, ACurvedSurfaceIsCrossedInClosedFormHoweverShortlyItIsBelow) {
  // A linear motion whose section is a thin ring: the crossing and the way out of it lie within 1e-3 of a step.
  const Motion m = Motion::of(R"model(
[parameters]
c = 0.7
w = 0.001
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x"]
[section]
surface = "(x-c)^2 - w^2"
[initial]
x = 1
)model",
                              {.options = {.method = FlowMethod::exact}});
  for (int k = 1; k < 100; ++k) {
    const double c = -0.95 + 1.9 * k / 100.0;
    FlowRun run = m.run_from({}, Vector{{1.0, 0.0}}, {0, 3.0}, Carries::state);
    run.parameters = {c, 0.001};
    run.watches = {{0, Crossing::down, 0.0}};
    const FlowResult result = flow(m.kernels(), m.options, run);
    ASSERT_EQ(count_of(result, EventKind::section), 1U) << c;
    EXPECT_CLOSE(result.events.front().t, std::acos(c + 0.001), integration(1e-12, 10.0));
  }
}

TEST(Exclusion, AGapThatIsUndefinedForAShortTimeEndsTheMotionThere) {
  // √ of what is negative only between c ± w: steps that end in front of it and behind it see nothing.
  const Motion m = Motion::of(R"model(
[parameters]
c = 50
w = 0.001
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["0"]
[[contact]]
name = "hole"
gap = "1 + 0.1*sqrt((x-c)^2 - w^2)"
restitution = 1
[initial]
x = 0
"x'" = 1
)model");
  for (int k = 1; k <= 50; ++k) {
    const double c = 1.0 + 98.0 * std::fmod(k * 0.6180339887498949, 1.0);
    FlowRun run = m.run_from({}, Vector{{0.0, 1.0}}, {0, 100.0}, Carries::state);
    run.parameters = {c, 0.001};
    const FlowResult result = flow(m.kernels(), m.options, run);
    ASSERT_EQ(result.outcome, Outcome::gap_undefined) << c;
    EXPECT_EQ(result.contacts, std::vector<std::size_t>{0});
    EXPECT_CLOSE(result.end.x[0], c - 0.001, integration(1e-9, 10.0, c));
  }
  // What is only nearly undefined is passed.
  FlowRun run = m.run_from({}, Vector{{0.0, 1.0}}, {0, 100.0}, Carries::state);
  run.parameters = {50.0, 0.0};
  EXPECT_EQ(flow(m.kernels(), m.options, run).outcome, Outcome::reached_end);
}

TEST(Exclusion, BoundsOfPenetrationAndOfMissesHoldOnBothRoads) {
  // x = cos t above a floor at −1 − d: turning points at the height d, over and over; and a ceiling that is never near.
  const char* const swing = R"model(
[parameters]
d = 1e-3
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x"]
[[contact]]
name = "floor"
gap = "x + 1 + d"
restitution = 1
[[contact]]
name = "ceiling"
gap = "3 - x"
restitution = 1
[initial]
x = 1
)model";
  const auto books_of = [](const Motion& m, double T) {
    FlowRun run = m.run_from({}, m.start(), {0, T}, test::Carries::state);
    run.bound_gaps = true;
    return flow(m.kernels(), m.options, run).ledger;
  };
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    const Ledger ledger = books_of(Motion::of(swing, {.options = {.method = method}}), 100.0);
    EXPECT_EQ(ledger.penetration_bound, 0.0);
    EXPECT_LE(ledger.closest_miss_bound[0], 1e-3 * (1.0 + 1e-6));
    EXPECT_GE(ledger.closest_miss_bound[0], 0.9e-3);
    EXPECT_LE(ledger.closest_miss_bound[1], 2.0 * (1.0 + 1e-6));
    EXPECT_GE(ledger.closest_miss_bound[1], 1.8);
  }
  // With impacts: no bound is below what was reached, and none is far above it.
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    const Ledger ledger = books_of(Motion::example("impact_oscillator", {.options = {.method = method}}), 200.0);
    EXPECT_GT(ledger.impacts, 10);
    EXPECT_GE(ledger.penetration_bound, ledger.worst_penetration);
    EXPECT_LE(ledger.penetration_bound, 1e-12);
    EXPECT_GE(ledger.closest_miss_bound[0], 0.0);
  }
}

TEST(Exclusion, AFunctionOfAFirstOrderStateIsNotJudgedByEndsThatDoNotKnowItsBend) {
  // z = sin³ of a slow phase turns twice near its flat place within a step; its second rate is unknown to the ends.
  const Motion m = Motion::of(R"model(
[parameters]
c = 20
w = 0.01
[mechanics]
states = ["x", "z", "y"]
rates = ["1", "2*(c-x)/w^2*exp(-((x-c)/w)^2)*0.75", "if(z > 0.5, 1, 0)"]
[initial]
x = 0
z = 0
)model");
  FlowRun run = m.run_from({}, Vector::Zero(3), {0, 40.0}, Carries::state);
  run.parameters = {20.0, 3.0};
  const FlowResult result = flow(m.kernels(), m.options, run);
  // z = ¾ exp(−((x − c)/w)²) − ¾ exp(−(c/w)²) is above ½ for 2 w √ln 1.5.
  EXPECT_CLOSE(result.end.x[2], 2.0 * 3.0 * std::sqrt(std::log(1.5)), integration(1e-8, 10.0));
}

// ---- random flights ------------------------------------------------------------------------------------------------------

TEST(Exclusion, OfRandomFlightsPastSmallObstaclesNoneIsMissedAndNoneIsFalse) {
  for (std::size_t o = 0; o < test::obstacles.size(); ++o) {
    const test::Tally tally = test::fly(test::obstacles[o], 60, 100 + o, 1e-10);
    EXPECT_GT(tally.hits, 10);
    EXPECT_EQ(tally.missed, 0) << test::obstacles[o].gap << " of " << tally.hits;
    EXPECT_EQ(tally.false_hits, 0) << test::obstacles[o].gap;
    EXPECT_EQ(tally.wrong_time, 0) << test::obstacles[o].gap;
  }
}

}  // namespace
}  // namespace saltus
