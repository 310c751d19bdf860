#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "saltus/analysis/motions/lyapunov.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;

enum class Forcing { none, periodic };

/// A thousand returns, one per unit time, with the same error of every exponent.
Evidence evidence(const std::vector<double>& exponents, double error, Forcing forcing) {
  return {.exponents = {exponents, std::vector<double>(exponents.size(), error)},
          .intervals = 1000,
          .returns = 1000,
          .rate = 1.0,
          .period = std::nullopt,
          .forced = forcing == Forcing::periodic};
}
MotionKind kind(const std::vector<double>& exponents, double error, Forcing forcing) {
  return verdict_of(evidence(exponents, error, forcing)).kind;
}

TEST(Verdict, FollowsFromTheSignsOfTheExponentsAndRecurrence) {
  Evidence repeating = evidence({-0.1, -0.2}, 1e-4, Forcing::periodic);
  repeating.period = 2;
  EXPECT_EQ(verdict_of(repeating).kind, MotionKind::periodic);
  EXPECT_EQ(verdict_of(repeating).period, 2U);
  EXPECT_EQ(kind({0.0, -0.2}, 1e-4, Forcing::periodic), MotionKind::quasi_periodic);
  EXPECT_EQ(kind({0.1, -0.2}, 1e-3, Forcing::periodic), MotionKind::chaotic);
  EXPECT_EQ(kind({0.1, 0.0, 0.0, -0.2}, 1e-3, Forcing::none), MotionKind::chaotic);
  EXPECT_EQ(kind({0.1, 0.05, 0.0, -0.5}, 1e-3, Forcing::none), MotionKind::hyperchaotic);
}

TEST(Verdict, OneZeroOfAnAutonomousMotionIsItsTimeAndNoFrequencyMore) {
  EXPECT_EQ(kind({0.0, -0.2}, 1e-4, Forcing::none), MotionKind::undecided);
  EXPECT_EQ(kind({0.0, 0.0, -0.2}, 1e-4, Forcing::none), MotionKind::quasi_periodic);
}

TEST(Verdict, AMotionWhosePerturbationsContactAnnihilatesRepeatsEvenIfNotSeenToDoSo) {
  const double lost = -std::numeric_limits<double>::infinity();
  const Verdict verdict = verdict_of(evidence({lost, lost}, 0.0, Forcing::periodic));
  EXPECT_EQ(verdict.kind, MotionKind::undecided);
  EXPECT_NE(verdict.reason.find("annihilates every perturbation"), std::string::npos) << verdict.reason;
}

TEST(Verdict, AnExponentWithinFourErrorsOfZeroIsNeitherPositiveNorZeroUnlessTheyAreSmall) {
  EXPECT_EQ(kind({0.1, -0.2}, 0.02, Forcing::periodic), MotionKind::chaotic);
  const Verdict vague = verdict_of(evidence({0.1, -0.2}, 0.03, Forcing::periodic));
  EXPECT_EQ(vague.kind, MotionKind::undecided);
  EXPECT_NE(vague.reason.find("exponent 1 lies 3.3 standard errors from zero"), std::string::npos) << vague.reason;
  EXPECT_NE(vague.reason.find("a longer run is needed"), std::string::npos) << vague.reason;
  // 0.0124 is zero within the error of the shorter run, but that error says nothing of a torus.
  EXPECT_EQ(kind({0.0, -0.0124, -0.3}, 0.015, Forcing::periodic), MotionKind::undecided);
  EXPECT_EQ(verdict_of(evidence({0.0, -0.0124, -0.3}, 0.002, Forcing::periodic)).frequencies, 2U);
}

TEST(Verdict, IsTheSameInEveryUnitOfTime) {
  for (const double unit : {1e-3, 1.0, 1e3}) {
    const auto in_unit = [&](double exponent, double error) {
      Evidence of = evidence({exponent / unit, -0.5 / unit}, error / unit, Forcing::periodic);
      of.rate = 1.0 / unit;
      return verdict_of(of).kind;
    };
    EXPECT_EQ(in_unit(0.1, 0.02), MotionKind::chaotic) << unit;
    EXPECT_EQ(in_unit(0.0, 0.01), MotionKind::quasi_periodic) << unit;
    EXPECT_EQ(in_unit(0.0, 0.02), MotionKind::undecided) << unit;
  }
}

TEST(Verdict, OfARunWithFewIntervalsOrReturnsIsNotGiven) {
  Evidence few = evidence({0.3, -0.2}, 0.0, Forcing::periodic);
  few.intervals = 3;  // the error of three intervals is not known: zero
  EXPECT_EQ(verdict_of(few).kind, MotionKind::undecided);
  Evidence seldom = evidence({0.0, 0.0, -0.2}, 1e-4, Forcing::none);
  seldom.returns = 12;
  EXPECT_EQ(verdict_of(seldom).kind, MotionKind::undecided);
  seldom.returns = 0;
  seldom.rate = 0.0;
  EXPECT_NE(verdict_of(seldom).reason.find("no section was met"), std::string::npos);
}

TEST(Verdict, OfATorusNeedsEvidenceOfItsOwn) {
  const Evidence torus = evidence({0.0, -0.2}, 1e-4, Forcing::periodic);
  EXPECT_EQ(verdict_of(torus).kind, MotionKind::quasi_periodic);
  Evidence planar = torus;
  planar.excluded = true;
  EXPECT_NE(verdict_of(planar).reason.find("no invariant circle"), std::string::npos);
  Evidence wandering = torus;
  wandering.averages_converge = false;
  EXPECT_NE(verdict_of(wandering).reason.find("averages"), std::string::npos);
  Evidence doubled = torus;
  doubled.bands = 16;
  EXPECT_NE(verdict_of(doubled).reason.find("16 bands"), std::string::npos);
  EXPECT_EQ(verdict_of(doubled).kind, MotionKind::undecided);
  Evidence growing = torus;
  growing.shrink = {false, true};
  EXPECT_NE(verdict_of(growing).reason.find("like 1/t"), std::string::npos);
  growing.shrink = {true, false};  // of a negative exponent nothing is asked
  EXPECT_EQ(verdict_of(growing).kind, MotionKind::quasi_periodic);
}

TEST(Verdict, OfATorusIsNotGivenWhereWhatIsSeenMayRepeatOrDie) {
  Evidence near = evidence({0.0, -0.2}, 1e-4, Forcing::periodic);
  near.nearly_repeats = "the last points come back";
  EXPECT_EQ(verdict_of(near).kind, MotionKind::undecided);
  EXPECT_NE(verdict_of(near).reason.find("come back"), std::string::npos);
  // Damping of a millionth is not seen in the exponents, but it is there.
  Evidence damped = evidence({0.0, 0.0, 0.0, 0.0}, 1e-4, Forcing::periodic);
  EXPECT_EQ(verdict_of(damped).kind, MotionKind::quasi_periodic);
  damped.loses_volume = true;
  EXPECT_EQ(verdict_of(damped).kind, MotionKind::undecided);
  damped.exponents.values.back() = -0.2;  // which is where the volume goes
  EXPECT_EQ(verdict_of(damped).kind, MotionKind::quasi_periodic);
}

TEST(Verdict, BetweenTwoAndFourStandardErrorsAnExponentHasNoSignAndIsNotZero) {
  EXPECT_EQ(sign_of(evidence({0.019}, 0.01, Forcing::periodic), 0), Sign::zero);
  EXPECT_EQ(sign_of(evidence({0.021}, 0.01, Forcing::periodic), 0), Sign::vague);
  EXPECT_EQ(sign_of(evidence({-0.039}, 0.01, Forcing::periodic), 0), Sign::vague);
  EXPECT_EQ(sign_of(evidence({-0.041}, 0.01, Forcing::periodic), 0), Sign::negative);
  EXPECT_EQ(sign_of(evidence({0.041}, 0.01, Forcing::periodic), 0), Sign::positive);
  Evidence alike = evidence({0.041}, 0.01, Forcing::periodic);
  alike.exponents.dependence = {1.5};  // blocks that resemble their neighbours: the error is larger
  EXPECT_EQ(sign_of(alike, 0), Sign::vague);
}

TEST(Verdict, AnExponentIsPositiveOnlyIfPerturbationsKeepGrowing) {
  Evidence of = evidence({0.1, -0.1}, 1e-3, Forcing::periodic);
  const auto sign = [&](double first, double second) {
    of.exponents.halves = {{first, second}, {-first, -second}};
    return sign_of(of, 0);
  };
  EXPECT_EQ(sign(50.0, 50.0), Sign::positive);
  EXPECT_EQ(sign(50.0, 45.0), Sign::positive);
  // Shear: t grows to 500 in the first half of a run, and twice as much in the second; t⁵ likewise.
  EXPECT_EQ(sign(std::log(500.0), std::log(2.0)), Sign::vague);
  EXPECT_EQ(sign(5.0 * std::log(500.0), 5.0 * std::log(2.0)), Sign::vague);
  EXPECT_EQ(sign(std::sqrt(500.0), std::sqrt(1000.0) - std::sqrt(500.0)), Sign::vague);  // exp(√t)
  EXPECT_EQ(sign(0.0, 3.9), Sign::vague);  // an exponential of which too little was seen
  // Halves that differ by no more than chance makes them.
  of.exponents.standard_errors = {0.02, 0.02};
  EXPECT_EQ(sign(70.0, 30.0), Sign::positive);
}

TEST(Verdict, GrowthOfTheMotionItselfIsNoChaos) {
  Evidence of = evidence({0.1, -0.1}, 1e-3, Forcing::periodic);
  of.exponents.halves = {{50.0, 50.0}, {-50.0, -50.0}};
  of.outgrown = 1.0;  // a range that is a little wider
  EXPECT_EQ(verdict_of(of).kind, MotionKind::chaotic);
  of.outgrown = 50.0;
  EXPECT_EQ(verdict_of(of).kind, MotionKind::undecided);
  EXPECT_NE(verdict_of(of).reason.find("the motion itself grows by e^50"), std::string::npos) << verdict_of(of).reason;
  of.exponents.values[1] = 0.09;  // perturbations grow by more than the motion does
  of.exponents.halves[1] = {45.0, 45.0};
  of.outgrown = 20.0;
  EXPECT_EQ(verdict_of(of).kind, MotionKind::hyperchaotic);
}

TEST(Verdict, GrowthThatIsOverAtTheEndIsNoChaos) {
  Evidence of = evidence({0.1, -0.1}, 1e-3, Forcing::periodic);
  of.exponents.halves = {{50.0, 50.0, 11.0}, {-50.0, -50.0, -11.0}};
  EXPECT_EQ(verdict_of(of).kind, MotionKind::chaotic);
  of.exponents.halves[0].last_eighth = -2.0;
  EXPECT_EQ(verdict_of(of).kind, MotionKind::undecided);
  EXPECT_NE(verdict_of(of).reason.find("no more in its last eighth"), std::string::npos) << verdict_of(of).reason;
}

TEST(Verdict, ARestWherePerturbationsGrowIsOnlyPassed) {
  Evidence of = evidence({-0.01, -0.1}, 1e-3, Forcing::none);
  of.at_rest = true;
  of.exponents.halves = {{-10.0, 0.0, 2.0}, {-100.0, -10.0, -20.0}};
  EXPECT_EQ(verdict_of(of).kind, MotionKind::equilibrium);
  of.exponents.halves[0].last_eighth = 20.0;
  EXPECT_EQ(verdict_of(of).kind, MotionKind::undecided);
  of.throughout = true;  // never moved: an equilibrium that is unstable
  EXPECT_EQ(verdict_of(of).kind, MotionKind::equilibrium);
}

TEST(Verdict, ATorusIsSmooth) {
  Evidence of = evidence({0.0, -0.2}, 1e-4, Forcing::periodic);
  of.local_growth = {{9.0, 9.9}, {2.2, 2.2}};  // along the torus neighbours may do as they like
  EXPECT_EQ(verdict_of(of).kind, MotionKind::quasi_periodic);
  of.local_growth[1] = {2.2, 2.6};  // still more in the second half of the run
  EXPECT_EQ(verdict_of(of).kind, MotionKind::undecided);
  of.local_growth[1] = {5.0, 5.0};  // wrinkles as narrow as e⁻⁵ need more than a thousand points
  EXPECT_EQ(verdict_of(of).kind, MotionKind::undecided);
  EXPECT_NE(verdict_of(of).reason.find("strange nonchaotic"), std::string::npos) << verdict_of(of).reason;
}

TEST(Verdict, SaysOfShearThatItMayBeShear) {
  Evidence shear = evidence({0.007, -0.007}, 1e-3, Forcing::periodic);
  shear.exponents.halves = {{6.2, 0.7}, {-6.2, -0.7}};
  EXPECT_EQ(verdict_of(shear).kind, MotionKind::undecided);
  EXPECT_NE(verdict_of(shear).reason.find("by e^0.7 in the second, which shear may do"), std::string::npos)
      << verdict_of(shear).reason;
  shear.period = 1;
  shear.throughout = true;
  EXPECT_EQ(verdict_of(shear).kind, MotionKind::periodic);
  EXPECT_EQ(verdict_of(shear).reason.find("unstable"), std::string::npos) << verdict_of(shear).reason;
  EXPECT_NE(verdict_of(shear).reason.find("which shear may do"), std::string::npos) << verdict_of(shear).reason;
}

TEST(Verdict, TellsOfTheErrorsThatItIsTakenFrom) {
  Evidence alike = evidence({0.06, -0.2}, 0.01, Forcing::periodic);
  alike.exponents.dependence = {2.0, 1.0};
  EXPECT_NE(verdict_of(alike).reason.find("exponent 1 lies 3 standard errors from zero (2 times those printed"),
            std::string::npos)
      << verdict_of(alike).reason;
  alike.exponents.dependence = {1.2, 1.0};
  EXPECT_NE(verdict_of(alike).reason.find("the largest by 5 standard errors"), std::string::npos)
      << verdict_of(alike).reason;
}

TEST(Verdict, IsNotTakenFromASpectrumThatDoesNotAddUp) {
  Evidence wrong = evidence({0.9, 0.6, 0.6}, 1e-3, Forcing::periodic);
  EXPECT_EQ(verdict_of(wrong).kind, MotionKind::hyperchaotic);
  wrong.adds_up = false;
  EXPECT_EQ(verdict_of(wrong).kind, MotionKind::undecided);
  EXPECT_NE(verdict_of(wrong).reason.find("do not add up"), std::string::npos);
}

TEST(Verdict, CountsTheFrequenciesOfATorus) {
  EXPECT_EQ(verdict_of(evidence({0.0, -0.2}, 1e-4, Forcing::periodic)).frequencies, 2U);
  EXPECT_EQ(verdict_of(evidence({0.0, 0.0, -0.2}, 1e-4, Forcing::none)).frequencies, 2U);
}

TEST(Verdict, CountsAFrequencyForEachPairOfZerosOfWhatKeepsVolumeAndNoneThatMayBeAbsent) {
  const auto frequencies = [](std::size_t zeros, Forcing forcing) {
    Evidence kept = evidence(std::vector<double>(zeros, 0.0), 1e-4, forcing);
    kept.keeps_volume = true;
    return verdict_of(kept);
  };
  EXPECT_EQ(frequencies(2, Forcing::periodic).frequencies, 2U);
  EXPECT_EQ(frequencies(4, Forcing::none).frequencies, 2U);
  // Two frequencies at least, three at most: an oscillator may be at rest.
  EXPECT_EQ(frequencies(4, Forcing::periodic).kind, MotionKind::quasi_periodic);
  EXPECT_EQ(frequencies(4, Forcing::periodic).frequencies, 0U);
  EXPECT_EQ(frequencies(6, Forcing::none).frequencies, 0U);
  // One coordinate without forcing: its energy is kept, and all its motions are periodic.
  EXPECT_EQ(frequencies(2, Forcing::none).kind, MotionKind::undecided);
  Evidence planar = evidence({0.0, 0.0}, 1e-4, Forcing::periodic);
  EXPECT_EQ(verdict_of(planar).frequencies, 0U);
  planar.most_frequencies = 2;
  EXPECT_EQ(verdict_of(planar).frequencies, 2U);
}

TEST(Verdict, OfAShortRunOfAChaoticOrAPeriodicMotionIsNeverQuasiPeriodic) {
  for (const char* name : {"fig3a", "fig4ef"}) {
    const Mechanics pendulum = Mechanics::example("triple_pendulum_barrier", name);
    for (const double periods : {2.0, 5.0, 10.0, 20.0, 50.0}) {
      const Verdict verdict = pendulum.spectrum({.length = periods}).verdict;
      EXPECT_NE(verdict.kind, MotionKind::quasi_periodic) << name << ", " << periods << ": " << verdict.reason;
      if (std::string(name) == "fig3a") {
        EXPECT_NE(verdict.kind, MotionKind::chaotic) << periods << ": " << verdict.reason;
      }
    }
  }
}

TEST(Verdict, OfAMotionThatSettlesSlowlyNearAChangeOfStabilityIsNotQuasiPeriodic) {
  // x'' + x' + x³ = 0: nothing but x³ draws back, and the way to zero goes with 1/√(2 t).
  const Mechanics slow = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x^3 - x'\"]\n[forcing]\nperiod = \"2*pi\"\n"
      "[initial]\nx = 0.5\n");
  const LyapunovSpectrum s = slow.spectrum({.transient = 300.0, .length = 200.0});
  EXPECT_GT(s.exponents.values[0], -1e-3);  // −3/(2 t) in the mean
  EXPECT_EQ(s.verdict.kind, MotionKind::undecided) << s.verdict.reason;
  EXPECT_NE(s.verdict.reason.find("still converges"), std::string::npos) << s.verdict.reason;
}

TEST(Verdict, DimensionOfALimitCycleIsOne) {
  const Mechanics cycle = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"(1 - x^2)*x' - x\"]\n[section]\nsurface = "
      "\"x\"\n"
      "[initial]\nx = 2\n");
  for (const double time : {50.0, 103.0, 200.0})
    EXPECT_EQ(cycle.spectrum({.transient = 50.0, .length = time}).kaplan_yorke, 1.0) << time;
}

TEST(Verdict, OfAMotionOnAnUnstableOrbitOrAtAnUnstableRestIsNotChaos) {
  // The pendulum upside down: sin(pi) = 0 is not exact in doubles, sin(0) is.
  const std::string upright = "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"sin(x) - 0.1*x'\"]\n";
  const Verdict rest = Mechanics::of(upright).spectrum({.length = 100.0}).verdict;
  EXPECT_EQ(rest.kind, MotionKind::equilibrium) << rest.reason;
  EXPECT_NE(rest.reason.find("unstable"), std::string::npos) << rest.reason;
  // x = 0 is an orbit of any period; 1.2 > 1 makes it a saddle.
  const Verdict orbit =
      Mechanics::of(
          "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"(1.2 + cos(t))*sin(x) - 0.1*x'\"]\n"
          "[forcing]\nperiod = \"2*pi\"\n")
          .spectrum({.length = 100.0})
          .verdict;
  EXPECT_EQ(orbit.kind, MotionKind::periodic) << orbit.reason;
  EXPECT_NE(orbit.reason.find("unstable"), std::string::npos) << orbit.reason;
}

}  // namespace
}  // namespace saltus
