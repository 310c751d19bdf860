// Stiffnesses whose solutions are known: w cos ψ with w² ψ' = 1, and Whittaker and Hill's.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/hill/hill_stability.hpp"
#include "tests/analysis/hill/hill_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;

// With ψ' = k (1 + a cos 2t) and w = 1/√ψ', w sin ψ and w cos ψ solve x'' + g x = 0 for g = ψ'² + ψ'''/(2 ψ') − 3/4 (ψ''/ψ')². In a period
// ψ gains kπ, whatever a is: Δ = 2 cos kπ, and the solution that starts with a zero meets ⌊k⌋ more.
const std::string turning =
    "alpha^2*(1 + beta*cos(2*t))^2 - 2*beta*cos(2*t)/(1 + beta*cos(2*t)) - "
    "3*(beta*sin(2*t)/(1 + beta*cos(2*t)))^2";

TEST(HillClosedForm, ASolutionThatTurnsByKHalfTurnsHasThatDiscriminantAndThatManyZeros) {
  const HillEquation equation(*hill_model(turning), 1);
  const HillEquation damped(*hill_model(turning + " + 0.0225", "pi", "0.3"), 1);
  for (const double a : {0.1, 0.5, 0.9, -0.95, 0.98})
    for (double k = 0.14; k < 6.0; k += 0.29) {
      const HillStability s = stability_of(equation.solve(std::vector{k, a}));
      EXPECT_CLOSE(s.discriminant, 2.0 * std::cos(k * pi), test::integration(1e-12, 20.0)) << k << " " << a;
      EXPECT_EQ(s.zeros, static_cast<long>(std::floor(k))) << k << " " << a;
      EXPECT_CLOSE(s.impacts_per_period, k, test::integration(1e-12, 1e4)) << k << " " << a;
      EXPECT_EQ(s.critical_restitution, 1.0) << k << " " << a;
      EXPECT_CLOSE(stability_of(damped.solve(std::vector{k, a})).log_growth, -0.15 * pi, test::rounding(1e3));
    }
}

TEST(HillClosedForm, AtWhittakerAndHillsFirstBoundaryTheCriticalRestitutionFallsFromOneToNone) {
  // exp(s cos 2t) has period π and no zero: Δ = 2 and n = 0 at g = 4 s cos 2t − 4 s² sin² 2t. With more stiffness it turns, with less it grows.
  const HillEquation equation(*hill_model("beta + 4*alpha*cos(2*t) - 4*alpha^2*sin(2*t)^2"), 1);
  for (const double s : {0.1, 0.7, -0.7, 1.5}) {
    const auto at = [&](double more) { return stability_of(equation.solve(std::vector{s, more})); };
    EXPECT_CLOSE(at(0.0).discriminant, 2.0, test::integration(1e-11, 1.0)) << s;
    EXPECT_EQ(at(0.0).zeros, 0) << s;
    EXPECT_EQ(at(1e-5).critical_restitution, 1.0) << s;
    EXPECT_EQ(at(-1e-5).critical_restitution, 0.0) << s;
  }
}

}  // namespace
}  // namespace saltus
