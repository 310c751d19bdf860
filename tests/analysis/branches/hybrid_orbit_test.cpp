#include "saltus/analysis/orbits/hybrid_orbit.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/branches/orbits_of.hpp"

namespace saltus::test {
namespace {

TEST(HybridOrbit, OneImpactOrbitIsTheClosedFormWithItsMultipliers) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.05};
  const double w = o.speeds().front();
  const Orbits orbits("impact_oscillator", {"sigma"}, {{"omega", "2.4"}, {"sigma", digits(o.sigma)}});
  const Vector near = o.strobe(w) + Vector{{1e-3, -1e-3}};
  const auto read = read_plan(orbits.kernels(), Orbits::options(), orbits.rates(), {o.sigma}, near, 1, {});
  ASSERT_TRUE(read.orbit.has_value()) << read.problem;
  const HybridOrbit problem(orbits.system(), *read.orbit, Vector::Ones(1));
  const Correction found = corrected(problem, problem.unknowns(*read.orbit), parameter_direction(problem), {}, 20);
  ASSERT_TRUE(found.converged());
  EXPECT_CLOSE(problem.return_state(found.y), Vector(o.strobe(w)), integration(1e-12, 1000.0, 1.0));
  EXPECT_CLOSE(problem.orbit(found.y).t, o.instant(w), integration(1e-12, 1000.0, 1.0));
  const auto mu = o.multipliers(w);
  EXPECT_CLOSE(problem.report(found.y).multipliers[0] + problem.report(found.y).multipliers[1], mu[0] + mu[1],
               integration(1e-12, 1000.0, 1.0));
  EXPECT_EQ(problem.contradiction(found.y), "");
  EXPECT_EQ(sequence_text(problem.plan(), {{"stop"}, {}}), "stop");
}

TEST(HybridOrbit, JacobianAgreesWithDifferencesOfTheResidual) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.05};
  const Orbits orbits("impact_oscillator", {"sigma", "omega"}, {{"omega", "2.4"}, {"sigma", digits(o.sigma)}});
  const Vector x = o.strobe(o.speeds().front());
  const auto read = read_plan(orbits.kernels(), Orbits::options(), orbits.rates(), {o.sigma, o.omega}, x, 2, {});
  ASSERT_TRUE(read.orbit.has_value()) << read.problem;
  const HybridOrbit problem(orbits.system(), *read.orbit, Vector::Ones(2));
  const Vector y = problem.unknowns(*read.orbit);
  const Matrix exact_jacobian = problem.jet(y)->jacobian;
  const auto differences = [&](double h) {
    Matrix D(exact_jacobian.rows(), y.size());
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      const Vector by = Vector::Unit(y.size(), j) * h;
      D.col(j) = (problem.jet(y + by)->residual - problem.jet(y - by)->residual) / (2.0 * h);
    }
    return D;
  };
  EXPECT_CLOSE(differences, exact_jacobian, difference(1e-2));
}

}  // namespace
}  // namespace saltus::test
