#include "saltus/analysis/orbits/orbit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <numbers>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;
using test::MotionSetup;
using Index = Eigen::Index;
using Complex = std::complex<double>;
using std::numbers::pi;

Motion example(const std::string& name, MotionSetup with = {}) {
  with.options = orbit_flow_options();
  return Motion::example(name, with);
}

OrbitSetting setting_of(const Motion& motion) {
  OrbitSetting setting{motion.kernels(), motion.options, {}, {}};
  setting.translations = translations_of(motion.kernels(), motion.point().inputs);
  return setting;
}

/// From the end of a simulation.
OrbitSearch orbit_after(const Motion& motion, long transient, long periods, std::size_t segments = 0) {
  const FlowResult end = motion.flow_from({}, motion.start(), {transient, 0.0});
  return find_orbit(setting_of(motion), motion.point(), {{end.end.x, 0.0, end.end.mode, end.end.fastest}, periods},
                    {.segments = segments});
}

/// Both roots of μ² − tr μ + det, the larger first.
std::array<Complex, 2> multipliers_of(double trace, double determinant) {
  const Complex root = std::sqrt(Complex(0.25 * trace * trace - determinant));
  std::array<Complex, 2> both = {0.5 * trace + root, 0.5 * trace - root};
  if (std::abs(both[1]) > std::abs(both[0])) std::swap(both[0], both[1]);
  return both;
}

/// The motion of x'' + 2ζx' + x = F cos ωt with one impact per period at x = σ, in closed form: docs/method/shooting.md.
struct OneImpact {
  double t;  // of the impact, within the period
  double v_plus;  // after it
  std::array<Complex, 2> multipliers;
  Vector strobe;  // state at t = 0
};

/// exp(A t) of the oscillator without force.
Matrix propagator(double zeta, double t) {
  const double w = std::sqrt(1.0 - zeta * zeta);
  const double c = std::cos(w * t);
  const double s = std::sin(w * t) / w;
  return std::exp(-zeta * t) * Matrix{{c + zeta * s, s}, {-s, c - zeta * s}};
}

std::vector<OneImpact> one_impact_orbits(double zeta, double F, double omega, double sigma, double e) {
  const double T = 2.0 * pi / omega;
  const Matrix Phi = propagator(zeta, T);
  const double R = F / std::hypot(1.0 - omega * omega, 2.0 * zeta * omega);
  const double psi = std::atan2(2.0 * zeta * omega, 1.0 - omega * omega);  // x_p = R cos(ωt − ψ)
  // y = x − x_p is (α, κα) after an impact and returns to (α, …): α = σ − x_p, ẋ_p = −gα.
  const double kappa = (1.0 - Phi(0, 0)) / Phi(0, 1);
  const double g = (Phi(1, 0) + Phi(1, 1) * kappa + kappa / e) / (1.0 + 1.0 / e);
  // (σ − α)² + (g α / ω)² = R².
  const double a = 1.0 + g * g / (omega * omega);
  const double root = std::sqrt(sigma * sigma - a * (sigma * sigma - R * R));
  std::vector<OneImpact> found;
  for (const double alpha : {(sigma + root) / a, (sigma - root) / a}) {
    const double v_plus = (kappa - g) * alpha;
    if (v_plus >= 0.0) continue;  // must leave the stop
    OneImpact orbit;
    orbit.v_plus = v_plus;
    double phase = std::atan2(g * alpha / (omega * R), (sigma - alpha) / R) + psi;  // −sin, cos of ωt − ψ
    phase -= 2.0 * pi * std::floor(phase / (2.0 * pi));
    orbit.t = phase / omega;
    const double v_minus = -v_plus / e;
    const auto acceleration = [&](double v) { return F * std::cos(phase) - 2.0 * zeta * v - sigma; };
    const Matrix S{{-e, 0.0}, {(acceleration(v_plus) + e * acceleration(v_minus)) / v_minus, -e}};
    const Matrix M = S * Phi;
    orbit.multipliers = multipliers_of(M.trace(), M.determinant());
    const double rest = T - orbit.t;
    const Vector y = propagator(zeta, rest) * Vector{{alpha, kappa * alpha}};
    orbit.strobe = y + Vector{{R * std::cos(psi), R * omega * std::sin(psi)}};
    found.push_back(orbit);
  }
  return found;
}

void expect_closed_form(const PeriodicOrbit& orbit, const OneImpact& expected) {
  // Newton stops at 1e-11; condition below 100 here.
  EXPECT_CLOSE(orbit.x, expected.strobe, integration(1e-11, 10.0, 1.0));
  ASSERT_EQ(orbit.events.size(), 1U);
  EXPECT_CLOSE(orbit.events[0].t, expected.t, integration(1e-11, 10.0));
  EXPECT_CLOSE(orbit.events[0].x_plus[1], expected.v_plus, integration(1e-11, 10.0));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_CLOSE(orbit.multipliers[i].value, expected.multipliers[i], integration(1e-11, 100.0));
}

TEST(Orbit, TheImpactOscillatorWithOneImpactPerPeriodHasItsClosedFormAndMultipliers) {
  for (const double omega : {1.9, 2.0, 2.2}) {
    const Motion motion = example("impact_oscillator", {.set = {{"omega", std::to_string(omega)}}});
    const std::vector<OneImpact> expected = one_impact_orbits(0.05, 1.0, omega, 0.0, 0.8);
    ASSERT_EQ(expected.size(), 1U);
    const OrbitSearch search = orbit_after(motion, 100, 1);
    ASSERT_TRUE(search.orbit) << name_of(search.shooting.end);
    expect_closed_form(*search.orbit, expected.front());
    EXPECT_TRUE(search.orbit->stable);
    EXPECT_EQ(sequence_text(search.orbit->sequence, motion.model()), "stop");
    EXPECT_LE(search.orbit->residual, 1e-11);
  }
}

/// Newton with differences of the plain flow: no tangent, no shooting, nothing of what is tested.
Vector by_differences(const Motion& motion, Vector x) {
  const auto P = [&](const Vector& from) { return motion.flow_from({}, from, {1, 0.0}).end.x; };
  const Index N = x.size();
  for (int i = 0; i < 30; ++i) {
    const double h = 1e-5;
    Matrix J(N, N);
    for (Index j = 0; j < N; ++j)
      J.col(j) = (P(x + h * Vector::Unit(N, j)) - P(x - h * Vector::Unit(N, j))) / (2.0 * h);
    x -= (J - Matrix::Identity(N, N)).lu().solve(P(x) - x);
  }
  return x;
}

TEST(Orbit, AnUnstableOrbitThatNoSimulationReachesIsConfirmedByItsClosedFormAndByDifferences) {
  // At omega = 2.8 the motion is chaotic; its period-1 orbit is unstable.
  const Motion motion = example("impact_oscillator", {.case_name = "chaos"});
  const OneImpact expected = one_impact_orbits(0.05, 1.0, 2.8, 0.0, 0.8).front();
  EXPECT_GT(std::abs(expected.multipliers[0]), 1.1);
  const Vector guess = expected.strobe + Vector{{0.01, -0.02}};
  const OrbitSearch search = find_orbit(setting_of(motion), motion.point(), {{guess}, 1});
  ASSERT_TRUE(search.orbit) << name_of(search.shooting.end);
  EXPECT_FALSE(search.orbit->stable);
  expect_closed_form(*search.orbit, expected);
  EXPECT_CLOSE(by_differences(motion, guess), search.orbit->x, integration(1e-11, 100.0, 1.0));
  // A simulation from a ten-millionth beside it leaves it.
  const FlowResult away = motion.flow_from({}, search.orbit->x + 1e-7 * Vector::Ones(2), {200, 0.0});
  EXPECT_GT((away.end.x - search.orbit->x).norm(), 1e-2);
}

TEST(Orbit, TheBallOnTheTableHasTheMultipliersOfItsClosedForm) {
  for (const double A : {0.5, 1.0, 1.2}) {  // beyond 1.0708 it is unstable
    const Motion motion = example("vibrating_table", {.case_name = "period1", .set = {{"A", std::to_string(A)}}});
    const double e = 0.8;
    const double lag = std::asin(pi * (1.0 - e) / (A * (1.0 + e)));
    const OrbitSearch search = find_orbit(setting_of(motion), motion.point(), {{motion.start()}, 1});
    ASSERT_TRUE(search.orbit) << name_of(search.shooting.end);
    // tr = (1+e)² (1 − Aω² cos(ω lag)/g) − 2e, det = e².
    const double trace = (1.0 + e) * (1.0 + e) * (1.0 - A * std::cos(lag)) - 2.0 * e;
    const auto expected = multipliers_of(trace, e * e);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_CLOSE(search.orbit->multipliers[i].value, expected[i], integration(1e-11, 100.0));
    EXPECT_EQ(search.orbit->stable, A < 1.0708);
    EXPECT_CLOSE(search.orbit->events.at(0).t, 2.0 * pi - lag, integration(1e-11, 100.0));
  }
}

TEST(Orbit, TheConstrainedMathieuEquationHasAMultiplierOneAtTheCriticalRestitution) {
  // First tongue: y₂ has one zero per period and (−1) Δ > 2, so that ε_c = 1/|λ₁| (docs/theory.md, "Hill's equation with a stop").
  MotionSetup with;
  with.options = orbit_flow_options();
  // The free monodromy, from a motion far from the stop.
  const std::string free =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-(1 + cos(2*t))*x\"]\n[forcing]\nperiod = "
      "\"pi\"\n[initial]\nx = 1\n";
  const Motion without = Motion::of(free, with);
  const Matrix Phi = without.flow_from({}, without.start(), {1, 0.0}, test::Carries::state_and_tangent).end.tangent;
  const Eigenpairs eigen = eigenpairs_of(Phi);
  const Index big = std::abs(eigen.values[0]) > std::abs(eigen.values[1]) ? 0 : 1;
  const double lambda = eigen.values[big].real();
  ASSERT_LT(lambda, -1.0);
  const std::string stopped =
      free + "[[contact]]\nname = \"stop\"\ngap = \"x\"\nrestitution = \"epsilon\"\n" + "[parameters]\nepsilon = 0.5\n";
  std::ostringstream critical;
  critical.precision(17);
  critical << -1.0 / lambda;
  with.set = {{"epsilon", critical.str()}};
  const Motion motion = Motion::of(stopped, with);
  Vector ray = eigen.vectors.col(big).real();
  if (ray[0] < 0.0) ray = -ray;
  const OrbitSearch search = find_orbit(setting_of(motion), motion.point(), {{ray}, 1});
  ASSERT_TRUE(search.orbit) << name_of(search.shooting.end);
  EXPECT_EQ(sequence_text(search.orbit->sequence, motion.model()), "stop");
  EXPECT_CLOSE(search.orbit->multipliers[0].value, Complex(1.0), integration(1e-11, 100.0));
  EXPECT_CLOSE(search.orbit->multipliers[1].value, Complex(1.0 / (lambda * lambda)), integration(1e-11, 100.0));
}

TEST(Orbit, AnOrbitFoundForTwicePeriodIsReducedToItsPrimePeriod) {
  const Motion motion = example("impact_oscillator");
  const OrbitSearch twice = orbit_after(motion, 100, 2);
  ASSERT_TRUE(twice.orbit);
  EXPECT_EQ(twice.orbit->returns, 1);
  EXPECT_EQ(twice.reduced_from, 2);
  EXPECT_CLOSE(twice.orbit->period, motion.period(), rounding(4));
}

TEST(Orbit, RandomStartsFindStableAndUnstableOrbitsOnceEach) {
  // Beyond the period doubling of the table: the unstable motion of period 1 and the stable one of period 2.
  const Motion motion = example("vibrating_table", {.case_name = "period2"});
  const auto starts = random_states(motion.kernels(), motion.point().inputs, motion.start(), 16, 0.5, 3,
                                    motion.start().cwiseAbs().cwiseMax(1.0));
  OrbitsOptions options;
  options.longest_period = 2;
  const std::vector<FoundOrbit> found = find_orbits(setting_of(motion), motion.point(), starts, options);
  const auto count = [&](long returns, bool stable) {
    return std::count_if(found.begin(), found.end(),
                         [&](const FoundOrbit& f) { return f.orbit.returns == returns && f.orbit.stable == stable; });
  };
  EXPECT_GE(count(1, false), 1);
  EXPECT_GE(count(2, true), 1);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(same_orbit(found[i].orbit, found[j].orbit, {})) << i << " " << j;
  options.threads = 4;
  const std::vector<FoundOrbit> again = find_orbits(setting_of(motion), motion.point(), starts, options);
  ASSERT_EQ(again.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_CLOSE(again[i].orbit.x, found[i].orbit.x, exact);
}

TEST(Orbit, AGuessFarFromAnyOrbitEndsWithTheLastPoint) {
  const Motion motion = example("impact_oscillator", {.case_name = "chaos"});
  OrbitOptions options;
  options.newton.most_iterations = 1;
  const OrbitSearch search = find_orbit(setting_of(motion), motion.point(), {{Vector{{-3.0, 1.0}}}, 3}, options);
  EXPECT_FALSE(search.orbit);
  EXPECT_NE(search.shooting.end, ShootingEnd::converged);
  EXPECT_GT(search.shooting.u.size(), 0);
  EXPECT_FALSE(search.shooting.steps.empty());
}

TEST(Orbit, MultipliersOfStronglyContractingOrbitsKeepLiouvillesFormula) {
  // van der Pol's with z' = ∫ div: ln of the product of the multipliers is what z gains. At μ = 3 a quarter of the orbit contracts by
  // more than its tangent resolves (it was 0.6 % off), at μ = 20 the multiplier is e⁻¹¹⁹⁴, which no floating-point number is.
  const std::string model = R"toml(
[parameters]
mu = 3
[mechanics]
states = ["x", "y", "z"]
rates = ["y", "mu*(1-x^2)*y - x", "mu*(1-x^2)"]
[initial]
x = 2
)toml";
  for (const double mu : {1.0, 3.0, 5.0, 10.0, 20.0}) {
    const Motion motion = Motion::of(model, {.set = {{"mu", std::to_string(mu)}}, .options = orbit_flow_options()});
    const FlowResult end = motion.flow_from({}, motion.start(), {0, 100.0});
    const double period = mu < 2.0 ? 6.7 : mu < 4.0 ? 8.9 : mu < 7.0 ? 11.6 : mu < 15.0 ? 19.1 : 34.7;
    const OrbitSearch search =
        find_orbit(setting_of(motion), motion.point(), {{end.end.x, 0.0, end.end.mode}, 0, period});
    ASSERT_TRUE(search.orbit) << mu;
    double sum = 0.0;
    for (const Multiplier& m : search.orbit->multipliers) sum += m.log_abs;
    // Each of up to 512 factors keeps 1e-8 of its smallest direction.
    EXPECT_NEAR(sum, search.orbit->drift.at(2), 1e-7) << mu;
  }
}

}  // namespace
}  // namespace saltus
