#include "saltus/analysis/branches/orbit_branch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/analysis/branches/branch_closure.hpp"
#include "tests/analysis/branches/orbits_of.hpp"

namespace saltus::test {
namespace {

using testing::ElementsAre;

Orbits oscillator(const ImpactOscillator& o, const std::vector<std::string>& varied = {"sigma"}) {
  return {"impact_oscillator", varied, {{"omega", digits(o.omega)}, {"sigma", digits(o.sigma)}}};
}

/// x on the strobe without impacts.
Vector free_state(const ImpactOscillator& o) { return Vector{{o.particular(0.0), o.particular_rate(0.0)}}; }

TEST(OrbitBranch, OneImpactBranchOfTheOscillatorIsTheClosedFormAtEveryPoint) {
  ImpactOscillator o{.omega = 2.4, .sigma = 0.05};
  const Orbits orbits = oscillator(o);
  const Branch branch =
      branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), orbits.bounds(-0.3, 0.2));
  ASSERT_GE(branch.points.size(), 20U);
  for (const BranchPoint& point : branch.points) {
    o.sigma = point.parameter;
    const double w = o.speeds().front();
    EXPECT_CLOSE(point.x(), Vector(o.strobe(w)), integration(1e-9, 1.0, 1.0));
    const auto mu = o.multipliers(w);
    EXPECT_CLOSE((point.multipliers[0] + point.multipliers[1]).real(), (mu[0] + mu[1]).real(),
                 integration(1e-9, 1.0, 1.0));
    EXPECT_EQ(branch.sequences[point.sequence], "stop");
  }
  EXPECT_THAT(labels_of(branch), ElementsAre("PD1"));
  EXPECT_CLOSE(labelled(branch, "PD1").parameter, o.period_doubling()->sigma, integration(1e-9, 1.0, 1.0));
  EXPECT_EQ(branch.points.front().parameter, -0.3);
  EXPECT_EQ(branch.points.back().parameter, 0.2);
}

TEST(OrbitBranch, TheFirstOrbitWithAnotherLastDigitIsLeftAndDoesNotCloseTheBranch) {
  const ImpactOscillator free{.omega = 2.4, .sigma = 0.25};
  const Orbits orbits = oscillator(free);
  const OrbitSystem system = orbits.system();
  const PlannedOrbit first = orbits.near(free_state(free));
  const HybridOrbit problem(system, first, Vector{{1.0}});
  const BranchGate gate(system, first, 1.0);
  const auto beside = [&](double shift) {
    Vector y = problem.unknowns(first);
    y.tail(1)[0] += shift;
    return CurvePoint{y, parameter_direction(problem), {}, {}};
  };
  EXPECT_FALSE(gate.passed(problem, beside(-1e-15), beside(0.01), {}).has_value());
  EXPECT_TRUE(gate.passed(problem, beside(-0.01), beside(0.01), {}).has_value());
}

TEST(OrbitBranch, BranchThatPersistsIsFoundFromBothSidesOfItsGrazing) {
  ImpactOscillator striking{.omega = 2.4, .sigma = 0.15};
  const Orbits with_impact = oscillator(striking);
  const Branch up = branch_through(with_impact.system(), with_impact.near(striking.strobe(striking.speeds().front())),
                                   with_impact.bounds(0.14, 0.25));
  ImpactOscillator free{.omega = 2.4, .sigma = 0.25};
  const Orbits without = oscillator(free);
  const Branch down = branch_through(without.system(), without.near(free_state(free)), without.bounds(0.14, 0.25));
  const BranchPoint& from_below = labelled(up, "GR1");
  const BranchPoint& from_above = labelled(down, "GR1");
  EXPECT_CLOSE(from_below.parameter, free.amplitude(), integration(1e-9, 1.0));
  EXPECT_CLOSE(from_above.parameter, from_below.parameter, integration(1e-8, 1.0));
  EXPECT_EQ(from_below.passage, Passage::persists);
  EXPECT_EQ(from_above.passage, Passage::persists);
  EXPECT_EQ(up.sequences[from_below.sequence], "stop");
  EXPECT_EQ(up.sequences[from_below.sequence_beyond], "no events");
  EXPECT_EQ(down.sequences[from_above.sequence], "no events");
  EXPECT_EQ(down.sequences[from_above.sequence_beyond], "stop");
}

TEST(OrbitBranch, BranchThatFoldsBackHasItsFoldAndItsGrazingWhereTheClosedFormHasThem) {
  ImpactOscillator o{.omega = 1.6, .sigma = 0.5};
  const Orbits orbits = oscillator(o);
  const Branch branch =
      branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), orbits.bounds(0.3, 1.9));
  EXPECT_THAT(labels_of(branch), ElementsAre("LP1", "GR1"));
  EXPECT_CLOSE(labelled(branch, "LP1").parameter, o.fold()->sigma, integration(1e-9, 1.0));
  const BranchPoint& grazing = labelled(branch, "GR1");
  EXPECT_CLOSE(grazing.parameter, o.amplitude(), integration(1e-9, 1.0));
  EXPECT_EQ(grazing.passage, Passage::folds_back);
  // Between fold and grazing the orbit is unstable, and no simulation reaches it; the closed form does.
  int unstable = 0;
  for (const BranchPoint& point : branch.points) {
    if (point.stable || branch.sequences[point.sequence] != "stop" || point.special != SpecialKind::none) continue;
    o.sigma = point.parameter;
    EXPECT_CLOSE(point.x(), Vector(o.strobe(o.speeds().back())), integration(1e-9, 1.0, 1.0));
    ++unstable;
  }
  EXPECT_GE(unstable, 5);
  EXPECT_EQ(branch.points.back().parameter, 1.9);
  EXPECT_EQ(branch.sequences[branch.points.back().sequence], "no events");
}

TEST(OrbitBranch, NoOrbitOfABranchPenetratesItsStop) {
  ImpactOscillator o{.omega = 1.6, .sigma = 0.0};
  const Orbits orbits = oscillator(o);
  const Branch branch =
      branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), orbits.bounds(-0.5, 0.2));
  // The closed form's orbit enters the stop below some sigma: the branch has an impact more from there.
  const BranchPoint& grazing = labelled(branch, "GR1");
  o.sigma = grazing.parameter + 1e-4;
  EXPECT_LT(o.penetration(o.speeds().front()), 0.0);
  o.sigma = grazing.parameter - 1e-4;
  EXPECT_GT(o.penetration(o.speeds().front()), 0.0);
  EXPECT_EQ(branch.sequences[grazing.sequence], "stop");
  EXPECT_EQ(branch.sequences[branch.points.front().sequence], "stop, stop");
  for (const BranchPoint& point : branch.points) {
    const ParameterPoint p = orbits.rates().at(point.orbit.varied);
    FlowRun run;
    run.start = start_point(orbits.kernels(), {}, point.x(), LaneStepper::Carries::state);
    run.end = {1, 0.0};
    run.period = p.period;
    run.parameters = p.inputs;
    EXPECT_LT(flow(orbits.kernels(), Orbits::options(), run).ledger.worst_penetration, 1e-9);
  }
}

TEST(OrbitBranch, DoubledOrbitLeavesThePeriodDoublingAndIsStableThere) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.12};
  const Orbits orbits = oscillator(o);
  const BranchOptions options = orbits.bounds(0.1, 0.14);
  const Branch branch = branch_through(orbits.system(), orbits.near(o.strobe(o.speeds().front())), options);
  const BranchPoint& doubling = labelled(branch, "PD1");
  const Branch doubled = switched_branch(orbits.system(), doubling, options);
  ASSERT_GE(doubled.points.size(), 4U);
  const BranchPoint& near = doubled.points[1];
  EXPECT_EQ(near.returns.size(), 2U);
  EXPECT_GT((near.returns[0] - near.returns[1]).norm(), 1e-3);
  EXPECT_TRUE(near.stable);
  EXPECT_GT(near.parameter, doubling.parameter);
  EXPECT_EQ(doubled.points.back().parameter, 0.14);
}

TEST(OrbitBranch, VibratingTableDoublesItsPeriodAtTheClosedFormsAmplitude) {
  // (A ω²/g)² = (π (1 − e)/(1 + e))² + (2 (1 + e²)/(1 + e)²)²; examples/vibrating_table.toml.
  const double e = 0.8;
  const double expected =
      std::hypot(std::numbers::pi * (1.0 - e) / (1.0 + e), 2.0 * (1.0 + e * e) / ((1.0 + e) * (1.0 + e)));
  const Orbits orbits("vibrating_table", {"A"}, {}, "period1");
  const Branch branch = branch_through(orbits.system(), orbits.near(orbits.initial()), orbits.bounds(0.36, 1.2));
  EXPECT_CLOSE(labelled(branch, "PD1").parameter, expected, integration(1e-9, 1.0));
  // The orbit exists for A > π (1 − e)/(1 + e) only: below it folds.
  const double smallest = std::numbers::pi * (1.0 - e) / (1.0 + e);
  EXPECT_GT(branch.points.front().parameter, smallest - 1e-9);
}

TEST(OrbitBranch, CurvesInTwoParametersKeepToTheClosedForms) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.05};
  const Orbits one = oscillator(o);
  const Orbits two = oscillator(o, {"omega", "sigma"});
  const Branch branch = branch_through(one.system(), one.near(o.strobe(o.speeds().front())), one.bounds(-0.1, 0.3));
  const auto on_curve = [&](const std::string& label) {
    BranchPoint at = labelled(branch, label);
    at.orbit.varied.insert(at.orbit.varied.begin(), o.omega);
    return special_curve(two.system(), at, two.bounds(-0.3, 0.4), {2.2, 2.6});
  };
  const Branch doublings = on_curve("PD1");
  const Branch grazings = on_curve("GR1");
  for (const Branch* curve : {&doublings, &grazings}) {
    ASSERT_GE(curve->points.size(), 5U);
    EXPECT_CLOSE(curve->points.front().orbit.varied[0], 2.2, integration(1e-8, 1.0));
    EXPECT_CLOSE(curve->points.back().orbit.varied[0], 2.6, integration(1e-8, 1.0));
  }
  for (const BranchPoint& point : doublings.points) {
    const ImpactOscillator there{.omega = point.orbit.varied[0]};
    EXPECT_CLOSE(point.parameter, there.period_doubling()->sigma, integration(1e-8, 1.0, 1.0));
  }
  for (const BranchPoint& point : grazings.points) {
    const ImpactOscillator there{.omega = point.orbit.varied[0]};
    EXPECT_CLOSE(point.parameter, there.amplitude(), integration(1e-8, 1.0, 1.0));
  }
}

TEST(OrbitBranch, CurveOfFoldsKeepsToTheClosedForm) {
  const ImpactOscillator o{.omega = 1.6, .sigma = 1.5};
  const Orbits one = oscillator(o);
  const Orbits two = oscillator(o, {"omega", "sigma"});
  const Branch branch = branch_through(one.system(), one.near(o.strobe(o.speeds().front())), one.bounds(1.4, 1.9));
  BranchPoint at = labelled(branch, "LP1");
  at.orbit.varied.insert(at.orbit.varied.begin(), o.omega);
  const Branch folds = special_curve(two.system(), at, two.bounds(0.5, 3.0), {1.55, 1.65});
  ASSERT_GE(folds.points.size(), 3U);
  for (const BranchPoint& point : folds.points) {
    const ImpactOscillator there{.omega = point.orbit.varied[0]};
    EXPECT_CLOSE(point.parameter, there.fold()->sigma, integration(1e-8, 1.0, 1.0));
  }
}

TEST(OrbitBranch, OrbitOfTheEquationsThatEntersTheStopIsRefused) {
  // Far below its grazing the closed form has a one-impact orbit that passes through the stop: it solves all equations.
  const ImpactOscillator o{.omega = 1.6, .sigma = -0.35};
  const double w = o.speeds().front();
  ASSERT_GT(o.penetration(w), 1e-3);
  const Orbits orbits = oscillator(o);
  PlannedOrbit guess;
  guess.plan.periods = 1;
  guess.plan.segments = {{Mode(orbits.kernels().layout()), {SegmentEnd::Kind::impact, 0, 0.0}, Vector::Zero(2)}};
  guess.t = o.instant(w);
  guess.x = {Vector{{o.sigma, -o.e * w}}};
  guess.tau = {o.T()};
  guess.varied = {o.sigma};
  const HybridOrbit problem(orbits.system(), guess, Vector::Ones(1));
  EXPECT_CLOSE(problem.jet(problem.unknowns(guess))->residual, Vector(Vector::Zero(4)), rounding(1e5, 1.0));
  const CorrectedOrbit found = nearby_orbit(orbits.system(), guess, {});
  EXPECT_FALSE(found.orbit.has_value());
  EXPECT_THAT(found.problem, testing::HasSubstr("lost its sequence of events: impact at t = "));
}

TEST(OrbitBranch, NewtonBeyondTheFoldWhereThereIsNoOrbitSaysSo) {
  ImpactOscillator o{.omega = 1.6, .sigma = 1.7};
  const Orbits orbits = oscillator(o);
  PlannedOrbit guess = orbits.near(o.strobe(o.speeds().front()));
  guess.varied = {1.9};
  ASSERT_GT(guess.varied.front(), o.fold()->sigma);
  const CorrectedOrbit found = nearby_orbit(orbits.system(), guess, {});
  EXPECT_FALSE(found.orbit.has_value());
  EXPECT_FALSE(found.problem.empty());
}

}  // namespace
}  // namespace saltus::test
