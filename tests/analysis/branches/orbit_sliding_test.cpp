// Branches of orbits with slides and chatter, against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/analysis/orbits/orbit.hpp"
#include "tests/analysis/branches/orbits_of.hpp"
#include "tests/support/bouncing_ball.hpp"

namespace saltus::test {
namespace {

using testing::ElementsAre;

Orbits plastic(const ImpactOscillator& o) {
  return {"impact_oscillator", {"sigma"}, {{"omega", digits(o.omega)}, {"sigma", digits(o.sigma)}, {"e", "0"}}};
}

TEST(OrbitSliding, SlideOfThePlasticOscillatorBeginsWhereTheClosedFormSaysFromBothSides) {
  for (const double omega : {1.2, 2.0}) {
    ImpactOscillator o{.omega = omega, .e = 0.0};
    const double expected = o.slide_of_no_length().sigma;
    // Above: the impact is followed by flight.
    o.sigma = expected + 0.05;
    const Orbits flying = plastic(o);
    const Branch down = branch_through(flying.system(), flying.near(o.strobe(o.speeds().front())),
                                       flying.bounds(expected - 0.06, expected + 0.06));
    const BranchPoint& from_above = labelled(down, "SL1");
    EXPECT_CLOSE(from_above.parameter, expected, integration(1e-9, 1.0, 1.0));
    EXPECT_EQ(from_above.passage, Passage::persists);
    EXPECT_EQ(down.sequences[from_above.sequence], "stop");
    EXPECT_EQ(down.sequences[from_above.sequence_beyond], "stop, slide(stop)");
    EXPECT_EQ(down.points.front().parameter, expected - 0.06);
    // Below: it slides until F cos ωt = σ. The start itself lies inside the slide or outside, as it comes.
    o.sigma = expected - 0.05;
    const Orbits sliding = plastic(o);
    const double release = std::acos(o.sigma) / omega;
    const Vector deviation = Vector{{o.sigma - o.particular(release), -o.particular_rate(release)}};
    const Vector strobe =
        Vector(o.free(o.T() - release) * deviation) + Vector{{o.particular(0.0), o.particular_rate(0.0)}};
    const Branch up =
        branch_through(sliding.system(), sliding.near(strobe), sliding.bounds(expected - 0.06, expected + 0.06));
    const BranchPoint& from_below = labelled(up, "SL1");
    EXPECT_CLOSE(from_below.parameter, expected, integration(1e-9, 1.0, 1.0));
    EXPECT_EQ(up.sequences[from_below.sequence], "stop, slide(stop)");
    EXPECT_EQ(up.sequences[from_below.sequence_beyond], "stop");
    for (const BranchPoint& point : up.points) {
      if (up.sequences[point.sequence] != "stop, slide(stop)" || point.special != SpecialKind::none) continue;
      EXPECT_EQ(std::abs(point.multipliers[0]), 0.0);
      EXPECT_EQ(std::abs(point.multipliers[1]), 0.0);
    }
  }
}

TEST(OrbitSliding, BallThatComesToRestOnTheTableInEachPeriodIsFollowedThroughItsChatter) {
  constexpr double e = 0.4, A = 1.1;
  const Orbits orbits("vibrating_table", {"A"}, {{"A", digits(A)}, {"e", digits(e)}});
  const Vector on_table = Vector{{A, 0.0}};  // at t = 0, in flight just behind the release: near enough
  const Branch branch = branch_through(orbits.system(), orbits.near(on_table), orbits.bounds(1.05, 1.3));
  EXPECT_EQ(branch.points.front().parameter, 1.05);
  EXPECT_EQ(branch.points.back().parameter, 1.3);
  EXPECT_THAT(branch.sequences, ElementsAre("chatter(table), slide(table)"));
  ASSERT_GE(branch.points.size(), 5U);
  for (const BranchPoint& point : branch.points) {
    const BouncingBall ball{point.parameter, e};
    for (const std::complex<double>& mu : point.multipliers) EXPECT_EQ(std::abs(mu), 0.0);
    EXPECT_TRUE(point.stable);
    // Which segment is the flight: it begins at the release.
    const auto& segments = point.orbit.plan.segments;
    double t = point.orbit.t;
    double longest_slide = 0.0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!segments[i].mode.is_closed(0) && point.orbit.tau[i] > 0.5) {
        EXPECT_CLOSE(std::remainder(t - static_cast<double>(ball.release()), 2.0 * std::numbers::pi), 0.0,
                     integration(1e-9, 1.0, 1.0));
        EXPECT_CLOSE(point.orbit.tau[i], static_cast<double>(ball.first_flight()), integration(1e-9, 1.0, 1.0));
      }
      t += point.orbit.tau[i];
    }
    const HybridOrbit problem(orbits.system(), point.orbit, Vector::Ones(1));
    for (const Brink& brink : problem.report(problem.unknowns(point.orbit)).brinks)
      if (brink.kind == Brink::Kind::slide_length)
        longest_slide = std::max(longest_slide, brink.value * point.period);  // the value is a part of it
    EXPECT_CLOSE(longest_slide, static_cast<double>(ball.next_release() - ball.accumulation()),
                 integration(1e-7, 1.0, 1.0));
  }
}

TEST(OrbitSliding, BallAtRestLeavesTheTableWhereItsForceTouchesZeroAtTheAccelerationOfGravity) {
  const Orbits orbits("vibrating_table", {"A"}, {{"A", "0.7"}, {"e", "0.4"}});
  const Vector on_table = Vector{{0.7, 0.0}};
  const Branch branch = branch_through(orbits.system(), orbits.near(on_table), orbits.bounds(0.6, 1.1));
  const BranchPoint& lifts = labelled(branch, "SL1");
  EXPECT_CLOSE(lifts.parameter, 1.0, integration(1e-9, 1.0));
  EXPECT_EQ(branch.sequences[lifts.sequence], "slide(table)");
  EXPECT_EQ(branch.sequences[lifts.sequence_beyond], "chatter(table), slide(table)");
  EXPECT_EQ(lifts.passage, Passage::persists);
  EXPECT_EQ(branch.points.front().parameter, 0.6);
  EXPECT_EQ(branch.points.back().parameter, 1.1);
}

TEST(OrbitSliding, PendulumThatChattersEachPeriodHasTheOrbitsAndMultipliersOfShootingAlongItsBranch) {
  const Orbits orbits("triple_pendulum_barrier", {"q1"}, {}, "fig3b");
  FlowRun transient;
  transient.start = start_point(orbits.kernels(), {}, orbits.initial(), LaneStepper::Carries::state);
  transient.end = {60, 0.0};
  transient.period = 2.0 * std::numbers::pi;
  transient.parameters = orbits.rates().at_start().inputs;
  const Vector settled = flow(orbits.kernels(), Orbits::options(), transient).end.x;
  const Branch branch = branch_through(orbits.system(), orbits.near(settled), orbits.bounds(0.73, 0.77));
  EXPECT_THAT(branch.sequences, ElementsAre("chatter(barrier), slide(barrier)"));
  EXPECT_EQ(branch.points.front().parameter, 0.73);
  EXPECT_EQ(branch.points.back().parameter, 0.77);
  // Second road: shooting over the whole event-driven motion, its tangent carried through every single impact.
  const OrbitSetting setting{
      orbits.kernels(), orbit_flow_options(), translations_of(orbits.kernels(), orbits.rates().at_start().inputs), {}};
  for (const BranchPoint* point : {&branch.points.front(), &branch.points.back()}) {
    const ParameterPoint p = orbits.rates().at(point->orbit.varied);
    const OrbitSearch search = find_orbit(setting, p, {{point->x()}, 1});
    ASSERT_TRUE(search.orbit);
    EXPECT_CLOSE(point->x(), search.orbit->x, integration(1e-9, 1.0, 1.0));
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_CLOSE(point->multipliers[i], search.orbit->multipliers[i].value, integration(1e-8, 1.0, 1.0));
      EXPECT_EQ(point->multipliers[i] == 0.0, search.orbit->multipliers[i].annihilated);
    }
    // The small ones to their own size.
    EXPECT_CLOSE(point->multipliers[2], search.orbit->multipliers[2].value, integration(1e-6, 1.0));
    EXPECT_CLOSE(point->multipliers[3], search.orbit->multipliers[3].value, integration(1e-5, 1.0));
  }
}

}  // namespace
}  // namespace saltus::test
