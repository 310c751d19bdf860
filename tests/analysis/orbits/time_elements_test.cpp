// Hamilton's weak principle with elements in time, against closed forms, the paper's numbers and the tangent of the flow.
#include "saltus/analysis/orbits/time_elements.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/numerics/decompositions.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

FlowOptions exactly() { return {.method = FlowMethod::exact}; }

/// The nodes of the motion from x over `periods` forcing periods.
Vector nodes_from(const Motion& m, const TimeElements& elements, const Vector& x) {
  const auto count = static_cast<double>(elements.options().periods);
  FlowRun run = m.run_from({}, x, {elements.options().periods, 0.0}, Carries::state);
  for (const double place : elements.places()) {
    const double t = place * count;
    run.samples.push_back({static_cast<long>(std::floor(t)), (t - std::floor(t)) * m.period()});
  }
  const FlowResult result = flow(m.kernels(), m.options, run);
  const auto n = static_cast<Eigen::Index>(m.model().n());
  Vector nodes(elements.unknowns());
  for (std::size_t i = 0; i < result.samples.size(); ++i)
    nodes.segment(static_cast<Eigen::Index>(i) * n, n) = result.samples[i].x.head(n);
  return nodes;
}

Motion clearance(const std::string& case_name, const std::vector<Assignment>& set = {}) {
  return Motion::example("clearance_pair", {.case_name = case_name, .set = set, .options = exactly()});
}

TimeElementOrbit solved(const Motion& m, const TimeElementOptions& options, const Vector& x) {
  const TimeElements elements(m.model(), options);
  return elements.solve(nodes_from(m, elements, x), m.parameters(), m.period());
}
TimeElementOrbit solved(const Motion& m, const TimeElementOptions& options = {}) {
  return solved(m, options, m.start());
}

TEST(TimeElements, GiveTheMultipliersOfALinearOscillatorWithTheOrderOfTheElements) {
  // ẍ + 2ζẋ + x = cos ηt: multipliers exp((−ζ ± i√(1 − ζ²)) T), the superconvergent order 2d of the elements' ends.
  const Motion m = Motion::of(R"toml(
[parameters]
zeta = 0.1
eta = 0.7
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x - 2*zeta*x' + cos(eta*t)"]
[forcing]
period = "2*pi/eta"
)toml",
                              {.options = exactly()});
  const std::complex<double> exact =
      std::exp(std::complex<double>(-0.1, std::sqrt(1.0 - 0.01)) * (2.0 * std::numbers::pi / 0.7));
  const auto error = [&](std::size_t elements) {
    const auto orbit = solved(m, {.elements = elements, .degree = 2});
    EXPECT_TRUE(orbit.converged());
    return std::min(std::abs(orbit.multipliers[0].value - exact), std::abs(orbit.multipliers[1].value - exact));
  };
  EXPECT_NEAR(std::log2(error(16) / error(32)), 4.0, 0.3);
  EXPECT_LE(solved(m, {.elements = 8, .degree = 10}).residual, 1e-11);
  // x(0) of the steady state: ((1 − η²) ) / ((1 − η²)² + (2ζη)²).
  const double a = 1.0 - 0.49;
  EXPECT_NEAR(solved(m, {.elements = 8, .degree = 10}).x[0], a / (a * a + 0.14 * 0.14), 1e-12);
}

TEST(TimeElements, GiveEveryPrintedDigitOfThePaper) {
  // Kranjčević et al., eq. 30: ten cubic elements, trilinear clearance.
  const auto check = [](const TimeElementOrbit& orbit, const char* re1, const char* im1, const char* re2,
                        const char* im2) {
    ASSERT_TRUE(orbit.converged()) << orbit.residual << " after " << orbit.iterations << " iterations, condition "
                                   << orbit.condition;
    ASSERT_EQ(orbit.multipliers.size(), 4U);
    EXPECT_CLOSE(orbit.multipliers[0].value.real(), std::stod(re1), printed(re1));
    EXPECT_CLOSE(std::abs(orbit.multipliers[0].value.imag()), std::stod(im1), printed(im1));
    EXPECT_CLOSE(orbit.multipliers[2].value.real(), std::stod(re2), printed(re2));
    EXPECT_CLOSE(std::abs(orbit.multipliers[2].value.imag()), std::stod(im2), printed(im2));
  };
  const TimeElementOrbit before = solved(clearance("eta0772"));
  check(before, "-0.0527", "0.9939", "0.0266", "0.4267");
  EXPECT_TRUE(before.stable);
}

TEST(TimeElements, ComeCloserToTheExactMultipliersWithMoreElements) {
  const Motion m = clearance("eta0772");
  const Matrix monodromy = m.flow_from({}, m.start(), {1, 0.0}, Carries::state_and_tangent).end.tangent;
  const std::vector<Multiplier> exact = multipliers({{monodromy, false}});
  const auto error = [&](std::size_t count) {
    const TimeElementOrbit orbit = solved(m, {.elements = count});
    return std::min(std::abs(orbit.multipliers[0].value - exact[0].value),
                    std::abs(orbit.multipliers[0].value - exact[1].value));
  };
  // Where the kinks lie in their elements matters too: the errors fall, but not by a power of the length.
  EXPECT_LE(error(40), 0.1 * error(10));
  EXPECT_LE(error(40), 1e-5);
  // The determinant: exp(−trace Z T), to the same error.
  const TimeElementOrbit orbit = solved(m, {.elements = 40});
  EXPECT_NEAR(LuFactors(orbit.monodromy).determinant(), std::exp(-0.21 * m.period()), 1e-6);
}

TEST(TimeElements, SolveTheIdealClearanceFromAGoodStart) {
  const Motion m = clearance("ideal", {{"eta", "0.75"}});
  const Vector settled = m.flow_from({}, m.start(), {400, 0.0}).end.x;
  const TimeElementOrbit orbit = solved(m, {.elements = 40}, settled);
  ASSERT_TRUE(orbit.converged());
  EXPECT_LE((orbit.x - settled).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(TimeElements, TakeMassesThatDependOnTheConfigurationAndLongerPeriods) {
  // A double pendulum with a shaken pivot, about its hanging position: the tangent of the flow over the same motion.
  const Motion m = Motion::of(R"toml(
[parameters]
a = 0.3
w = 2.6
[mechanics]
coordinates = ["p", "r"]
mass  = [["2", "cos(p - r)"], ["cos(p - r)", "1 + 0.1*sin(t*w)"]]
force = ["-sin(p - r)*r'^2 - 2*sin(p) - 0.3*p' + a*cos(w*t)", "sin(p - r)*p'^2 - sin(r) - 0.2*r' - 0.1*w*cos(t*w)*r'"]
[forcing]
period = "2*pi/w"
)toml",
                              {.options = tight()});
  const Vector settled = m.flow_from({}, m.start(), {120, 0.0}).end.x;
  for (const long periods : {1L, 2L}) {
    const TimeElementOrbit orbit =
        solved(m, {.elements = 16 * static_cast<std::size_t>(periods), .degree = 6, .periods = periods}, settled);
    ASSERT_TRUE(orbit.converged());
    const FlowResult around = m.flow_from({}, orbit.x, {periods, 0.0}, Carries::state_and_tangent);
    EXPECT_LE((around.end.x - orbit.x).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE((around.end.tangent - orbit.monodromy).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(TimeElements, IntegrateAForceThatJumpsExactly) {
  // Dry friction on a strongly driven mass: the force jumps where the velocity turns. Newton's tangent is exact: differences.
  const Motion m = Motion::of(R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x - 0.3*sign(x') + 2*cos(0.5*t)"]
[forcing]
period = "4*pi"
)toml",
                              {.options = exactly()});
  const TimeElements elements(m.model(), {.elements = 6, .degree = 3});
  const Vector nodes = elements.nodes_of([](double place) {
    return Vector{{2.4 * std::cos(2.0 * std::numbers::pi * place) + 0.3 * std::sin(4.0 * std::numbers::pi * place)}};
  });
  const auto at = elements.value(nodes, m.parameters(), m.period());
  const double h = 1e-6;
  for (const Eigen::Index j : {0, 5, 11}) {
    Vector moved = nodes;
    moved[j] += h;
    const Vector above = elements.value(moved, m.parameters(), m.period()).residual;
    moved[j] -= 2.0 * h;
    const Vector below = elements.value(moved, m.parameters(), m.period()).residual;
    EXPECT_LE((at.tangent.col(j) - (above - below) / (2.0 * h)).cwiseAbs().maxCoeff(), 1e-7) << j;
  }
}

TEST(TimeElements, SayWhichCoordinateAFreeGapLeavesUndetermined) {
  // No load on the second mass and no coupling: it floats in its clearance for the whole period.
  const Motion m = clearance("ideal", {{"f02", "0"}, {"w21", "0"}, {"eta", "0.75"}});
  const Vector settled = m.flow_from({}, m.start(), {200, 0.0}).end.x;
  const TimeElementOrbit orbit = solved(m, {}, settled);
  EXPECT_EQ(orbit.end, TimeElementEnd::singular);
  EXPECT_EQ(orbit.undetermined.value_or(9), 1U);
}

TEST(TimeElements, RefuseContactsAndModelsWithoutForcing) {
  EXPECT_THROW(TimeElements(*read_model_file("examples/impact_oscillator.toml").model, {}), Error);
  EXPECT_THROW(TimeElements(*read_model_file("examples/friction_belt.toml").model, {}), Error);
  const Motion m = clearance("ideal");
  EXPECT_THROW(TimeElements(m.model(), {.elements = 0}), Error);
  EXPECT_THROW(TimeElements(m.model(), {.degree = 0}), Error);
}

}  // namespace
}  // namespace saltus::test
