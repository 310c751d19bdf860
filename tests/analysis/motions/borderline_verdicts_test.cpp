// Motions on the border between two verdicts: what is not seen is not said.
#include <gtest/gtest.h>

#include "saltus/analysis/motions/area_contraction.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;
using test::whole;

std::string forced(const std::string& force) {
  return "[parameters]\nw = \"34/55\"\n[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"" + force +
         "\"]\n[forcing]\nperiod = \"2*pi\"\n[initial]\nx = 1\n";
}

TEST(BorderlineVerdicts, ALongPeriodIsNoTorusThoughTheRunSeesItLessThanFourTimes) {
  const Mechanics oscillator = Mechanics::of(forced("-w^2*x + 0.1*cos(t)"));
  for (const double length : {100.0, 150.0, 210.0})
    EXPECT_EQ(whole(oscillator.spectrum({.length = length})).verdict.kind, MotionKind::undecided) << length;
  const Verdict decided = whole(oscillator.spectrum({.length = 1000.0})).verdict;
  EXPECT_EQ(decided.kind, MotionKind::periodic);
  EXPECT_EQ(decided.period, 55U);
  const Mechanics golden = Mechanics::of(forced("-w^2*x + 0.1*cos(t)"), "", {{"w", "0.5*(sqrt(5) - 1)"}});
  EXPECT_EQ(whole(golden.spectrum({.length = 500.0})).verdict.kind, MotionKind::quasi_periodic);
}

TEST(BorderlineVerdicts, ATorusIsSeenOnASectionWhereACoordinateStaysWhatItIs) {
  // Hénon and Heiles 1964 at a low energy; on the section x = 0 the first component is rounding.
  const Mechanics galaxy = Mechanics::of(
      "[mechanics]\nstates = [\"x\", \"y\", \"p\", \"q\"]\nrates = [\"p\", \"q\", \"-x - 2*x*y\", \"-y - x^2 + "
      "y^2\"]\n[section]\n"
      "surface = \"x\"\n[initial]\nx = 0\ny = 0.1\np = 0.3\nq = 0.2\n");
  const Verdict verdict = whole(galaxy.spectrum({.length = 20'000.0})).verdict;
  EXPECT_EQ(verdict.kind, MotionKind::quasi_periodic) << verdict.reason;
}

TEST(BorderlineVerdicts, AMotionThatComesToRestOnItsSectionIsAnEquilibrium) {
  // By rounding the section is met until the end; it is not looked at any more once the motion rests.
  const Mechanics pendulum = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-0.2*x' - sin(x) - 0.05*x\"]\n[section]\n"
      "surface = \"x'\"\ndirection = \"down\"\n[initial]\nx = -20\n\"x'\" = -4\n");
  for (const double length : {400.0, 4000.0}) {
    const LyapunovSpectrum spectrum = pendulum.spectrum({.transient = 400.0, .length = length});
    EXPECT_EQ(spectrum.outcome, Outcome::reached_end);
    EXPECT_EQ(spectrum.verdict.kind, MotionKind::equilibrium) << spectrum.verdict.reason;
  }
}

TEST(BorderlineVerdicts, DampingThatTheRunDoesNotShowIsNoTorus) {
  const Mechanics pair = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1\", \"0\"], [\"0\", \"1\"]]\n"
      "force = [\"-0.3819660112*x - 1e-6*x' + 0.3*cos(t)\", \"-2.1234*y - 1e-6*y' + 0.1*x\"]\n[forcing]\n"
      "period = \"2*pi\"\n[initial]\nx = 1\ny = 1\n");
  EXPECT_TRUE(loses_volume(pair.kernels(), pair.start().parameters));
  EXPECT_EQ(whole(pair.spectrum({.length = 500.0})).verdict.kind, MotionKind::undecided);
}

}  // namespace
}  // namespace saltus
