// Orbits that are closed up to whole periods of angles and up to a drift.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/analysis/orbits/orbit.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using test::Motion;
using test::MotionSetup;

/// Pulled along a line with a mean speed: v̇ = c (V + cos t − v).
const std::string pulled = R"toml([parameters]
c = 0.4
V = 0.7
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["c*(V + cos(t) - x')"]
[forcing]
period = "2*pi"
[initial]
x = 3.0
)toml";

/// Liu, Wiercigroch, Pavlovskaia and Yu 2013: a mass inside a capsule that walks on dry ground.
const std::string capsule = R"toml([parameters]
alpha = 1.6
w = 0.95
[define]
contact = "15*max(x1 - x2 - 0.02, 0)"
inner = "(x2 - x1) + 0.02*(x2' - x1')"
[mechanics]
coordinates = ["x1", "x2"]
mass = [["1", "0"], ["0", "5"]]
force = ["alpha*cos(w*t) + inner - contact", "-inner + contact - sign(x2')"]
[forcing]
period = "2*pi/w"
)toml";

/// Turns with the period 4π of its force.
const std::string rotor = R"toml([mechanics]
coordinates = ["phi"]
mass = [["1"]]
force = ["3 - phi' + 0.5*cos(phi/2)"]
[section]
surface = "phi"
modulo = "4*pi"
)toml";

/// AUTO's demo pen: two pendulums joined by a spring.
const std::string pendulums = R"toml([mechanics]
coordinates = ["p1", "p2"]
mass = [["1", "0"], ["0", "1"]]
force = ["-0.1*p1' - sin(p1) + 0.4 + 0.175*(p2-p1)", "-0.1*p2' - sin(p2) + 0.4 + 0.175*(p1-p2)"]
[section]
surface = "(p1 + p2)/2"
modulo = "2*pi"
[initial]
p1 = 1.240368
p2 = 1.240368
"p1'" = 4.07832
"p2'" = 4.07832
)toml";

Motion tight_motion(const std::string& text, MotionSetup with = {}) {
  with.options = orbit_flow_options();
  return Motion::of(text, with);
}

OrbitSetting drift_setting(const Motion& motion, double modulo = 0.0) {
  OrbitSetting setting{motion.kernels(), motion.options, translations_of(motion.kernels(), motion.point().inputs), {}};
  if (modulo > 0.0) setting.section = Watch{0, Crossing::up, modulo};
  return setting;
}

OrbitSearch drifting_orbit(const Motion& motion, long transient) {
  const FlowResult end = motion.flow_from({}, motion.start(), {transient, 0.0});
  return find_orbit(drift_setting(motion), motion.point(), {{end.end.x, 0.0, end.end.mode, end.end.fastest}, 1}, {});
}

OrbitSearch section_orbit(const Motion& motion, const OrbitSetting& setting) {
  const GuessReading guess = guess_from(setting, motion.point(), {motion.start()}, 1, 1e3);
  if (!guess.guess) return {};
  return find_orbit(setting, motion.point(), *guess.guess);
}

/// x(T) − x(0) by the event-driven motion.
Vector gain_of(const Motion& motion, const PeriodicOrbit& orbit) {
  const Time end = motion.period() > 0.0 ? Time{orbit.returns, 0.0} : Time{0, orbit.period};
  return motion.flow_from({}, orbit.x, end).end.x - orbit.x;
}

TEST(Drift, OfAPulledMassIsItsMeanSpeedTimesThePeriod) {
  const Motion motion = tight_motion(pulled);
  const OrbitSearch search = drifting_orbit(motion, 0);
  ASSERT_TRUE(search.orbit);
  ASSERT_EQ(search.orbit->drift.size(), 1U);
  EXPECT_NEAR(search.orbit->drift.at(0), 2 * pi * 0.7, 1e-10);
  EXPECT_NEAR(search.orbit->x[0], 3.0, 1.5 * pi);  // where it began, not far along
  EXPECT_NEAR(search.orbit->x[1], 0.7 + 0.16 / 1.16, 1e-11);
  EXPECT_EQ(search.orbit->stability, Stability::stable);
  const std::vector<Multiplier>& found = search.orbit->multipliers;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].trivial && found[0].cyclic);
  EXPECT_NEAR(found[0].value.real(), 1.0, 1e-12);
  EXPECT_NEAR(found[1].value.real(), std::exp(-0.8 * pi), 1e-11);
  EXPECT_FALSE(found[1].trivial);
}

TEST(Drift, WithoutFrictionOrbitsAreAFamilyAndNoneIsReported) {
  std::string text = pulled;
  text.replace(text.find("c*(V + cos(t) - x')"), 19, "cos(t) - 0*x'");
  const OrbitSearch search = drifting_orbit(tight_motion(text), 0);
  // Every mean speed belongs to an orbit: one that was met may be told, but not as stable.
  if (search.orbit) { EXPECT_EQ(search.orbit->stability, Stability::neutral); }
}

TEST(Drift, OfTheWalkingCapsuleIsWhatItWalks) {
  const Motion motion = tight_motion(capsule);
  const OrbitSearch search = drifting_orbit(motion, 60);
  ASSERT_TRUE(search.orbit);
  const PeriodicOrbit& orbit = *search.orbit;
  ASSERT_EQ(orbit.drift.size(), 2U);
  EXPECT_NEAR(orbit.drift.at(0), 1.15815, 1e-5);
  EXPECT_NEAR(orbit.drift.at(0), orbit.drift.at(1), 1e-11);
  const Vector gain = gain_of(motion, orbit);
  EXPECT_NEAR(gain[0], orbit.drift.at(0), 1e-9);
  EXPECT_NEAR(gain[1], orbit.drift.at(1), 1e-9);
  EXPECT_LT(gain.tail(2).norm(), 1e-9);
  EXPECT_EQ(orbit.stability, Stability::stable);
}

TEST(Drift, SamplesOfAnOrbitGoOnDrifting) {
  const Motion motion = tight_motion(pulled);
  const OrbitSearch search = drifting_orbit(motion, 0);
  ASSERT_TRUE(search.orbit);
  const std::vector<Sample> samples = samples_of(drift_setting(motion), motion.point(), *search.orbit, 8);
  ASSERT_EQ(samples.size(), 9U);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vector there = motion.flow_from({}, search.orbit->x, {0, samples[i].t}).end.x;
    EXPECT_LT((samples[i].x - there).norm(), 1e-9) << i;
  }
}

TEST(Drift, TheConditionsHaveTheirDerivatives) {
  const Motion motion = tight_motion(capsule, {.varied = {"alpha"}});
  const FlowResult end = motion.flow_from({}, motion.start(), {60, 0.0});
  const Translations translations = translations_of(motion.kernels(), motion.point().inputs);
  ASSERT_EQ(translations.drifts(), 1U);
  const ShootingStart start = shooting_start(motion.kernels(), motion.options, motion.point(),
                                             {{end.end.x, 0.0, end.end.mode, end.end.fastest}, 1}, 3, translations);
  const Shooting shooting(motion.kernels(), motion.options, start.mesh);
  const ShootingValue value = shooting(start.u, motion.point());
  ASSERT_TRUE(value.whole());
  const double h = 1e-6;
  for (Eigen::Index j = 0; j < start.u.size(); ++j) {
    const Vector step = h * Vector::Unit(start.u.size(), j);
    const Vector slope =
        (shooting(start.u + step, motion.point()).residual - shooting(start.u - step, motion.point()).residual) /
        (2 * h);
    EXPECT_LT((slope - value.jacobian.col(j)).norm(), 1e-5 * (1.0 + slope.norm())) << j;
  }
  const Vector slope =
      (shooting(start.u, motion.point(0, h)).residual - shooting(start.u, motion.point(0, -h)).residual) / (2 * h);
  EXPECT_LT((slope - value.by_parameter.col(0)).norm(), 1e-5 * (1.0 + slope.norm()));
}

TEST(Turns, ARotorOfPeriodFourPiTurnsTwice) {
  const Motion motion = tight_motion(rotor);
  const OrbitSearch search = section_orbit(motion, drift_setting(motion, 4 * pi));
  ASSERT_TRUE(search.orbit);
  EXPECT_NEAR(search.orbit->turns[0], 4 * pi, 1e-12);
  EXPECT_GT(search.orbit->period, 1.0);
  const Vector gain = gain_of(motion, *search.orbit);
  EXPECT_NEAR(gain[0], 4 * pi, 1e-9);
  EXPECT_NEAR(gain[1], 0.0, 1e-9);
  EXPECT_TRUE(search.orbit->drift.empty());
}

TEST(Turns, BothPendulumsTurnTogether) {
  const Motion motion = tight_motion(pendulums);
  const OrbitSearch search = section_orbit(motion, drift_setting(motion, 2 * pi));
  ASSERT_TRUE(search.orbit);
  EXPECT_NEAR(search.orbit->period, 1.57387972, 1e-7);  // as AUTO has it
  EXPECT_NEAR(search.orbit->turns[0], 2 * pi, 1e-12);
  EXPECT_NEAR(search.orbit->turns[1], 2 * pi, 1e-12);
}

TEST(Turns, NoOrbitIsAPointOrLastsNoTime) {
  // Sections of a rotor whose turns do not repeat, of a damped oscillator, of steady rotation.
  const std::string head = "[mechanics]\ncoordinates = [\"a\"]\nmass = [[\"1\"]]\nforce = [\"";
  const std::string tail = "\"]\n[section]\nsurface = \"a\"\nmodulo = \"2*pi\"\n[initial]\na = 0.3\n\"a'\" = 1.5\n";
  for (const char* force : {"3 - a' + 0.5*cos(a/2)", "-a - 0.3*a'", "2 - a'", "1 - 0.2*a' + 0.01*a"}) {
    const Motion motion = tight_motion(head + force + tail);
    const OrbitSetting setting = drift_setting(motion, 2 * pi);
    const OrbitSearch search = section_orbit(motion, setting);
    if (search.orbit) {
      EXPECT_GT(search.orbit->period, 1e-3) << force;
      const Vector gain = gain_of(motion, *search.orbit);
      EXPECT_LT(setting.translations.remainder(gain).norm(), 1e-7) << force;
    }
  }
}

TEST(DriftBranch, IsFollowedAndMeasuredAtEachPoint) {
  const Motion motion = tight_motion(capsule, {.varied = {"alpha"}});
  const FlowResult end = motion.flow_from({}, motion.start(), {60, 0.0});
  const OrbitSystem system{motion.kernels(), motion.options, motion.rates(), {}};
  const PlanReading read =
      read_plan(motion.kernels(), motion.options, motion.rates(), motion.rates().start(), end.end.x, 1, system.place);
  ASSERT_TRUE(read.orbit) << read.problem;
  const CorrectedOrbit found = nearby_orbit(system, *read.orbit, {});
  ASSERT_TRUE(found.orbit) << found.problem;
  BranchOptions options;
  options.curve.lower = 1.59;
  options.curve.upper = 1.61;
  options.names = event_names(motion.model());
  const Branch branch = branch_through(system, *found.orbit, options);
  ASSERT_GE(branch.points.size(), 3U);
  EXPECT_NEAR(branch.points.front().parameter, 1.59, 1e-9);
  EXPECT_NEAR(branch.points.back().parameter, 1.61, 1e-9);
  for (const BranchPoint* point : {&branch.points.front(), &branch.points.back()}) {
    EXPECT_TRUE(point->stable);
    EXPECT_EQ(point->multipliers.size(), 3U);
    ASSERT_EQ(point->drift.size(), 2U);
    FlowRun run = motion.run_from({}, point->x(), {1, 0.0}, LaneStepper::Carries::state);
    run.parameters = motion.rates().at(std::vector<double>{point->parameter}).inputs;
    const Vector gain = flow(motion.kernels(), motion.options, run).end.x - point->x();
    EXPECT_NEAR(gain[0], point->drift.at(0), 1e-8);
    EXPECT_NEAR(gain[1], point->drift.at(1), 1e-8);
  }
}

LyapunovOptions drift_run(double transient, double length) {
  LyapunovOptions options;
  options.transient = transient;
  options.length = length;
  return options;
}

TEST(DriftVerdict, AWalkThatRepeatsIsPeriodicWithADrift) {
  const LyapunovSpectrum walk = test::Mechanics::of(capsule).spectrum(drift_run(200, 60));
  EXPECT_EQ(walk.verdict.kind, MotionKind::periodic) << walk.verdict.reason;
  EXPECT_EQ(walk.verdict.period, 1U);
  EXPECT_NE(walk.verdict.reason.find("drift"), std::string::npos) << walk.verdict.reason;
  ASSERT_EQ(walk.verdict.drift.size(), 2U);
  EXPECT_NEAR(walk.verdict.drift.at(1), 1.15815, 1e-4);
}

TEST(DriftVerdict, NothingRepeatsOnTheWayToAStop) {
  // x runs down with speed 1 and meets a spring at x = −100.
  const std::string runs_down = R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-(x'+1) + 0.2*cos(t) + if(x < -100, -100*(x+100), 0)"]
[forcing]
period = "2*pi"
[initial]
"x'" = -1
)toml";
  const LyapunovSpectrum way = test::Mechanics::of(runs_down).spectrum(drift_run(2, 12));
  EXPECT_NE(way.verdict.kind, MotionKind::periodic) << way.verdict.reason;
  const LyapunovSpectrum there = test::Mechanics::of(runs_down).spectrum(drift_run(40, 40));
  EXPECT_EQ(there.verdict.kind, MotionKind::periodic) << there.verdict.reason;
  EXPECT_TRUE(there.verdict.drift.empty());
}

}  // namespace
}  // namespace saltus
