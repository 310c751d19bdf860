// Orbits that slide along a switch: dry friction, held to closed forms.
#include <gmock/gmock.h>

#include "tests/analysis/branches/orbits_of.hpp"
#include "tests/support/dry_friction_closed_form.hpp"

namespace saltus::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double located = 1e-9;  // what a label promises

Orbits stick_slip(const StickSlip& s, const std::vector<std::string>& varied) {
  return {"stick_slip", varied, {{"F", digits(s.F)}, {"c", digits(s.c)}, {"belt", digits(s.b)}}};
}

Orbits dry_friction(const DryFriction& d, const std::vector<std::string>& varied) {
  return {"dry_friction",
          varied,
          {{"A", digits(d.A)},
           {"omega", digits(d.omega)},
           {"F", digits(d.F)},
           {"zeta", digits(d.zeta)},
           {"belt", digits(d.b)}}};
}

/// The orbit of one return near the motion after a transient.
PlannedOrbit settled(const Orbits& orbits, long periods = 60) {
  const ParameterPoint p = orbits.rates().at(orbits.rates().start());
  FlowRun run;
  run.start = start_point(orbits.kernels(), {}, orbits.initial(), LaneStepper::Carries::state);
  run.parameters = p.inputs;
  run.period = p.period;
  run.end = {periods, 0.0};
  return orbits.near(flow(orbits.kernels(), Orbits::options(), run).end.x);
}

/// The orbit of the closed form, found from where it turns back.
PlannedOrbit turning_back(const Orbits& orbits, const StickSlip& s) {
  return orbits.near(Vector{{s.turning_point() + 1e-3, 0.0}});
}

bool sticks(const SegmentPlan& segment) { return segment.mode.is_masked(); }

double time_in(const PlannedOrbit& orbit, bool sticking) {
  double sum = 0.0;
  for (std::size_t i = 0; i < orbit.x.size(); ++i)
    if (sticks(orbit.plan.segments[i]) == sticking) sum += orbit.tau[i];
  return sum;
}

TEST(OrbitStick, StickSlipCycleIsTheClosedFormAlongItsBranch) {
  const StickSlip s{.c = 0.2, .b = 0.5};
  const Orbits orbits = stick_slip(s, {"c"});
  const Branch branch = branch_through(orbits.system(), turning_back(orbits, s), orbits.bounds(0.05, 0.4));
  EXPECT_THAT(branch.sequences, ElementsAre("slide(x' - belt)"));
  EXPECT_GT(branch.points.size(), 8U);
  for (const BranchPoint& point : branch.points) {
    const StickSlip at{.c = point.parameter, .b = s.b};
    EXPECT_CLOSE(point.period, at.period(), integration(1e-12, 1000.0));
    EXPECT_CLOSE(time_in(point.orbit, true), at.stick_time(), integration(1e-12, 1000.0));
    EXPECT_CLOSE(point.x()[0], at.turning_point(), integration(1e-12, 1000.0));
    // Beside the trivial multiplier, which is left out, that across the belt's speed: annihilated, exactly.
    EXPECT_THAT(point.multipliers, ElementsAre(std::complex<double>(0.0, 0.0)));
    EXPECT_TRUE(point.stable);
  }
}

TEST(OrbitStick, PeriodOfTheStickSlipCycleDoesNotDependOnTheBeltUntilItIsOvertaken) {
  const StickSlip s{.c = 0.2, .b = 0.5};
  const Orbits orbits = stick_slip(s, {"belt"});
  const Branch up = branch_through(orbits.system(), turning_back(orbits, s), orbits.bounds(0.2, 2.0));
  EXPECT_THAT(labels_of(up), ElementsAre("SL1"));
  const BranchPoint& limit = labelled(up, "SL1");
  EXPECT_CLOSE(limit.parameter, s.overtaking(), integration(located, 1.0));
  EXPECT_EQ(limit.passage, Passage::persists);
  EXPECT_THAT(up.sequences, ElementsAre("slide(x' - belt)", "switch(x' - belt), slide(x' - belt)"));
  for (const BranchPoint& point : up.points)
    if (point.parameter <= limit.parameter) { EXPECT_CLOSE(point.period, s.period(), integration(1e-12, 1000.0)); }
  EXPECT_CLOSE(up.points.back().parameter, 2.0, exact);
  // From the other side, where a flight above the belt's speed vanishes.
  const Orbits beyond = stick_slip({.c = s.c, .b = 2.0}, {"belt"});
  const Branch down = branch_through(beyond.system(), beyond.near(up.points.back().x()), beyond.bounds(0.2, 2.0));
  EXPECT_THAT(labels_of(down), ElementsAre("SL1"));
  EXPECT_CLOSE(labelled(down, "SL1").parameter, s.overtaking(), integration(located, 1.0));
  EXPECT_EQ(labelled(down, "SL1").passage, Passage::persists);
}

TEST(OrbitStick, DenHartogsOscillatorBeginsToStickAtHisAmplitudeSeenFromBothSides) {
  const DryFriction d{.omega = 0.7};
  const double A = d.sticking_begins();
  for (const double start : {0.95 * A, 1.2 * A}) {
    const Orbits orbits = dry_friction({.A = start, .omega = d.omega}, {"A"});
    const Branch branch = branch_through(orbits.system(), settled(orbits), orbits.bounds(0.9 * A, 1.5 * A));
    EXPECT_THAT(labels_of(branch), ElementsAre("SL1")) << start;
    EXPECT_CLOSE(labelled(branch, "SL1").parameter, A, integration(located, 1.0));
    EXPECT_EQ(labelled(branch, "SL1").passage, Passage::persists);
    EXPECT_THAT(branch.sequences, testing::UnorderedElementsAre("slide(x' - belt), slide(x' - belt)",
                                                                "switch(x' - belt), switch(x' - belt)"));
  }
}

TEST(OrbitStick, SlipsBetweenTwoStopsAndTheirMultiplierAreTheClosedForm) {
  const DryFriction d{.A = 1.3, .omega = 0.7};
  const Orbits orbits = dry_friction(d, {"A"});
  const Branch branch = branch_through(orbits.system(), settled(orbits), orbits.bounds(1.1, 1.35));
  EXPECT_GT(branch.points.size(), 4U);
  for (const BranchPoint& point : branch.points) {
    const PlannedOrbit& orbit = point.orbit;
    const DryFriction at{.A = point.parameter, .omega = d.omega};
    double t = orbit.t, product = 1.0;
    for (std::size_t i = 0; i < orbit.x.size(); t += orbit.tau[i], ++i) {
      if (sticks(orbit.plan.segments[i])) continue;
      // The slip with x' > 0 is the mirror image, half a period apart.
      const double sign = -orbit.plan.segments[i].mode.side(0);
      const double t0 = sign > 0.0 ? t : t + std::numbers::pi / d.omega;
      const DryFriction::Slip slip = at.slip(t0, orbit.tau[i]);
      EXPECT_CLOSE(sign * orbit.x[i][0], slip.from, integration(1e-12, 1000.0));
      EXPECT_CLOSE(sign * orbit.x[(i + 1) % orbit.x.size()][0], slip.to, integration(1e-12, 1000.0));
      EXPECT_CLOSE(slip.speed, 0.0, integration(1e-12, 1000.0, 1.0));
      product *= std::cos(orbit.tau[i]);
    }
    ASSERT_EQ(point.multipliers.size(), 2U);
    EXPECT_CLOSE(point.multipliers[0].real(), product, integration(1e-12, 1000.0));
    EXPECT_EQ(point.multipliers[1], 0.0);
  }
}

TEST(OrbitStick, SlippingMassTouchesTheSpeedOfTheBeltSeenFromBothSides) {
  const DryFriction d{.omega = 0.7, .zeta = 0.05, .b = 1.0};
  const double A = d.touching_begins();
  for (const double start : {0.8 * A, 1.2 * A}) {
    DryFriction at = d;
    at.A = start;
    const Orbits orbits = dry_friction(at, {"A"});
    const Branch branch = branch_through(orbits.system(), settled(orbits), orbits.bounds(0.5 * A, 1.3 * A));
    EXPECT_THAT(labels_of(branch), ElementsAre("GR1")) << start;
    EXPECT_CLOSE(labelled(branch, "GR1").parameter, A, integration(located, 1.0));
    EXPECT_EQ(labelled(branch, "GR1").passage, Passage::persists);
    EXPECT_THAT(branch.sequences, testing::UnorderedElementsAre("no events", "slide(x' - belt)"));
  }
}

TEST(OrbitStick, FrictionThatTouchesItsLimitInAStickIsFoundFromBothSides) {
  // At rest at x the friction A cos ωt − x is largest where cos ωt = ±1: it reaches F there if |x| = A − F.
  const DryFriction d{.A = 1.5};
  std::vector<double> places;
  for (const double start : {0.2, 0.1}) {
    const Orbits orbits = dry_friction({.A = d.A, .omega = start}, {"omega"});
    const Branch branch = branch_through(orbits.system(), settled(orbits), orbits.bounds(0.09, 0.25));
    EXPECT_THAT(labels_of(branch), ElementsAre("SL1")) << start;
    const BranchPoint& limit = labelled(branch, "SL1");
    EXPECT_EQ(limit.passage, Passage::persists);
    double nearest = 1.0;
    for (std::size_t i = 0; i < limit.orbit.x.size(); ++i)
      if (sticks(limit.orbit.plan.segments[i]))
        nearest = std::min(nearest, std::abs(std::abs(limit.orbit.x[i][0]) - (d.A - d.F)));
    EXPECT_LT(nearest, located);
    places.push_back(limit.parameter);
  }
  EXPECT_CLOSE(places[0], places[1], integration(located, 1.0));
}

/// The curve of a special point in two parameters.
Branch curve_of(const Orbits& two, const Branch& branch, const std::string& label, const BranchOptions& options,
                const SecondBounds& second) {
  BranchPoint at = labelled(branch, label);
  at.brink.reset();  // as from a file
  at.orbit.varied = {two.rates().start().front(), at.parameter};
  return special_curve(two.system(), at, options, second);
}

TEST(OrbitStick, CurvesOfGrazingAndStickingInTwoParametersAreTheClosedForms) {
  const auto varied = [](const BranchPoint& point) { return std::pair(point.orbit.varied[0], point.orbit.varied[1]); };
  const auto check = [](const Branch& curve, auto error) {
    EXPECT_GT(curve.points.size(), 8U);
    for (const BranchEnd& end : curve.ends) EXPECT_EQ(end.reason, CurveEnd::bound) << end.words;
    for (const BranchPoint& point : curve.points) EXPECT_CLOSE(error(point), 0.0, integration(located, 1.0, 1.0));
  };
  const DryFriction d{.A = 1.3, .omega = 0.7};  // begins to stick: both halves of the orbit at once
  const Orbits one = dry_friction(d, {"A"}), two = dry_friction(d, {"omega", "A"});
  const Branch sticks = branch_through(one.system(), settled(one), one.bounds(1.2, 1.5));
  check(curve_of(two, sticks, "SL1", two.bounds(1.2, 2.0), {0.6, 0.8}), [&](const BranchPoint& point) {
    const auto [omega, A] = varied(point);
    return DryFriction{.omega = omega}.sticking_begins() - A;
  });
  const DryFriction b{.A = 0.8, .omega = 0.7, .zeta = 0.05, .b = 1.0};  // touches the speed of the belt
  const Orbits belt = dry_friction(b, {"A"}), belts = dry_friction(b, {"omega", "A"});
  const Branch touches = branch_through(belt.system(), settled(belt), belt.bounds(0.6, 0.9));
  check(curve_of(belts, touches, "GR1", belts.bounds(0.2, 2.5), {0.5, 0.8}), [&](const BranchPoint& point) {
    const auto [omega, A] = varied(point);
    return DryFriction{.omega = omega, .zeta = b.zeta, .b = b.b}.touching_begins() - A;
  });
  const StickSlip s;  // overtakes the belt
  const Orbits block = stick_slip(s, {"belt"}), blocks = stick_slip(s, {"c", "belt"});
  const Branch overtakes = branch_through(block.system(), turning_back(block, s), block.bounds(0.4, 1.5));
  check(curve_of(blocks, overtakes, "SL1", blocks.bounds(0.3, 3.0), {0.1, 0.6}), [&](const BranchPoint& point) {
    const auto [c, speed] = varied(point);
    return StickSlip{.c = c}.overtaking() - speed;
  });
}

TEST(OrbitStick, JacobianAgreesWithDifferencesOfTheResidual) {
  const auto check = [](const Orbits& orbits, PlannedOrbit orbit) {
    orbit.varied = orbits.rates().start();
    const HybridOrbit problem(orbits.system(), orbit, Vector::Ones(2));
    const Vector y = problem.unknowns(orbit);
    const Matrix exact_jacobian = problem.jet(y)->jacobian;
    const auto differences = [&](double h) {
      Matrix D(exact_jacobian.rows(), y.size());
      for (Eigen::Index j = 0; j < y.size(); ++j) {
        const Vector by = Vector::Unit(y.size(), j) * h;
        D.col(j) = (problem.jet(y + by)->residual - problem.jet(y - by)->residual) / (2.0 * h);
      }
      return D;
    };
    EXPECT_CLOSE(differences, exact_jacobian, difference(1e-2));
  };
  const StickSlip s;
  check(stick_slip(s, {"c", "belt"}), turning_back(stick_slip(s, {"c"}), s));
  const DryFriction d{.A = 1.2, .omega = 0.6, .zeta = 0.03, .b = 0.1};
  check(dry_friction(d, {"omega", "belt"}), settled(dry_friction(d, {"omega"})));
}

}  // namespace
}  // namespace saltus::test
