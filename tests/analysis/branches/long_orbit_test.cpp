#include "saltus/analysis/branches/long_orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "saltus/analysis/orbits/orbit.hpp"
#include "tests/analysis/branches/orbits_of.hpp"

namespace saltus {
namespace {

std::vector<PeriodAt> approach(double kappa, double c) {
  std::vector<PeriodAt> points;
  for (double T = 3.0; T < 3.0 + 24.0 / kappa; T *= 1.0 + 0.2 / (kappa * T))
    points.push_back({T, 2.0 + c * std::exp(-kappa * T)});
  return points;
}

TEST(LongOrbit, ParameterThatFallsExponentiallyHasItsLimitWithinTheErrorStated) {
  for (const double kappa : {0.05, 0.7, 4.0})
    for (const double c : {-0.3, 5.0}) {
      const std::vector<PeriodAt> points = approach(kappa, c);
      const ParameterLimit limit = limit_of_parameter(points, 1e-12);
      EXPECT_LE(std::abs(limit.value - 2.0), limit.error) << kappa << ' ' << c;
      EXPECT_LT(limit.error, 1e-9);
      // Half of the way: what is left is much larger than the error of the limit.
      const std::vector<PeriodAt> half(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2));
      const ParameterLimit early = limit_of_parameter(half, 1e-12);
      EXPECT_LT(std::abs(early.value - 2.0), 1e-3 * std::abs(half.back().parameter - 2.0)) << kappa << ' ' << c;
      EXPECT_LE(std::abs(early.value - 2.0), early.error);
    }
}

TEST(LongOrbit, ParameterThatSwingsHasAnErrorAsLargeAsItsSwings) {
  std::vector<PeriodAt> points;
  for (double T = 3.0; T < 20.0; T += 0.05) points.push_back({T, 2.0 + 0.3 * std::exp(-T) * std::cos(9.0 * T)});
  const ParameterLimit limit = limit_of_parameter(points, 1e-12);
  EXPECT_LE(std::abs(limit.value - 2.0), limit.error);
}

/// An orbit of a branch as shooting would begin with it: from the starts of its segments.
ShootingStart shooting_of(const PlannedOrbit& orbit, const Vector& rate) {
  const double period = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
  const Index N = rate.size();
  ShootingStart start;
  start.u = Vector(index(orbit.x.size()) * N + 1);
  double place = 0.0;
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    start.mesh.nodes.push_back({place, orbit.plan.segments[i].mode, {}});
    start.u.segment(index(i) * N, N) = orbit.x[i];
    place += orbit.tau[i] / period;
  }
  start.u[start.u.size() - 1] = period;
  start.mesh.gain = Vector::Zero(N);
  start.mesh.translations = orbit.plan.translations;
  start.mesh.anchor = orbit.x.front();
  start.mesh.direction = rate.normalized();
  start.mesh.sizes = Vector::Ones(N);
  return start;
}

TEST(LongOrbit, MultipliersOnTheWayToAHomoclinicOrbitAreThoseOfShootingAndFulfilLiouvillesFormula) {
  const test::Orbits lorenz("../tests/truths/models/auto_lor", {"rho"},
                            {{"rho", "20"}, {"x", "10.988130914706828"}, {"y", "14.278660160337072"}, {"z", "19"}});
  BranchOptions options = lorenz.bounds(13.0, 30.0);
  options.direction = BranchOptions::Direction::down;
  options.longest = 46.0;
  const Branch branch = branch_through(lorenz.system(), lorenz.near(lorenz.initial()), options);
  ASSERT_EQ(branch.ends.size(), 1U);
  EXPECT_EQ(name_of(branch.ends.front().reason), "homoclinic");
  double longest = 0.0, largest = 0.0, smallest = 0.0;
  std::size_t compared = 0;
  for (const BranchPoint& point : branch.points) {
    if (is_equilibrium(point.special)) continue;
    ASSERT_EQ(point.multiplier_logs.size(), 2U);
    // Of an orbit the logarithms sum up to the divergence of the equations over its period.
    const double divergence = -(10.0 + 1.0 + 8.0 / 3.0) * point.period;
    EXPECT_NEAR((point.multiplier_logs[0] + point.multiplier_logs[1]) / divergence, 1.0, 1e-7) << point.period;
    const ParameterPoint p = lorenz.rates().at(point.orbit.varied);
    const Mode& mode = point.orbit.plan.segments.front().mode;
    const Vector rate = Mechanism(lorenz.kernels(), p.inputs).field(0.0, point.orbit.x.front(), mode).rate;
    const ShootingResult found =
        solve_shooting(lorenz.kernels(), orbit_flow_options(), p, shooting_of(point.orbit, rate), {.tolerance = 1e-10});
    ASSERT_EQ(name_of(found.end), "converged") << point.period;
    const OrbitSetting setting{lorenz.kernels(), orbit_flow_options(), point.orbit.plan.translations, {}};
    const PeriodicOrbit orbit = periodic_orbit(setting, p, found.mesh, found.u, found.value, found.condition);
    // The parameter tells the period of orbits beside the saddle less and less: no change of it that is left makes them longer. Measured: 4e-9.
    EXPECT_NEAR(orbit.period / point.period, 1.0, 1e-7);
    std::vector<double> logs;
    for (const Multiplier& each : orbit.multipliers)
      if (!each.trivial) logs.push_back(each.log_abs);
    ASSERT_EQ(logs.size(), 2U) << point.period;
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(logs[k], point.multiplier_logs[k], 1e-6 * std::max(1.0, std::abs(logs[k]))) << point.period;
    EXPECT_NEAR((logs[0] + logs[1]) / divergence, 1.0, 1e-7) << point.period;
    longest = std::max(longest, point.period);
    largest = std::max(largest, point.multiplier_logs[0]);
    smallest = std::min(smallest, point.multiplier_logs[1]);
    ++compared;
  }
  EXPECT_GT(compared, 100U);
  EXPECT_GT(longest, 46.0);
  EXPECT_GT(largest, 200.0);
  EXPECT_LT(smallest, -800.0);
}

}  // namespace
}  // namespace saltus
