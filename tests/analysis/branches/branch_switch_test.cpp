// Where branches cross: symmetry that is lost, and doubled orbits that come back to where they were born.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/branches/half_orbit.hpp"
#include "tests/analysis/branches/orbits_of.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;
constexpr double pi = std::numbers::pi;

/// The impact pair with one impact per wall and period, mirrored after half a period: examples/impact_pair.toml. Half a period and
/// the mirror make a map with trace tr and determinant e² of small changes of phase and speed; it has the multiplier −1 where
///   tan φ = π (1 − e)/(2 (1 + e)),   L = π sin φ (1 + e)/(1 − e) − 2 cos φ,
/// and the whole period has +1 there: the mirror orbit loses its symmetry.
struct MirrorOrbit {
  double e = 0.7;
  double phase() const { return std::atan(pi * (1.0 - e) / (2.0 * (1.0 + e))); }
  double length() const { return pi * std::sin(phase()) * (1.0 + e) / (1.0 - e) - 2.0 * std::cos(phase()); }
  /// (x, v) at t = 0 of the box with length L, from  sin φ = (1 − e)/(1 + e) (L + 2 cos φ)/π.
  Vector strobe(double L) const {
    const double r = (1.0 - e) / (1.0 + e) / pi;
    double phi = phase();
    for (int i = 0; i < 50; ++i)
      phi -= (std::sin(phi) - r * (L + 2.0 * std::cos(phi))) / (std::cos(phi) + 2.0 * r * std::sin(phi));
    const double speed = (L + 2.0 * std::cos(phi)) / pi;
    // It leaves the right wall at the phase φ; half a period before, it left the left one.
    return Vector{{std::cos(phi) + 0.5 * L - speed * phi, speed}};
  }
};

/// x(t + T/2) + x(t) at the impacts: zero for a mirrored orbit.
double asymmetry(const BranchPoint& point) {
  const std::vector<Vector>& x = point.orbit.x;
  return std::abs(x[0][1] + x[1][1]);
}

TEST(BranchSwitch, MirrorOrbitOfTheImpactPairLosesItsSymmetryAtTheClosedFormsLength) {
  const MirrorOrbit mirror;
  const double expected = mirror.length();
  const Orbits orbits("impact_pair", {"L"}, {{"L", digits(expected + 0.1)}});
  const BranchOptions options = orbits.bounds(expected - 0.2, expected + 0.2);
  const Branch branch = branch_through(orbits.system(), orbits.near(mirror.strobe(expected + 0.1)), options);
  const BranchPoint& crossing = labelled(branch, "BP1");
  EXPECT_CLOSE(crossing.parameter, expected, integration(1e-9, 1.0));
  EXPECT_LT(asymmetry(crossing), 1e-7);
  ASSERT_EQ(crossing.null_vector.size(), 2);
  const Branch others = switched_branch(orbits.system(), crossing, options);
  ASSERT_GE(others.points.size(), 7U);
  EXPECT_EQ(others.ends.size(), 2U);
  // Both halves are orbits with one impact per wall that are no mirrors of themselves; one half mirrors the other.
  EXPECT_GT(asymmetry(others.points.front()), 0.05);
  EXPECT_GT(asymmetry(others.points.back()), 0.05);
  for (const BranchPoint* end : {&others.points.front(), &others.points.back()})
    EXPECT_EQ(others.sequences[end->sequence].size(), std::string("left, right").size());
  const bool stable_side_is_above = branch.points.back().stable;
  EXPECT_NE(branch.points.front().stable, branch.points.back().stable);
  EXPECT_EQ(others.points.front().parameter < expected, stable_side_is_above);
}

TEST(BranchSwitch, DoubledOrbitThatComesBackToItsBirthEndsThereWithALabel) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.12};
  const Orbits orbits("impact_oscillator", {"sigma"}, {{"omega", "2.4"}, {"sigma", digits(o.sigma)}});
  BranchOptions options = orbits.bounds(0.1, 0.14);
  const Branch branch = branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), options);
  const Branch doubled = switched_branch(orbits.system(), labelled(branch, "PD1"), options);
  // From a point of the doubled branch towards the doubling: there the two halves are one.
  const BranchPoint& away = doubled.points[doubled.points.size() / 2];
  options.direction = BranchOptions::Direction::down;
  const Branch back = branch_through(orbits.system(), away.orbit, options);
  const BranchPoint& birth = back.points.front();
  EXPECT_EQ(birth.special, SpecialKind::period_doubling);
  EXPECT_CLOSE(birth.parameter, o.period_doubling()->sigma, integration(1e-9, 1.0, 1.0));
  EXPECT_THAT(birth.note, HasSubstr("half the period"));
  // It is the orbit of one return with the multiplier −1, from which the doubled branch leaves again.
  EXPECT_EQ(birth.returns.size(), 1U);
  EXPECT_EQ(birth.orbit.x.size(), 1U);
  EXPECT_CLOSE(birth.multipliers.front().real(), -1.0, integration(1e-9, 1.0));
  EXPECT_THAT(labels_of(back), testing::ElementsAre("PD1"));
  options.direction = BranchOptions::Direction::both;
  EXPECT_EQ(switched_branch(orbits.system(), birth, options).points.size(), doubled.points.size());
  EXPECT_EQ(back.ends.front().reason, CurveEnd::special);
}

TEST(BranchSwitch, PlanRunsTwiceWhereverTheTurnsOfItsAnglesAreTakenOff) {
  OrbitPlan plan;
  SegmentPlan flight{.mode = {}, .end = {SegmentEnd::Kind::impact, 0, 0.0}, .shift = Vector::Zero(2)};
  flight.mode = Mode({ContactState::open}, {});
  plan.segments.assign(4, flight);
  EXPECT_TRUE(runs_twice(plan));
  const double turn = 2.0 * std::numbers::pi;
  plan.translations = Translations::of_angles(2, {turn});
  plan.segments.back().shift[0] = 2.0 * turn;  // each half turns once
  EXPECT_TRUE(runs_twice(plan));
  plan.segments.back().shift[0] = turn;  // half a turn is none
  EXPECT_FALSE(runs_twice(plan));
  plan.segments.back().shift[0] = 0.0;
  plan.segments[1].end.index = 1;
  EXPECT_FALSE(runs_twice(plan));
}

TEST(BranchSwitch, FirstHalfOfADoubledOrbitIsTheOrbit) {
  SegmentPlan flight{.mode = {}, .end = {SegmentEnd::Kind::impact, 0, 0.0}, .shift = Vector{{2.0 * pi, 0.0}}};
  PlannedOrbit orbit;
  orbit.plan = {1, {flight}};
  orbit.x = {Vector{{0.3, 1.0}}};
  orbit.tau = {2.0};
  orbit.varied = {0.7};
  PlannedOrbit twice = doubled(orbit);
  twice.plan.segments[0].shift[0] = 0.0;  // all turns are taken off at the end
  twice.plan.segments[1].shift[0] = 4.0 * pi;
  const PlannedOrbit half = first_half(twice);
  EXPECT_EQ(half.plan.periods, 1);
  ASSERT_EQ(half.x.size(), 1U);
  EXPECT_EQ(half.x[0], orbit.x[0]);
  EXPECT_EQ(half.tau, orbit.tau);
  EXPECT_CLOSE(half.plan.segments[0].shift[0], 2.0 * pi, rounding(1.0));
}

TEST(BranchSwitch, ReturnsRepeatAfterADivisorOfTheirNumber) {
  const Vector a{{1.0, 2.0}}, b{{1.5, 2.0}}, c{{1.0, 2.5}}, sizes{{1.5, 2.5}};
  EXPECT_EQ(distinct_returns({a}, sizes), 1U);
  EXPECT_EQ(distinct_returns({a, a, a}, sizes), 1U);
  EXPECT_EQ(distinct_returns({a, b, a, b}, sizes), 2U);
  EXPECT_EQ(distinct_returns({a, b, c, a}, sizes), 4U);
  EXPECT_EQ(distinct_returns({a, b, a, b, a}, sizes), 5U);
  // A component in a large unit is no less one.
  const Vector unit{{1.0, 1e-9}};
  EXPECT_EQ(distinct_returns({a.cwiseProduct(unit), c.cwiseProduct(unit)}, sizes.cwiseProduct(unit)), 2U);
}

TEST(BranchSwitch, StartThatIsASpecialPointKeepsItsLabel) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.12};
  const Orbits orbits("impact_oscillator", {"sigma"}, {{"omega", "2.4"}, {"sigma", digits(o.sigma)}});
  const BranchOptions options = orbits.bounds(0.1, 0.25);
  const Branch branch = branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), options);
  for (const char* label : {"PD1", "GR1"}) {
    const BranchPoint& start = labelled(branch, label);
    const Branch again = branch_through(orbits.system(), start, options);
    EXPECT_THAT(labels_of(again), testing::ElementsAre("PD1", "GR1")) << label;
    EXPECT_EQ(labelled(again, label).parameter, start.parameter);
    EXPECT_CLOSE(labelled(again, "GR1").parameter, o.amplitude(), integration(1e-9, 1.0));
    EXPECT_EQ(again.points.front().parameter, 0.1);
    EXPECT_EQ(again.points.back().parameter, 0.25);
  }
}

}  // namespace
}  // namespace saltus::test
