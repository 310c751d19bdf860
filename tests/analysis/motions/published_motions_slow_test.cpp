// Models of others whose verdicts follow from something that knows nothing of the computation here: a trace, a map, a table.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/signature.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using test::Mechanics;
using test::whole;

std::string number(double value) { return fmt::format("{:.17g}", value); }

// Chua's circuit; Matsumoto, Chua & Komuro 1985.
const std::string chua = R"toml(
[parameters]
alpha = 9
beta = "100/7"
[mechanics]
states = ["x", "y", "z"]
rates = ["alpha*(y - x + 5/7*x + 3/14*(abs(x + 1) - abs(x - 1)))", "x - y + z", "-beta*y"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1.5
y = 0.1
z = -1.5
)toml";

TEST(PublishedMotions, TheDoubleScrollHasTheExponentsOfAnotherProgram) {
  // Of forty lines of C with steps of 0.002 that know of no kinks, over 30,000 units of time: dimension 2.1302.
  const LyapunovSpectrum s = whole(Mechanics::of(chua).spectrum({.transient = 100.0, .length = 2000.0}));
  EXPECT_EQ(s.verdict.kind, MotionKind::chaotic) << s.verdict.reason;
  const double expected[] = {0.3286, 0.0001, -2.5250};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_CLOSE(s.exponents.values[i], expected[i], test::sampling(s.exponents.standard_errors[i])) << i;
  EXPECT_CLOSE(s.kaplan_yorke, 2.1302, test::sampling(2e-3));
}

/// As `lyapunov --starts` counts, and as `basin` does.
std::pair<std::size_t, std::size_t> attractors_of(const Mechanics& mechanics, const LyapunovOptions& asked) {
  std::vector<LyapunovStart> starts(4, mechanics.start());
  starts[1].x = -starts[0].x;
  starts[2].x[0] += 0.01;
  starts[3].x = -starts[2].x;
  const auto spectra = lyapunov_spectra(mechanics.kernels(), starts, mechanics.with_section(asked));
  AttractorList list;
  for (const LyapunovSpectrum& each : spectra) {
    EXPECT_EQ(each.verdict.kind, MotionKind::chaotic) << each.verdict.reason;
    list.label(signature_of(each, {}), 0);
  }
  return {distinct_attractors(spectra, {}).size(), list.entries().size()};
}

TEST(PublishedMotions, TheTwoSingleScrollsAreTwoAttractorsAndTheDoubleScrollIsOne) {
  const LyapunovOptions asked{.transient = 200.0, .length = 1500.0};
  const auto single = attractors_of(Mechanics::of(chua, "", {{"alpha", "8.6"}}), asked);
  EXPECT_EQ(single.first, 2U);
  EXPECT_EQ(single.second, 2U);
  const auto both = attractors_of(Mechanics::of(chua), asked);
  EXPECT_EQ(both.first, 1U);
  EXPECT_EQ(both.second, 1U);
}

TEST(PublishedMotions, LorenzIsPeriodicBelowTheIntermittencyAt16606AndNotAbove) {
  // Manneville & Pomeau 1979, σ = 10, b = 8/3: the cycle is lost in a fold near r = 166.06, the exponent falling like √(r_c − r).
  const std::string lorenz = R"toml(
[parameters]
r = 166
[mechanics]
states = ["x", "y", "z"]
rates = ["10*(y - x)", "r*x - y - x*z", "x*y - 8/3*z"]
[section]
surface = "x"
[initial]
x = 1
y = 5
z = 150
)toml";
  const auto at = [&](const char* r, double length) {
    return whole(Mechanics::of(lorenz, "", {{"r", r}}).spectrum({.transient = 50.0, .length = length}));
  };
  const LyapunovSpectrum below = at("166", 100.0);
  const LyapunovSpectrum beside = at("166.06", 100.0);
  EXPECT_EQ(below.verdict.kind, MotionKind::periodic) << below.verdict.reason;
  EXPECT_EQ(beside.verdict.kind, MotionKind::periodic) << beside.verdict.reason;
  const double ratio = std::pow(beside.exponents.values[1] / below.exponents.values[1], 2);
  EXPECT_NEAR(166.06 + 0.06 * ratio / (1.0 - ratio), 166.0613, 1e-3);
  for (const char* r : {"166.07", "166.1"}) {
    const MotionKind kind = at(r, 100.0).verdict.kind;
    EXPECT_TRUE(kind == MotionKind::chaotic || kind == MotionKind::undecided) << r << ": " << name_of(kind);
  }
  EXPECT_EQ(at("166.2", 400.0).verdict.kind, MotionKind::chaotic);
}

/// phi' = I − sin phi + A cos t by z = e^(i phi) = u/v: u' = (a u + v)/2, v' = (u − a v)/2, a = i (I + A cos t). The trace over a period.
double trace_of_junction(double I, double A) {
  using Complex = std::complex<double>;
  const auto rate = [&](double t, const std::array<Complex, 2>& y) -> std::array<Complex, 2> {
    const Complex a(0.0, I + A * std::cos(t));
    return {(a * y[0] + y[1]) / 2.0, (y[0] - a * y[1]) / 2.0};
  };
  constexpr int steps = 4000;
  const double h = 2.0 * pi / steps;
  double trace = 0.0;
  for (std::size_t column = 0; column < 2; ++column) {
    std::array<Complex, 2> y{};
    y[column] = 1.0;
    for (int k = 0; k < steps; ++k) {
      const double t = h * k;
      const auto beside = [&](const std::array<Complex, 2>& s, double by) -> std::array<Complex, 2> {
        return {y[0] + by * s[0], y[1] + by * s[1]};
      };
      const auto a = rate(t, y);
      const auto b = rate(t + h / 2, beside(a, h / 2));
      const auto c = rate(t + h / 2, beside(b, h / 2));
      const auto d = rate(t + h, beside(c, h));
      for (std::size_t i = 0; i < 2; ++i) y[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    }
    trace += y[column].real();
  }
  return trace;
}

TEST(PublishedMotions, AnOverdampedJunctionIsLockedExactlyWhereItsTraceExceedsTwo) {
  // Its strobe map is Moebius': |trace| > 2 is a Shapiro step, with exponent −2 arcosh(|trace|/2) per period, else it is a rotation.
  const std::string junction = R"toml(
[parameters]
I = 1
A = 1
[mechanics]
states = ["phi"]
rates = ["I - sin(phi) + A*cos(t)"]
[forcing]
period = "2*pi"
)toml";
  int decided = 0;
  int count = 0;
  for (const double A : {0.4, 1.0, 2.3})
    for (const double I : {0.3, 0.62, 0.8, 0.9, 0.97, 1.0, 1.03, 1.1, 1.2, 1.5, 1.97, 2.2}) {
      const double trace = std::abs(trace_of_junction(I, A));
      const LyapunovSpectrum s = whole(Mechanics::of(junction, "", {{"I", number(I)}, {"A", number(A)}})
                                           .spectrum({.transient = 200.0, .length = 400.0}));
      // At I = A = 1 it is 2: phi = t + pi/2 is a motion, which others come to like 1/t.
      const bool locked = trace > 2.0 - 1e-9;
      ++count;
      if (s.verdict.kind == MotionKind::undecided) continue;
      ++decided;
      EXPECT_EQ(s.verdict.kind, locked ? MotionKind::periodic : MotionKind::quasi_periodic)
          << I << " " << A << " trace " << trace << ": " << s.verdict.reason;
      if (locked && trace > 2.001) {
        EXPECT_CLOSE(s.exponents.values[0], -std::acosh(trace / 2.0) / pi, test::sampling(1e-4)) << I << " " << A;
      }
    }
  EXPECT_GE(decided, count * 3 / 4);
}

/// The largest |∂phi/∂theta| over so many periods, of phi' = K + V (cos t + cos theta) + cos phi: phase sensitivity, which is bounded on a
/// smooth torus and grows without end on a strange nonchaotic attractor (Pikovsky & Feudel 1995).
std::vector<double> phase_sensitivity(double K, const std::vector<int>& after) {
  constexpr int steps = 120;
  const double h = 2.0 * pi / steps;
  const double w = (std::sqrt(5.0) - 1.0) / 2.0;
  const auto rate = [&](double t, double theta, double phi, double s) {
    return std::pair{K + 0.55 * (std::cos(t) + std::cos(theta)) + std::cos(phi),
                     -std::sin(phi) * s - 0.55 * std::sin(theta)};
  };
  double theta = 0.6 * pi;
  double phi = 0.1;
  double s = 0.0;
  double largest = 0.0;
  std::vector<double> found;
  constexpr int transient = 500;
  for (int period = -transient; period < after.back(); ++period) {
    if (period == 0) s = largest = 0.0;
    for (int k = 0; k < steps; ++k) {
      const double t = h * k;
      const auto [a, da] = rate(t, theta, phi, s);
      const auto [b, db] = rate(t + h / 2, theta + w * h / 2, phi + h / 2 * a, s + h / 2 * da);
      const auto [c, dc] = rate(t + h / 2, theta + w * h / 2, phi + h / 2 * b, s + h / 2 * db);
      const auto [d, dd] = rate(t + h, theta + w * h, phi + h * c, s + h * dc);
      phi += h / 6 * (a + 2 * b + 2 * c + d);
      s += h / 6 * (da + 2 * db + 2 * dc + dd);
      theta = std::fmod(theta + w * h, 2.0 * pi);
      largest = std::max(largest, std::abs(s));
    }
    if (std::find(after.begin(), after.end(), period + 1) != after.end()) found.push_back(largest);
  }
  return found;
}

TEST(PublishedMotions, AtK132ThePendulumOfDingGrebogiAndOttLiesOnASmoothTorus) {
  // Over 51,200 periods from three phases the slope of its invariant curve is 515.8 at most (and at K = 1.335, where 360,000 points would
  // be needed to see it, 15,700); at 1.342 it grows from 2·10³ after 800 periods to 1.7·10⁵ after 25,600.
  const std::vector<double> smooth = phase_sensitivity(1.32, {3200, 12000});
  EXPECT_NEAR(smooth[0], 510.1, 2.0);
  EXPECT_NEAR(smooth[1], 515.6, 0.5);
  const std::vector<double> strange = phase_sensitivity(1.342, {800, 12000});
  EXPECT_GT(strange[1], 10.0 * strange[0]);
  const std::string pendulum = R"toml(
[parameters]
K = 1.32
[mechanics]
states = ["phi", "theta"]
rates = ["K + 0.55*(cos(t) + cos(theta)) + cos(phi)", "(sqrt(5) - 1)/2"]
[forcing]
period = "2*pi"
[initial]
phi = 0.1
)toml";
  const auto verdict = [&](const char* K) {
    return whole(Mechanics::of(pendulum, "", {{"K", K}}).spectrum({.transient = 200.0, .length = 10000.0})).verdict;
  };
  EXPECT_EQ(verdict("1.32").kind, MotionKind::quasi_periodic) << verdict("1.32").reason;
  EXPECT_EQ(verdict("1.342").kind, MotionKind::undecided) << verdict("1.342").reason;
}

}  // namespace
}  // namespace saltus
