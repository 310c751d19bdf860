#include "saltus/flow/run_length.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace saltus {
namespace {

TEST(Pace, OfARunThatGoesOnIsGood) {
  FlowRun run;
  run.end = {0, 1e6};
  Pace pace;
  for (long steps = 64; steps < 10 * Pace::window; steps += 64)
    ASSERT_EQ(pace.endless(steps, {0, 1e-3 * static_cast<double>(steps)}, run), std::nullopt);
}

TEST(Pace, OfARunThatComesToAStandstillIsToldHoweverFastItBegan) {
  FlowRun run;
  run.end = {0, 10.0};
  Pace pace;
  std::optional<OutOfReach> left;
  long steps = 0;
  while (!left && steps < 5 * Pace::window) {
    steps += 64;
    const double moved = 5.0 * std::min(1.0, 1e-3 * static_cast<double>(steps)) + 1e-15 * static_cast<double>(steps);
    left = pace.endless(steps, {0, moved}, run);
  }
  // The first window holds the fast beginning, the second does not.
  EXPECT_GT(steps, Pace::window);
  EXPECT_LE(steps, 2 * Pace::window + 64);
  // 5 and a little are left, at the pace of the second window.
  ASSERT_TRUE(left);
  EXPECT_NEAR(left->step, 1e-15, 1e-17);
  EXPECT_NEAR(left->steps, 5.0 / 1e-15, 5e13);
}

/// t* − t falls like a root of the steps: x ~ 1/(t* − t)² with as many turns as x has of a sine.
TEST(Pace, OfARunThatShrinksTowardsAnInstantTellsTheInstant) {
  for (const double p : {0.5, 0.7, 1.0, 1.2}) {
    FlowRun run;
    run.end = {0, 40.0};
    Pace pace;
    std::optional<OutOfReach> left;
    long steps = 0;
    while (!left && steps < 10'000'000) {
      steps += 64;
      left = pace.endless(steps, {0, 2.5 - std::pow(1.0 + static_cast<double>(steps) / 1e3, -p)}, run);
    }
    ASSERT_TRUE(left && left->limit) << p;
    EXPECT_NEAR(*left->limit, 2.5, 3e-2 * std::pow(1e-3 * static_cast<double>(steps), -p)) << p;
    EXPECT_LE(steps, 16 * 2 * Pace::first_look + 64) << p;
  }
}

/// Steps that become shorter and shorter, but come to any time: those of a sine of exp t, of t³, of a logarithm that slows down.
TEST(Pace, OfARunThatOnlyBecomesSlowerIsGood) {
  const std::vector<std::function<double(double)>> times = {
      [](double n) { return std::log(1.0 + n); }, [](double n) { return std::cbrt(n); },
      [](double n) { return std::log(1.0 + n) / (1.0 + 1e-7 * n) + 1e-6 * n; }};
  for (std::size_t k = 0; k < times.size(); ++k) {
    FlowRun run;
    run.end = {0, 1e3};
    Pace pace;
    for (long steps = 64; steps < 20'000'000; steps += 64)
      ASSERT_EQ(pace.endless(steps, {0, times[k](static_cast<double>(steps) / 100.0)}, run), std::nullopt)
          << k << " " << steps;
  }
}

}  // namespace
}  // namespace saltus
