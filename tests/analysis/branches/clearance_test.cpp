// Two masses with clearances on three roads: closed form, Runge-Kutta steps, elements in time.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/orbits/time_elements.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "tests/analysis/branches/clearance_pair.hpp"

namespace saltus::test {
namespace {

PeriodicOrbit orbit_of(const Motion& m) {
  const OrbitSetting setting{m.kernels(), m.options, Translations(), {}};
  const OrbitSearch found = find_orbit(setting, m.point(), {{m.start()}, 1});
  if (!found.orbit) throw std::runtime_error("no orbit");
  return *found.orbit;
}

double determinant(const std::vector<Multiplier>& multipliers) {
  std::complex<double> product = 1.0;
  for (const Multiplier& m : multipliers) product *= m.value;
  return product.real();
}

TEST(Clearances, ClosedFormAndRungeKuttaAgreeInEveryMultiplierBeforeAndAfterTheLossOfStability) {
  for (const std::string name : {"eta0772", "eta0773"}) {
    const Motion exact = pair(name, FlowMethod::exact);
    const PeriodicOrbit a = orbit_of(exact);
    const PeriodicOrbit b = orbit_of(pair(name, FlowMethod::runge_kutta));
    // The third: the eigenvalues of the tangent of one run over the period from the orbit's point.
    const FlowResult around = exact.flow_from({}, a.x, {1, 0.0}, Carries::state_and_tangent);
    const std::vector<Multiplier> c = multipliers({{around.end.tangent, false}});
    ASSERT_EQ(a.multipliers.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LE(std::abs(a.multipliers[i].value - b.multipliers[i].value), 1e-9 * tolerance_scale()) << name;
      EXPECT_LE(std::abs(a.multipliers[i].value - c[i].value), 1e-9 * tolerance_scale()) << name;
    }
    EXPECT_EQ(a.stable, name == "eta0772");
    // Liouville: e^(−tr Z · T), on every road.
    const double expected = std::exp(-trace_of_damping * exact.period());
    EXPECT_NEAR(determinant(a.multipliers), expected, 1e-12 * tolerance_scale());
    EXPECT_NEAR(determinant(b.multipliers), expected, 1e-10 * tolerance_scale());
  }
}

TEST(Clearances, ElementsInTimeKeepTheContractionOfPhaseVolumeToTheirOwnError) {
  const Motion m = pair("eta0772", FlowMethod::exact);
  const Vector x = orbit_of(m).x;
  const auto error = [&](std::size_t count) {
    const TimeElements elements(m.model(), {.elements = count});
    const auto T = m.period();
    const Vector nodes =
        elements.nodes_of([&](double place) { return Vector(m.flow_from({}, x, {0, place * T}).end.x.head(2)); });
    const TimeElementOrbit orbit = elements.solve(nodes, m.parameters(), T);
    EXPECT_TRUE(orbit.converged());
    return std::abs(LuFactors(orbit.monodromy).determinant() - std::exp(-trace_of_damping * T));
  };
  EXPECT_LE(error(10), 1e-4);
  EXPECT_LE(error(40), 1e-6);
}

TEST(Clearances, TenElementsGiveThePrintedDigitsAfterTheLossOfStability) {
  // Kranjčević et al., eq. 31.
  const Motion m = pair("eta0773", FlowMethod::exact);
  const TimeElements elements(m.model(), {});
  const auto T = m.period();
  const Vector nodes =
      elements.nodes_of([&](double place) { return Vector(m.flow_from({}, m.start(), {0, place * T}).end.x.head(2)); });
  const TimeElementOrbit orbit = elements.solve(nodes, m.parameters(), T);
  ASSERT_TRUE(orbit.converged());
  EXPECT_CLOSE(orbit.multipliers[0].value.real(), -0.0496, printed("-0.0496"));
  EXPECT_CLOSE(std::abs(orbit.multipliers[0].value.imag()), 0.9996, printed("0.9996"));
  EXPECT_CLOSE(orbit.multipliers[2].value.real(), 0.0280, printed("0.0280"));
  EXPECT_CLOSE(std::abs(orbit.multipliers[2].value.imag()), 0.4247, printed("0.4247"));
  EXPECT_FALSE(orbit.stable);
}

TEST(Clearances, TakingTheResidualAwayBitByBitFindsMotionsThatNewtonAloneMisses) {
  // From the first period after rest, at two frequencies: what is found that way is a solution, and there is more of it.
  int alone = 0;
  int continued = 0;
  for (const std::string eta : {"0.8", "0.9"}) {
    const Motion m = pair("trilinear", FlowMethod::exact, {{"eta", eta}});
    const TimeElements elements(m.model(), {.most_iterations = 12});
    const auto T = m.period();
    const Vector nodes = elements.nodes_of(
        [&](double place) { return Vector(m.flow_from({}, m.start(), {0, place * T}).end.x.head(2)); });
    alone += elements.solve(nodes, m.parameters(), T).converged() ? 1 : 0;
    const TimeElementOrbit orbit = solve_continued(elements, nodes, m.parameters(), T);
    continued += orbit.converged() ? 1 : 0;
    if (orbit.converged()) { EXPECT_LE(orbit.residual, 1e-11); }
  }
  EXPECT_GT(continued, alone);
}

/// The Neimark–Sacker points of the motion of period 1 for η from 0.74 to 1, from a simulation at 0.75.
std::vector<double> torus_points(const std::string& case_name, FlowMethod method) {
  std::vector<double> found;
  for (const BranchPoint& point : branch_from_rest(case_name, method, "0.75", 0.74, 1.0).points) {
    if (point.special != SpecialKind::torus) continue;
    EXPECT_NEAR(std::abs(point.multipliers[0]), 1.0, 1e-8);
    EXPECT_GT(std::abs(point.multipliers[0].imag()), 0.01);
    found.push_back(point.parameter);
  }
  return found;
}

TEST(Clearances, ThePeriodOneMotionLeavesAndRegainsItsStabilityAtTheSameFrequenciesOnBothRoads) {
  // docs/theory.md, "Clearances": 0.77285 … 0.938 (trilinear), 0.76634 … 0.942 (ideal).
  const std::vector<double> trilinear = torus_points("trilinear", FlowMethod::exact);
  ASSERT_EQ(trilinear.size(), 2U);
  EXPECT_CLOSE(trilinear[0], 0.77285, printed("0.77285"));
  EXPECT_CLOSE(trilinear[1], 0.938, printed("0.938"));
  const std::vector<double> ideal = torus_points("ideal", FlowMethod::exact);
  ASSERT_EQ(ideal.size(), 2U);
  EXPECT_CLOSE(ideal[0], 0.76634, printed("0.76634"));
  EXPECT_CLOSE(ideal[1], 0.942, printed("0.942"));
  const std::vector<double> by_steps = torus_points("trilinear", FlowMethod::runge_kutta);
  ASSERT_EQ(by_steps.size(), 2U);
  EXPECT_NEAR(by_steps[0], trilinear[0], 1e-9 * tolerance_scale());
  EXPECT_NEAR(by_steps[1], trilinear[1], 1e-9 * tolerance_scale());
}

}  // namespace
}  // namespace saltus::test
