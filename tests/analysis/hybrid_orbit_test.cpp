#include "saltus/analysis/hybrid_orbit.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "tests/support/impact_oscillator_closed_form.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus::test {
namespace {

/// A model with the varied parameters, ready for orbits.
struct Orbits {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Kernels> kernels;
  std::unique_ptr<ParameterRates> rates;
  Setup setup;
  OrbitSystem system() const { return {*kernels, {.rtol = 1e-12, .atol = 1e-13, .tangent_rtol = 1e-12}, *rates, {}}; }
};

Orbits orbits_of(const std::string& name, const std::vector<std::string>& varied, const std::vector<Assignment>& set) {
  Orbits result;
  result.model = read_model_file("examples/" + name + ".toml").model;
  result.setup = *set_up(*result.model, "", set).setup;
  KernelOptions wanted;
  for (const std::string& parameter : varied) wanted.varied.push_back(*parameter_index(*result.model, parameter));
  wanted.followed = followed_parameters(*result.model, "", set, wanted.varied);
  result.kernels = std::make_unique<Kernels>(*result.model, wanted);
  result.rates = std::make_unique<ParameterRates>(result.model, result.kernels->layout(), result.setup.parameters);
  return result;
}

std::string digits(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

TEST(HybridOrbit, OneImpactOrbitIsTheClosedFormWithItsMultipliers) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.05};
  const double w = o.speeds().front();
  const Orbits orbits = orbits_of("impact_oscillator", {"sigma"}, {{"omega", "2.4"}, {"sigma", digits(o.sigma)}});
  const Vector near = o.strobe(w) + Vector{{1e-3, -1e-3}};
  const auto read = read_plan(*orbits.kernels, orbits.system().options, *orbits.rates, {o.sigma}, near, 1, {});
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
  EXPECT_EQ(sequence_text(problem.plan(), {"stop"}), "stop");
}

TEST(HybridOrbit, JacobianAgreesWithDifferencesOfTheResidual) {
  const ImpactOscillator o{.omega = 2.4, .sigma = 0.05};
  const Orbits orbits =
      orbits_of("impact_oscillator", {"sigma", "omega"}, {{"omega", "2.4"}, {"sigma", digits(o.sigma)}});
  const Vector x = o.strobe(o.speeds().front());
  const auto read = read_plan(*orbits.kernels, orbits.system().options, *orbits.rates, {o.sigma, o.omega}, x, 2, {});
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
