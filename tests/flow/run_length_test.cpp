#include "saltus/flow/run_length.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(Pace, OfARunThatGoesOnIsGood) {
  FlowRun run;
  run.end = {0, 1e6};
  Pace pace;
  for (long steps = 64; steps < 10 * Pace::window; steps += 64)
    ASSERT_EQ(pace.endless(steps, {0, 1e-3 * static_cast<double>(steps)}, run), "");
}

TEST(Pace, OfARunThatComesToAStandstillIsToldHoweverFastItBegan) {
  FlowRun run;
  run.end = {0, 10.0};
  Pace pace;
  std::string words;
  long steps = 0;
  while (words.empty() && steps < 5 * Pace::window) {
    steps += 64;
    const double moved = 5.0 * std::min(1.0, 1e-3 * static_cast<double>(steps)) + 1e-15 * static_cast<double>(steps);
    words = pace.endless(steps, {0, moved}, run);
  }
  // The first window holds the fast beginning, the second does not.
  EXPECT_GT(steps, Pace::window);
  EXPECT_LE(steps, 2 * Pace::window + 64);
  EXPECT_NE(words.find("more steps"), std::string::npos);
}

}  // namespace
}  // namespace saltus
