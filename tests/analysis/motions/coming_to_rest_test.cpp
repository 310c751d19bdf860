#include "saltus/analysis/motions/coming_to_rest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "saltus/analysis/motions/section.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;
using test::whole;

std::string spiral(const std::string& damping) {
  return "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x - " + damping +
         "*x'\"]\n[section]\nsurface = \"x\"\n[initial]\nx = 1\n";
}

TEST(ComingToRest, ADampedOscillatorIsNeverPeriodicHoweverLongTheRun) {
  // Its amplitude is exp(−t/100): from t = 1100 on its points repeat to 10⁻⁶ of what it was.
  const Mechanics oscillator = Mechanics::of(spiral("0.02"));
  for (double time = 900.0; time <= 2000.0; time += 100.0) {
    const Verdict verdict = whole(oscillator.spectrum({.length = time})).verdict;
    EXPECT_NE(verdict.kind, MotionKind::periodic) << time << ": " << verdict.reason;
    const LyapunovStart start = oscillator.start();
    const SectionPoints section =
        section_points(oscillator.kernels(), start.x, start.parameters, 0.0,
                       {.place = {SectionPlace::Kind::surface, {0, Crossing::up, 0.0}}, .length = time});
    EXPECT_EQ(section.period, std::nullopt) << time;
  }
  EXPECT_EQ(whole(oscillator.spectrum({.length = 4000.0})).verdict.kind, MotionKind::equilibrium);
}

TEST(ComingToRest, ASpiralBehindTransientChaosIsNotPeriodic) {
  // Lorenz at r = 22: both equilibria attract (chaos does from 24.06 on).
  const Mechanics lorenz = Mechanics::of(
      "[mechanics]\nstates = [\"x\", \"y\", \"z\"]\nrates = [\"10*(y - x)\", \"22*x - y - x*z\", \"x*y - 8*z/3\"]\n"
      "[section]\nsurface = \"z - 21\"\n[initial]\nx = 5\ny = 1\nz = 20\n");
  for (const double time : {150.0, 200.0, 250.0}) {
    const Verdict verdict = whole(lorenz.spectrum({.length = time})).verdict;
    EXPECT_NE(verdict.kind, MotionKind::periodic) << time << ": " << verdict.reason;
  }
  EXPECT_EQ(whole(lorenz.spectrum({.length = 400.0})).verdict.kind, MotionKind::equilibrium);
}

TEST(ComingToRest, ALimitCycleIsPeriodicHoweverFarAwayTheMotionBegan) {
  // A circle of radius 0.1, reached from ten thousand times as far: its points must repeat to 10⁻¹⁰ of the ranges.
  const Mechanics oscillator = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"(0.01 - x^2 - x'^2)/(1 + 10*(x^2 + x'^2))*x' - "
      "x\"]\n[section]\nsurface = \"x\"\n[initial]\nx = 1000\n");
  const Verdict verdict = whole(oscillator.spectrum({.length = 4000.0})).verdict;
  EXPECT_EQ(verdict.kind, MotionKind::periodic) << verdict.reason;
}

RC_GTEST_PROP(ComingToRest, ASpiralIsNeitherPeriodicNorATorus, ()) {
  const int percent = *rc::gen::inRange(1, 40);
  const int turns = *rc::gen::inRange(5, 60);  // of the time in which it becomes less by e
  const Mechanics oscillator = Mechanics::of(spiral(std::to_string(0.01 * percent)));
  const Verdict verdict = whole(oscillator.spectrum({.length = 100.0 * turns / percent})).verdict;
  RC_ASSERT(verdict.kind != MotionKind::periodic);
  RC_ASSERT(verdict.kind != MotionKind::quasi_periodic);
}

}  // namespace
}  // namespace saltus
