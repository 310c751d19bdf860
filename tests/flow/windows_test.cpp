// Windows: switches whose condition is a bounded function near its extremum, true for a short while in every period, by no more than a very
// small part of what the function goes through.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

class Windows : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Windows, every_road, name_of_road);

// No error of a step enters a function of time alone: windows of every depth that the numbers can tell are met. Each gives the speed 1.
TEST_P(Windows, OfTimeAloneAreMetHoweverShallow) {
  std::mt19937 source(20261);
  const auto some = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(source); };
  for (int count = 0; count < 24; ++count) {
    const double depth = std::pow(10.0, some(-13.0, -3.0));
    const double phase = some(0.5, 5.5);
    const double width = 2.0 * std::acos(1.0 - depth);
    const std::string text = fmt::format(
        "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"if(cos(t - {}) >= 1 - {}, {}, 0)\"]\n", phase,
        depth, 1.0 / width);
    const FlowResult result = of(text).until(phase + 3.5 * two_pi);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << text;
    EXPECT_EQ(count_of(result, EventKind::switched), 8U) << text;
    // The depth is a difference of numbers of size 1, and the width its root; the ends are known to rounding of the time.
    EXPECT_NEAR(result.end.x[1], 4.0, 4.0 * (1e-15 / depth + 1e-13 / width) + 1e-9) << text;
  }
}

// Into a function of the state the error of the steps enters: what is shallower than it is no statement about the motion. A depth of some
// hundred times rtol is met.
TEST(WindowsOfTheState, AreMetWhereTheyAreDeeperThanTheStepsKnowTheState) {
  for (const double depth : {1e-5, 1e-7, 1e-9, 1e-10}) {
    const double width = 2.0 * std::acos(1.0 - depth);
    const std::string text = fmt::format(
        "[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1\", \"0\"], [\"0\", \"1\"]]\nforce = [\"-x\", \"if(x "
        ">= 1 - {}, {}, "
        "0)\"]\n[initial]\nx = \"cos(1)\"\n\"x'\" = \"sin(1)\"\n",
        depth, 1.0 / width);
    Motion motion = Motion::of(text);
    motion.options.rtol = std::min(1e-10, depth / 100.0);
    motion.options.atol = 1e-2 * motion.options.rtol;
    const FlowResult result = motion.until(1.0 + 3.5 * two_pi);
    EXPECT_EQ(count_of(result, EventKind::switched), 8U) << text;
    EXPECT_NEAR(result.end.x[3], 4.0, 0.4) << text;
  }
}

// Its condition holds nowhere, or at single instants: nothing happens, and nothing is looked for without end.
TEST_P(Windows, ThatOnlyTouchTheirExtremumDoNothing) {
  for (const char* const condition : {"cos(t - 1.3) > 1", "cos(t - 1.3) >= 1 + 1e-12", "cos(t - 1.3) > 1 + 1e-15"}) {
    const FlowResult result =
        of(fmt::format("[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"if({}, 1e3, 0)\"]\n",
                       condition))
            .until(20.0);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << condition;
    EXPECT_NEAR(result.end.x[1], 0.0, 1e-4) << condition;  // rounding of the condition lasts for 1e-8
    EXPECT_LT(result.ledger.steps, 500) << condition;
  }
}

}  // namespace
}  // namespace saltus::test
