// Long branches: a cascade of period doublings, and the torus of the torque model.

#include <gtest/gtest.h>

#include "tests/analysis/orbits_of.hpp"

namespace saltus::test {
namespace {

TEST(OrbitBranchSlow, PeriodDoublingsOfTheImpactOscillatorApproachFeigenbaumsRatio) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.125};
  const Orbits orbits("impact_oscillator", {"sigma"}, {{"omega", digits(o.omega)}, {"sigma", digits(o.sigma)}});
  BranchOptions options = orbits.bounds(0.12, 0.16);
  Branch branch = branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), options);
  std::vector<double> doublings;
  std::size_t period = 1;
  for (int level = 0; level < 6; ++level) {
    const BranchPoint at = labelled(branch, "PD1");
    EXPECT_EQ(at.returns.size(), period);
    doublings.push_back(at.parameter);
    if (level == 5) break;
    // Each window is about five times shorter than the one before: only its beginning is followed.
    const double window = level == 0 ? 0.02 : 2.0 * (doublings.back() - doublings[doublings.size() - 2]) / 2.0;
    options = orbits.bounds(at.parameter - window, at.parameter + window);
    branch = switched_branch(orbits.system(), at, options);
    period *= 2;
  }
  ASSERT_EQ(doublings.size(), 6U);  // period 32 loses its stability at the last
  EXPECT_EQ(period, 32U);
  const auto ratio = [&](std::size_t i) {
    return (doublings[i] - doublings[i - 1]) / (doublings[i + 1] - doublings[i]);
  };
  // Feigenbaum's 4.6692…: the ratios approach it, the last within 3 %.
  EXPECT_CLOSE(ratio(4), 4.669201609, sampling(0.03));
  EXPECT_LT(std::abs(ratio(4) - 4.669201609), std::abs(ratio(2) - 4.669201609));
}

}  // namespace
}  // namespace saltus::test
