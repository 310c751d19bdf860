// The tables of the papers, in bits per unit time, and what the exponents must not depend on.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::Mechanics;
constexpr double bits = std::numbers::ln2;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Agreement to an absolute number of bits.
test::Tolerance within(double value) { return {"within(" + test::in_words(value) + " bits)", 0.0, 0.0, value}; }

struct Row {
  std::string name;
  std::vector<double> exponents;  // bits; −∞ exactly where the table has it
  double allowed;
  MotionKind kind;
  std::size_t period;             // 0: none
  double transient, length;
};

void expect_row(const LyapunovSpectrum& s, const Row& row, double last_allowed) {
  ASSERT_EQ(s.outcome, Outcome::reached_end) << row.name;
  for (std::size_t i = 0; i < 6; ++i) {
    const double value = s.exponents.values[i] / bits;
    if (std::isinf(row.exponents[i])) {
      EXPECT_EQ(value, row.exponents[i]) << row.name << ", exponent " << i + 1;
      continue;
    }
    EXPECT_CLOSE(value, row.exponents[i], within(i == 5 ? last_allowed : row.allowed))
        << row.name << ", exponent " << i + 1;
  }
  EXPECT_EQ(s.verdict.kind, row.kind) << row.name << ": " << s.verdict.reason;
  if (row.period > 0) { EXPECT_EQ(s.verdict.period, row.period) << row.name; }
  if (s.sum_rule_residual) { EXPECT_CLOSE(*s.sum_rule_residual, 0.0, integration(1e-9, 100.0, 1.0)) << row.name; }
}

TEST(PublishedSpectra, TriplePendulumOverABarrierHasTheExponentsOfAwrejcewiczAndKudra2005WhereTheyHold) {
  // Their Table 1 without its trivial zero. Rows with sliding: what two independent programs agree on (docs/method/lyapunov.md).
  const std::vector<Row> rows = {
      {"fig3a", {-0.16, -0.18, -0.18, -0.96, -1.41, -2.52}, 0.02, MotionKind::periodic, 2, 400, 400},
      {"fig3b", {-0.14, -0.14, -1.40, -2.76, -infinity, -infinity}, 0.02, MotionKind::periodic, 0, 200, 300},
      {"fig4ab", {0.00, -0.02, -0.02, -0.56, -0.77, -2.22}, 0.02, MotionKind::quasi_periodic, 0, 1000, 2000},
      {"fig4cd", {-0.04, -0.04, -0.98, -0.98, -infinity, -infinity}, 0.02, MotionKind::periodic, 0, 400, 400},
      {"fig4ef", {0.075, -0.042, -0.18, -0.84, -infinity, -infinity}, 0.03, MotionKind::chaotic, 0, 200, 4000},
  };
  for (const Row& row : rows) {
    const Mechanics pendulum = Mechanics::example("triple_pendulum_barrier", row.name);
    const LyapunovSpectrum s = pendulum.spectrum({.transient = row.transient, .length = row.length});
    EXPECT_TRUE(s.trivial_zero);
    expect_row(s, row, row.allowed);
  }
}

TEST(PublishedSpectra, TriplePendulumUnderConstantTorqueHasAllExponentsOfAwrejcewiczAndKudra) {
  // Table 1 of 'Bifurcation and Chaos of Multi-body Dynamical Systems', two digits printed; the run of the paper was short
  // for the last entry.
  const std::vector<Row> rows = {
      {"q1_1063", {0.00, -0.02, -0.03, -0.24, -0.35, -5.98}, 0.01, MotionKind::periodic, 4, 1000, 4000},
      {"q1_159", {0.00, -0.02, -0.02, -0.22, -0.47, -8.44}, 0.01, MotionKind::periodic, 6, 1000, 12000},
      {"q1_163", {0.00, 0.00, -0.01, -0.08, -0.54, -10.28}, 0.01, MotionKind::quasi_periodic, 0, 1000, 16000},
      // Standard errors of 0.003; over three times the length our fourth is -0.1997 ± 0.0013.
      {"q1_2", {0.05, 0.00, -0.03, -0.19, -0.52, -10.03}, 0.02, MotionKind::chaotic, 0, 1000, 20000},
  };
  for (const Row& row : rows) {
    const Mechanics pendulum = Mechanics::example("triple_pendulum_torque", row.name);
    const LyapunovSpectrum s = pendulum.spectrum({.transient = row.transient, .length = row.length});
    EXPECT_FALSE(s.trivial_zero);
    // The multipliers of the first orbit give −5.99013 for its last entry: the paper's is not its rounding.
    expect_row(s, row, row.name == "q1_2" ? 0.06 : row.name == "q1_1063" ? 0.011 : row.allowed);
    // One exponent is zero: a perturbation along the motion neither grows nor shrinks.
    double smallest = infinity;
    for (const double value : s.exponents.values) smallest = std::min(smallest, std::abs(value));
    EXPECT_LT(smallest, 1e-3) << row.name;
  }
}

TEST(PublishedSpectra, DoNotDependOnToleranceOrTheIntervalOfOrthogonalisation) {
  const Mechanics pendulum = Mechanics::example("triple_pendulum_barrier", "fig3a");
  LyapunovOptions options{.transient = 400.0, .length = 200.0};
  const LyapunovSpectrum usual = pendulum.spectrum(options);
  LyapunovOptions loose = options;
  loose.flow.rtol = 1e-8;
  loose.flow.atol = 1e-10;
  LyapunovOptions tight = options;
  tight.flow.rtol = 1e-12;
  tight.flow.atol = 1e-14;
  tight.flow.tangent_rtol = 1e-11;
  LyapunovOptions often = options;
  often.interval = 0.25;
  for (const LyapunovOptions& other : {loose, tight, often}) {
    const LyapunovSpectrum s = pendulum.spectrum(other);
    EXPECT_EQ(s.verdict.period, usual.verdict.period);
    // A periodic motion: its exponents converge as 1/t with a bounded numerator, the same for all.
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_CLOSE(s.exponents.values[i] / bits, usual.exponents.values[i] / bits, within(2e-3))
          << "exponent " << i + 1;
  }
}

TEST(PublishedSpectra, OfAChaoticMotionDoNotDependOnToleranceOrIntervalBeyondTheirErrors) {
  const Mechanics oscillator = Mechanics::example("impact_oscillator", "chaos");
  LyapunovOptions options{.transient = 100.0, .length = 3000.0};
  options.flow.rtol = 1e-8;
  options.flow.atol = 1e-10;
  const LyapunovSpectrum loose = oscillator.spectrum(options);
  options.interval = 0.3;
  const LyapunovSpectrum often = oscillator.spectrum(options);
  options.interval = 0.0;
  options.flow.rtol = 1e-11;
  options.flow.atol = 1e-13;
  const LyapunovSpectrum tight = oscillator.spectrum(options);
  for (const LyapunovSpectrum* other : {&often, &tight}) {
    EXPECT_EQ(other->verdict.kind, MotionKind::chaotic);
    for (std::size_t i = 0; i < 2; ++i)  // two independent runs of 3000 periods
      EXPECT_CLOSE(other->exponents.values[i], loose.exponents.values[i],
                   sampling(std::hypot(other->exponents.standard_errors[i], loose.exponents.standard_errors[i])));
  }
}

TEST(PublishedSpectra, DoNotDependOnTheSection) {
  const Mechanics pendulum = Mechanics::example("triple_pendulum_torque", "q1_159");
  LyapunovOptions options = pendulum.with_section({.transient = 500.0, .length = 2000.0});
  const auto spectrum = [&] { return lyapunov_spectra(pendulum.kernels(), {pendulum.start()}, options).front(); };
  const LyapunovSpectrum up = spectrum();
  options.section->direction = Crossing::down;
  options.section->modulo = 0.0;
  const LyapunovSpectrum never = spectrum();
  options.section.reset();
  const LyapunovSpectrum none = spectrum();
  EXPECT_EQ(up.verdict.period, 6U);
  for (const LyapunovSpectrum* other : {&never, &none})
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_CLOSE(other->exponents.values[i] / bits, up.exponents.values[i] / bits, within(2e-3)) << i + 1;
}

TEST(PublishedSpectra, StandardErrorsOfAChaoticMotionAreHonest) {
  // 40 independent runs of an oscillator that strikes its stop irregularly: at least 33 of 40 lie within two of their own standard errors of the mean of
  // all. For exact 95 % coverage fewer than 33 has a probability of 0.3 %.
  const Mechanics oscillator = Mechanics::example("impact_oscillator", "chaos", {}, {1, 4});
  std::vector<LyapunovStart> starts(40, oscillator.start());
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i].x[1] += 0.05 * static_cast<double>(i);
  const auto spectra = lyapunov_spectra(oscillator.kernels(), starts, {.transient = 100.0, .length = 1000.0}, 4, 2);
  double mean = 0.0;
  for (const LyapunovSpectrum& s : spectra) mean += s.exponents.values[0] / 40.0;
  int covered = 0;
  double error_mean = 0.0;
  for (const LyapunovSpectrum& s : spectra) {
    covered += std::abs(s.exponents.values[0] - mean) < 2.0 * s.exponents.standard_errors[0] ? 1 : 0;
    error_mean += s.exponents.standard_errors[0] / 40.0;
  }
  EXPECT_GE(covered, 33);
  EXPECT_LT(error_mean, 0.1 * mean);  // and they are small enough to say something
}

}  // namespace
}  // namespace saltus
