#include "saltus/analysis/motions/lyapunov.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using test::Mechanics;
using test::whole;

const std::string oscillator = R"toml(
[parameters]
a = 2.5
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-a*x' - x"]
[initial]
x = 1
)toml";

TEST(Lyapunov, ExponentsOfAnOverdampedOscillatorAreItsEigenvaluesAndItComesToRest) {
  // x'' + 2.5 x' + x = 0: eigenvalues −1/2 and −2.
  const LyapunovSpectrum s = whole(Mechanics::of(oscillator).spectrum({.transient = 60.0, .length = 40.0}));
  // Sums over the run of what each step contributes, with the tangent at rtol 1e-9.
  EXPECT_CLOSE(s.exponents.values[0], -0.5, integration(1e-9, 10.0));
  EXPECT_CLOSE(s.exponents.values[1], -2.0, integration(1e-9, 10.0));
  EXPECT_EQ(s.verdict.kind, MotionKind::equilibrium);
  EXPECT_FALSE(s.trivial_zero);
  EXPECT_CLOSE(s.kaplan_yorke, 0.0, exact);
  ASSERT_TRUE(s.sum_rule_residual);
  EXPECT_CLOSE(*s.sum_rule_residual, 0.0, integration(1e-9, 10.0, 2.5));
}

TEST(Lyapunov, OfABallThatLiesFromTheBeginningTakesNoLongerThanOfOneThatComesToLie) {
  for (const auto method : {FlowMethod::automatic, FlowMethod::runge_kutta}) {
    LyapunovOptions options{.transient = 0.0, .length = 3.0};
    options.flow.method = method;
    const Mechanics ball = Mechanics::example("bouncing_ball", "", {{"z", "0"}});
    int intervals = 0;
    const LyapunovSpectrum s =
        whole(lyapunov_spectra(ball.kernels(), {ball.start()}, ball.with_section(options), 1, 1, {}, [&](double) {
                ++intervals;
              }).front());
    EXPECT_EQ(s.verdict.kind, MotionKind::equilibrium);
    EXPECT_LT(intervals, 1000);
    for (const double exponent : s.exponents.values) EXPECT_EQ(exponent, -std::numeric_limits<double>::infinity());
  }
}

TEST(Lyapunov, BothExponentsOfADampedOscillatorForcedWithItsOwnPeriodAreItsDamping) {
  // x'' + 0.2 x' + x: e^{At} over T = 2π/√(1 − 0.01) is e^{−0.1 T} times the identity.
  const std::string model = R"toml(
[parameters]
T = "2*pi/sqrt(0.99)"
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-0.2*x' - x + 0.5*cos(2*pi*t/T)"]
[forcing]
period = "T"
[initial]
x = 1
)toml";
  const LyapunovSpectrum s = whole(Mechanics::of(model).spectrum({.transient = 50.0, .length = 100.0}));
  EXPECT_CLOSE(s.exponents.values[0], -0.1, integration(1e-9, 10.0));
  EXPECT_CLOSE(s.exponents.values[1], -0.1, integration(1e-9, 10.0));
  EXPECT_TRUE(s.trivial_zero);
  EXPECT_EQ(s.verdict.kind, MotionKind::periodic);
  EXPECT_EQ(s.verdict.period, 1U);
}

TEST(Lyapunov, OneImpactPerPeriodOnAVibratingTableHasTheMultipliersOfTheClosedForm) {
  // S X = [[−e, −eT], [c, cT − e]] with c = (1 + e)² (1 + z̈/g) / T and z̈ = −A ω² cos(ω lag): determinant e², trace below.
  const Mechanics table = Mechanics::example("vibrating_table", "period1", {{"A", "1.07"}});
  const double e = table.value_of("e");
  const double acceleration = -1.07 * std::cos(table.value_of("lag"));
  const double trace = -2.0 * e + (1.0 + e) * (1.0 + e) * (1.0 + acceleration);
  const double root = std::sqrt(trace * trace - 4.0 * e * e);
  const double T = 2.0 * pi;
  const LyapunovSpectrum s = whole(table.spectrum({.transient = 100.0, .length = 100.0}));
  EXPECT_EQ(s.verdict.kind, MotionKind::periodic);
  EXPECT_EQ(s.verdict.period, 1U);
  EXPECT_CLOSE(s.impacts_per_unit_time, 1.0 / T, rounding(100));
  // The multipliers are −0.988 and −0.648: how far the orbit is off enters divided by their difference.
  EXPECT_CLOSE(s.exponents.values[0], std::log((-trace + root) / 2.0) / T, integration(1e-9, 1000.0));
  EXPECT_CLOSE(s.exponents.values[1], std::log((-trace - root) / 2.0) / T, integration(1e-9, 1000.0));
  ASSERT_TRUE(s.sum_rule_residual);
  EXPECT_CLOSE(*s.sum_rule_residual, 0.0, integration(1e-9, 10.0, 0.1));
}

TEST(Lyapunov, ABallRidingOnTheTableHasLostBothDirections) {
  const LyapunovSpectrum s =
      whole(Mechanics::example("vibrating_table", "resting").spectrum({.transient = 30.0, .length = 20.0}));
  EXPECT_TRUE(std::isinf(s.exponents.values[0]));
  EXPECT_TRUE(std::isinf(s.exponents.values[1]));
  EXPECT_CLOSE(s.sliding_fraction, 1.0, rounding(1000));
  EXPECT_FALSE(s.sum_rule_residual);
}

TEST(Lyapunov, EveryHalfSwingOfAnOscillatorAtAStopTakesTheRestitutionOutOfBothDirections) {
  // x'' + 0.1 x' + x = 0, x ≥ 0: v ↦ e e^{−ζπ/ω} v from impact to impact, whatever v is, and the same for all of the state:
  // both exponents are −ζ + (ω/π) ln e.
  const std::string model = R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-0.1*x' - x"]
[[contact]]
name = "stop"
gap = "x"
restitution = 0.9
[initial]
x = 1e-9
"x'" = 1
)toml";
  const double omega = std::sqrt(1.0 - 0.0025);
  LyapunovOptions options{.transient = pi / omega, .length = 20.0 * pi / omega, .interval = pi / omega};
  options.flow.atol = 1e-16;
  const LyapunovSpectrum s = whole(Mechanics::of(model).spectrum(options));
  const double expected = -0.05 + omega / pi * std::log(0.9);
  EXPECT_CLOSE(s.exponents.values[0] + s.exponents.values[1], 2.0 * expected, integration(1e-9, 100.0));
  // A single one only up to the shear of the frame over the run, which is bounded: 1/t.
  EXPECT_CLOSE(s.exponents.values[0], expected, integration(1.0 / s.time, 2.0, 1.0));
  EXPECT_CLOSE(s.impacts_per_unit_time, omega / pi, rounding(1000));
}

/// Trace of the monodromy of ẍ + (α + 2β cos 2t) x = 0 over π, by the classical Runge–Kutta method.
double mathieu_trace(double alpha, double beta) {
  double trace = 0.0;
  for (const bool second : {false, true}) {
    double x = second ? 0.0 : 1.0;
    double v = second ? 1.0 : 0.0;
    const int steps = 4000;
    const double h = pi / steps;
    const auto g = [&](double t) { return alpha + 2.0 * beta * std::cos(2.0 * t); };
    for (int i = 0; i < steps; ++i) {
      const double t = i * h;
      const double a1 = -g(t) * x, v1 = v;
      const double v2 = v + h / 2.0 * a1, a2 = -g(t + h / 2.0) * (x + h / 2.0 * v1);
      const double v3 = v + h / 2.0 * a2, a3 = -g(t + h / 2.0) * (x + h / 2.0 * v2);
      const double v4 = v + h * a3, a4 = -g(t + h) * (x + h * v3);
      x += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
      v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    trace += second ? v : x;
  }
  return trace;
}

/// ẍ + (α + 2β cos 2t) x = 0, x ≥ 0, with a stop at 0.
LyapunovSpectrum mathieu_with_stop(double alpha, double beta, double restitution, double length) {
  const std::string model = "[parameters]\nalpha = " + std::to_string(alpha) + "\nbeta = " + std::to_string(beta) +
                            "\nepsilon = " + std::to_string(restitution) + R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-(alpha + 2*beta*cos(2*t))*x"]
[[contact]]
name = "stop"
gap = "x"
restitution = "epsilon"
[forcing]
period = "pi"
[initial]
x = 1
)toml";
  LyapunovOptions options{.transient = 40.0, .length = length};
  options.flow.atol = 1e-14;
  return whole(Mechanics::of(model).spectrum(options));
}

TEST(Lyapunov, MathieusEquationWithAStopGrowsAsItsMultiplierTimesTheRestitutionOfItsImpacts) {
  // The unstable regions of the Ince–Strutt chart: without impacts, with one and two per period π (m₁ of docs/theory.md).
  struct Region {
    double alpha, beta, restitution;
    int impacts;
  };
  for (const Region& r : {Region{-0.5, 0.1, 0.5, 0}, Region{1.0, 0.5, 0.47, 1}, Region{4.0, 2.0, 0.75, 2}}) {
    const double trace = std::abs(mathieu_trace(r.alpha, r.beta));
    ASSERT_GT(trace, 2.0) << r.alpha;
    const double multiplier = (trace + std::sqrt(trace * trace - 4.0)) / 2.0;
    const LyapunovSpectrum s = mathieu_with_stop(r.alpha, r.beta, r.restitution, 60.0);
    const double loss = r.impacts * std::log(r.restitution);
    EXPECT_CLOSE(s.exponents.values[0], (loss + std::log(multiplier)) / pi, integration(1e-9, 1000.0, 1.0)) << r.alpha;
    EXPECT_CLOSE(s.exponents.values[1], (loss - std::log(multiplier)) / pi, integration(1e-9, 1000.0, 1.0)) << r.alpha;
    EXPECT_CLOSE(s.impacts_per_unit_time, r.impacts / pi, rounding(1000)) << r.alpha;
  }
}

TEST(Lyapunov, MathieusEquationWithAStopBetweenItsUnstableRegionsLosesWhatItsImpactsTake) {
  // |Δ| < 2: |λ₁| = 1, and the solution turns by arccos(Δ/2) short of two half turns in a period: that many zeros, hence impacts.
  const double alpha = 2.5, beta = 0.3, restitution = 0.97;
  const double trace = mathieu_trace(alpha, beta);
  ASSERT_LT(std::abs(trace), 2.0);
  const double impacts = 2.0 - std::acos(trace / 2.0) / pi;
  const LyapunovSpectrum s = mathieu_with_stop(alpha, beta, restitution, 200.0);
  const double expected = impacts * std::log(restitution) / pi;
  // Whole impacts only: one more or less over the run, and a bounded shear of the frame.
  EXPECT_CLOSE(s.impacts_per_unit_time, impacts / pi, integration(1.0 / s.time, 1.0, 1.0));
  EXPECT_CLOSE(s.exponents.values[0] + s.exponents.values[1], 2.0 * expected, integration(0.1 / s.time, 1.0, 1.0));
  EXPECT_CLOSE(s.exponents.values[0], expected, integration(1.0 / s.time, 2.0, 1.0));
}

TEST(Lyapunov, ExponentsOfAConservativeMotionWithElasticImpactsArePairs) {
  const LyapunovSpectrum s =
      whole(Mechanics::example("double_pendulum_wall", "wall_only").spectrum({.transient = 50.0, .length = 400.0}));
  const Exponents& l = s.exponents;
  // In each interval the frame's volume is kept exactly, pairs are so in the mean only: N = 20 blocks of 20 time units.
  EXPECT_CLOSE(l.values[0] + l.values[3], 0.0, sampling(l.standard_errors[0]));
  EXPECT_GT(l.values[0], 0.5);
  EXPECT_GT(s.impacts_per_unit_time, 0.1);
  ASSERT_TRUE(s.sum_rule_residual);
  EXPECT_CLOSE(*s.sum_rule_residual, 0.0, integration(1e-9, 100.0, 1.0));
  EXPECT_EQ(s.verdict.kind, MotionKind::chaotic);
}

// ---- the same whatever the way ---------------------------------------------------------------------------------------

TEST(Lyapunov, SpectraAtOnceAreThoseAloneToTheLastBitInAnyWidthAndNumberOfThreads) {
  const Mechanics table = Mechanics::example("impact_oscillator", "chaos", {}, {1, 2, 4});
  std::vector<LyapunovStart> starts(5, table.start());
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i].x[0] += 0.1 * static_cast<double>(i);
  const LyapunovOptions options{.transient = 10.0, .length = 60.0};
  const auto alone = lyapunov_spectra(table.kernels(), starts, options, 1, 1);
  for (const auto& [width, threads] : {std::pair{2U, 1U}, std::pair{4U, 2U}, std::pair{1U, 2U}}) {
    const auto together = lyapunov_spectra(table.kernels(), starts, options, width, threads);
    for (std::size_t i = 0; i < starts.size(); ++i)
      EXPECT_CLOSE(together[i].exponents.values, alone[i].exponents.values, exact) << width << " lanes, start " << i;
  }
}

TEST(Lyapunov, AnInterruptedRunKeepsWhatItHasAndSaysSo) {
  const Mechanics table = Mechanics::example("vibrating_table", "chaos");
  int asked = 0;
  const LyapunovSpectrum s = lyapunov_spectra(table.kernels(), {table.start()}, {.length = 1000.0}, 1, 1, [&] {
                               return ++asked > 22;  // where the motion begins, and once in each period
                             }).front();
  EXPECT_EQ(s.outcome, Outcome::stopped);
  EXPECT_CLOSE(s.time, 20.0 * 2.0 * pi + 2.0 * pi, rounding(10));
}

TEST(Lyapunov, ProgressRisesToTheWhole) {
  const Mechanics table = Mechanics::example("vibrating_table", "period1");
  double last = 0.0;
  const auto watch = [&](double part) {
    EXPECT_GE(part, last);
    last = part;
  };
  lyapunov_spectra(table.kernels(), {table.start(), table.start()}, {.transient = 5.0, .length = 10.0}, 1, 1, {},
                   watch);
  EXPECT_CLOSE(last, 1.0, rounding(100));
}

TEST(Lyapunov, AWantedErrorEndsTheRunEarlier) {
  const Mechanics striking = Mechanics::example("impact_oscillator", "chaos");
  const LyapunovSpectrum s = whole(striking.spectrum({.transient = 20.0, .length = 20'000.0, .error = 0.02}));
  EXPECT_LT(s.time, 20'000.0 * 2.0 * pi / 2.8);
  EXPECT_LT(s.exponents.standard_errors[0], 0.02);
  EXPECT_EQ(s.verdict.kind, MotionKind::chaotic);
}

TEST(Lyapunov, AMotionThatLeavesToInfinityEndsAsSuch) {
  const std::string model = "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"x\"]\n[initial]\nx = 1\n";
  const LyapunovSpectrum s = Mechanics::of(model).spectrum({.length = 1000.0});
  EXPECT_NE(s.outcome, Outcome::reached_end);
  EXPECT_EQ(s.verdict.kind, MotionKind::undecided);  // e^t is not chaos
}

}  // namespace
}  // namespace saltus
