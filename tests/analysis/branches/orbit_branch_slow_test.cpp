// Long branches: a cascade of period doublings, and the torus of the torque model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/analysis/motions/section.hpp"
#include "tests/analysis/branches/orbits_of.hpp"

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
    const double window = level == 0 ? 0.02 : doublings.back() - doublings[doublings.size() - 2];
    options = orbits.bounds(at.parameter - window, at.parameter + window);
    branch = switched_branch(orbits.system(), at, options);
    period *= 2;
  }
  ASSERT_EQ(doublings.size(), 6U);  // period 32 loses its stability at the last
  EXPECT_EQ(period, 32U);
  const auto ratio = [&](std::size_t i) {
    return (doublings[i] - doublings[i - 1]) / (doublings[i + 1] - doublings[i]);
  };
  // Feigenbaum's constant is the limit; measured here: 6.03, 5.34, 4.672, 4.672.
  EXPECT_CLOSE(ratio(4), 4.67, printed("4.67"));
  EXPECT_LT(std::abs(ratio(4) - 4.669201609), std::abs(ratio(2) - 4.669201609));
}

TEST(OrbitBranchSlow, OneTurnOrbitOfTheTorqueModelLosesItsStabilityToTheTorus) {
  // Newton finds the one-turn orbit inside the torus of q1 = 1.63; below the NS point it is the attractor.
  const Orbits orbits("triple_pendulum_torque", {"q1"}, {}, "q1_163");
  SectionOptions to_section;
  to_section.place = {SectionPlace::Kind::surface, *orbits.system().place.section, 0};
  to_section.length = 300.0;
  to_section.flow = Orbits::options();
  const SectionPoints points =
      section_points(orbits.kernels(), orbits.initial(), orbits.rates().at_start().inputs, 0.0, to_section);
  const Branch branch =
      branch_through(orbits.system(), orbits.near(points.points.back().x), orbits.bounds(1.585, 1.64));
  const BranchPoint& torus = labelled(branch, "NS1");
  EXPECT_GT(torus.parameter, 1.59);
  EXPECT_LT(torus.parameter, 1.63);
  EXPECT_CLOSE(std::abs(torus.multipliers[0]), 1.0, integration(1e-8, 1.0));
  EXPECT_GT(std::abs(torus.multipliers[0].imag()), 0.1);
  for (const BranchPoint& point : branch.points)
    if (point.special == SpecialKind::none) { EXPECT_EQ(point.stable, point.parameter < torus.parameter); }
  EXPECT_EQ(branch.sequences.size(), 1U);
}

TEST(OrbitBranchSlow, FourTurnsOfTheTorqueModelEndWhereTheyAreTwoTurnsRunThroughTwice) {
  const Orbits orbits("triple_pendulum_torque", {"q1"}, {}, "q1_1063");
  SectionOptions to_section;
  to_section.place = {SectionPlace::Kind::surface, *orbits.system().place.section, 0};
  to_section.transient = 1000.0;
  to_section.length = 300.0;
  to_section.flow = Orbits::options();
  const SectionPoints points =
      section_points(orbits.kernels(), orbits.initial(), orbits.rates().at_start().inputs, 0.0, to_section);
  BranchOptions options = orbits.bounds(1.05, 1.08);
  options.direction = BranchOptions::Direction::up;
  const Branch branch = branch_through(orbits.system(), orbits.near(points.points.back().x, 4), options);
  const BranchPoint& end = branch.points.back();
  EXPECT_EQ(branch.ends.front().reason, CurveEnd::special);
  EXPECT_EQ(end.special, SpecialKind::grazing);
  EXPECT_THAT(end.note, testing::HasSubstr("the orbit of 2 returns"));
  // Its two halves are one orbit of two turns. At a grazing states go with the root of the parameter's error: hence 1e-4. Followed beyond,
  // with eight impacts, it has a branch point at q1 = 1.060006841496, where the orbit of two turns doubles: it is that orbit run twice.
  ASSERT_EQ(end.returns.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i)
    for (Eigen::Index k = 1; k < end.returns[i].size(); ++k)  // psi1 has turned twice
      EXPECT_NEAR(end.returns[i][k], end.returns[i + 2][k], 1e-4) << i << k;
}

}  // namespace
}  // namespace saltus::test
