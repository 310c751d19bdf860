// Where the impacts on a contact accumulate in the very instant in which it is left.

#include "saltus/analysis/branches/chatter_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/branches/orbits_of.hpp"
#include "tests/support/bouncing_ball.hpp"

namespace saltus::test {
namespace {

/// One flight and impact under the acceleration −s, s the time that is left, from the speed w s² at s = 1; by halving.
struct Flown {
  double theta, w;
};
Flown flown(double e, double w) {
  const auto gap = [&](double tau) { return w - tau / 2 + tau * tau / 6; };  // over the time
  double begin = 0.0, end = 1.0;
  for (int i = 0; i < 60; ++i) (gap(0.5 * (begin + end)) > 0.0 ? begin : end) = 0.5 * (begin + end);
  const double left = 1.0 - end;
  const double approach = w - end + end * end / 2;
  return {end, -e * approach / (left * left)};
}

TEST(ChatterLimit, SpeedOnTheBorderComesBackAndDisturbancesOfItGrow) {
  for (const double e : {0.05, 0.2, 0.4, 0.6, 0.9, 0.99}) {
    const ChatterBorder border = chatter_border(e);
    const Flown once = flown(e, border.speed);
    EXPECT_CLOSE(once.w, border.speed, rounding(1e3, 1.0));
    EXPECT_CLOSE(once.theta, border.flight, rounding(1e3, 1.0));
    const double h = 1e-5;
    const double growth = (flown(e, border.speed + h).w - flown(e, border.speed - h).w) / (2.0 * h);
    EXPECT_CLOSE(growth, border.growth, integration(1e-6, 1.0));
    EXPECT_GT(border.growth, 1.0);
  }
}

TEST(ChatterLimit, BouncesOfTheBallApproachTheBorderAtTheAmplitudeThatEndsItsRest) {
  const BouncingBall ball{amplitude_without_rest(0.4, 1.7, 1.8), 0.4L};
  const ChatterBorder border = chatter_border(0.4);
  BouncingBall::Bounce at = ball.start();
  long double left = 0, before = 0;
  while (before == 0 || left > 1e-4L) {
    at = ball.next(at);
    before = left;
    left = ball.next_release() - at.t;
  }
  // They differ by the first order in the time that is left.
  EXPECT_CLOSE(static_cast<double>(at.u / (at.pull * left)), border.speed, integration(1e-4, 1.0));
  EXPECT_CLOSE(static_cast<double>(left / before), 1.0 - border.flight, integration(1e-4, 1.0));
}

TEST(ChatterLimit, ChatterOfTheBallIsNoLongerCompletedWhereItsBouncesReachTheRelease) {
  struct Case {
    double e, start, upper;
  };
  for (const auto& [e, start, upper] : {Case{0.2, 2.1, 2.3}, Case{0.4, 1.7, 1.9}, Case{0.6, 1.43, 1.5}}) {
    const Orbits orbits("vibrating_table", {"A"}, {{"A", digits(start)}, {"e", digits(e)}});
    const BouncingBall at{start, e};
    const long double since = -at.release();  // the strobe t = 0 is in the flight that begins at the release
    const Vector in_flight = Vector{{static_cast<double>(at.A + at.gap(since, 0, at.release())),
                                     static_cast<double>(at.rate(since, 0, at.release()))}};
    BranchOptions options = orbits.bounds(start - 0.01, upper);
    options.direction = BranchOptions::Direction::up;
    const Branch branch = branch_through(orbits.system(), orbits.near(in_flight), options);
    const BranchPoint& lost = labelled(branch, "SL1");
    EXPECT_CLOSE(lost.parameter, amplitude_without_rest(e, start, upper), integration(1e-9, 1.0));
    EXPECT_EQ(lost.passage, Passage::disappears);
    EXPECT_EQ(branch.sequences[lost.sequence], "chatter(table), slide(table)");
    // The stored orbit is the one that ends: all impacts and no slide.
    double sum = 0.0;
    for (const double tau : lost.orbit.tau) sum += tau;
    EXPECT_CLOSE(sum, 2.0 * std::numbers::pi, integration(1e-9, 1.0));
  }
}

}  // namespace
}  // namespace saltus::test
