#include "saltus/flow/run_length.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace saltus
