#include "saltus/analysis/hill/hill_approximation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/hill/hill_stability.hpp"
#include "tests/analysis/hill/hill_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using Point = std::vector<double>;

TEST(HillApproximation, FourierCoefficientsAreThoseOfCosinesAndSquareWaves) {
  const HillFourier cosine = fourier_of(mathieu(), Point{3.0, 0.8}, 9);
  EXPECT_CLOSE(cosine.mean(), 3.0, rounding(20));
  EXPECT_CLOSE(cosine[1], std::complex<double>(0.8), rounding(50));
  EXPECT_CLOSE(cosine[-1], std::complex<double>(0.8), rounding(50));
  for (long k = 2; k < 9; ++k) EXPECT_LT(std::abs(cosine[k]), 1e-14);
  const HillFourier square = fourier_of(meissner(), Point{3.0, 0.8}, 40);
  for (long k = 1; k < 40; ++k) {  // 2β sgn(cos 2t): (4β/πk) sin(kπ/2)
    const double exact = 4 * 0.8 / (pi * static_cast<double>(k)) * std::sin(static_cast<double>(k) * pi / 2);
    EXPECT_NEAR(std::abs(square[k] - exact), 0.0, 2e-14) << k;
  }
  const HillEquation slow(*hill_model("(alpha + 2*beta*sin(2*pi*t/10))*(pi/10)^2", "10"));
  const HillFourier scaled = fourier_of(slow, Point{3.0, 0.8}, 3);
  EXPECT_CLOSE(scaled.mean(), 3.0, rounding(50));
  EXPECT_CLOSE(scaled[1], std::complex<double>(0.0, -0.8), rounding(100));
}

TEST(HillApproximation, TheFiveByFiveBlockIsThePolynomialOfThePaper) {
  for (const auto& [a, b] : {std::pair(1.0, 0.5), std::pair(2.7, 1.1), std::pair(-0.8, 0.4), std::pair(7.3, 2.0)}) {
    const double D = 1 - (4 * a - 32) / (a * (a - 4) * (a - 16)) * b * b +
                     (3 * a - 32) / (a * std::pow(a - 4, 2) * std::pow(a - 16, 2)) * std::pow(b, 4);  // eq. 81
    const double s2 =
        a > 0 ? std::pow(std::sin(pi / 2 * std::sqrt(a)), 2) : -std::pow(std::sinh(pi / 2 * std::sqrt(-a)), 2);
    const HillFourier fourier = fourier_of(mathieu(), Point{a, b}, 5);
    EXPECT_CLOSE(determinant_discriminant(fourier, 5), 2 - 4 * s2 * D, rounding(200, 10.0));  // eq. 82: the minus sign
    const double D2 = 1 - (4 * a - 32) / (a * (a - 4) * (a - 16)) * b * b;
    EXPECT_CLOSE(*second_order_discriminant(fourier, 5), 2 - 4 * s2 * D2, rounding(200, 10.0));
    // The sign printed in (61) would be far off.
    EXPECT_GT(std::abs(2 + 4 * s2 * D - stability_of(mathieu().solve(Point{a, b})).discriminant), 0.5);
  }
}

TEST(HillApproximation, Equation84IsTheInverseOfTheSecondOrder) {
  for (const double a : {0.8, 1.0, 1.3}) {
    for (const double critical : {0.4, 0.6, 0.8}) {
      const double s2 = std::pow(std::sin(pi / 2 * std::sqrt(a)), 2);
      const double squared =
          a * (a - 4) * (a - 16) / (4 * a - 32) * (1 - (critical + 2 + 1 / critical) / (4 * s2));  // m₁ = 1
      ASSERT_GT(squared, 0.0);
      const HillFourier fourier = fourier_of(mathieu(), Point{a, std::sqrt(squared)}, 5);
      EXPECT_CLOSE(stability_of(*second_order_discriminant(fourier, 5), 0, 0.0).critical_restitution, critical,
                   rounding(1000));
    }
  }
}

TEST(HillApproximation, HillsDeterminantConvergesLikeTheThirdPowerOfTheBlockAndExtrapolatesFaster) {
  const HillEquation skew(*hill_model("alpha + 2*beta*cos(2*t) + 0.7*beta*sin(4*t + 1)"));
  for (const HillEquation* equation : {&mathieu(), &skew, &meissner()}) {
    const Point p = {2.3, 1.4};
    const double exact = stability_of(equation->solve(p)).discriminant;
    const HillFourier fourier = fourier_of(*equation, p, 257);
    const auto error = [&](long half) { return std::abs(determinant_discriminant(fourier, 2 * half + 1) - exact); };
    EXPECT_NEAR(error(32) / error(64), 8.0, 0.8);
    EXPECT_NEAR(error(16) / error(32), 8.0, 1.6);
    EXPECT_LT(std::abs(extrapolated_discriminant(fourier, 32) - exact), 0.05 * error(64));
  }
}

TEST(HillApproximation, AtEvenResonancesTheLimitIsTaken) {
  for (const double a : {0.0, 4.0, 16.0, 36.0}) {
    const double b = 0.5 + a / 10.0;
    const double exact = stability_of(mathieu().solve(Point{a, b})).discriminant;
    const HillFourier fourier = fourier_of(mathieu(), Point{a, b}, 129);
    EXPECT_NEAR(extrapolated_discriminant(fourier, 32), exact, 1e-6 * std::max(1.0, std::abs(exact)));
    EXPECT_FALSE(second_order_discriminant(fourier, 5).has_value());
    // Continuous across the resonance.
    const HillFourier beside = fourier_of(mathieu(), Point{a + 1e-9, b}, 5);
    EXPECT_NEAR(determinant_discriminant(beside, 5), determinant_discriminant(fourier, 5), 1e-6);
  }
}

TEST(HillApproximation, ABlockOfOneRowKnowsTheMeanAlone) {
  for (const double a : {0.3, 2.0, 4.0, 17.0, -1.0})
    EXPECT_NEAR(determinant_discriminant(fourier_of(mathieu(), Point{a, 0.4}, 1), 1), constant_stiffness(a, pi).trace(),
                1e-12);
}

TEST(HillApproximation, AveragingIsEquation73AndItsErrorFallsWithTheSquareOfTheExcitation) {
  const HillFourier fourier = fourier_of(mathieu(), Point{1.1, 0.4}, 8);
  const double mu = std::sqrt(0.16 - 0.01);
  EXPECT_CLOSE(averaging(fourier).discriminant, -2.0 * std::cosh(pi / 2 * mu), rounding(50));
  EXPECT_CLOSE(averaging(fourier).critical_restitution, std::exp(-pi / 2 * mu), rounding(50));
  // The critical β of (79) is where averaging says ε_c = ε.
  for (const double restitution : {0.4, 0.6, 0.8}) {
    const double beta = std::sqrt(std::pow(1.0 - 1.1, 2) + std::pow(2.0 / pi * std::log(restitution), 2));
    EXPECT_CLOSE(averaging(fourier_of(mathieu(), Point{1.1, beta}, 8)).critical_restitution, restitution, rounding(50));
  }
  const auto error = [](double b) {
    const double exact = stability_of(mathieu().solve(Point{1.0, b})).critical_restitution;
    return std::abs(averaging(fourier_of(mathieu(), Point{1.0, b}, 8)).critical_restitution - exact);
  };
  EXPECT_GT(error(0.1) / error(0.05), 3.5);
}

TEST(HillApproximation, FirstOrderAveragingHasNoParametricTermAtOtherResonancesOfMathieu) {
  for (const double a : {4.0, 9.0, 16.2}) {
    const HillAveraging averaged = averaging(fourier_of(mathieu(), Point{a, 0.5}, 8));
    EXPECT_EQ(averaged.resonance, std::lround(std::sqrt(a)));
    EXPECT_FALSE(averaged.excited);
  }
  EXPECT_EQ(averaging(fourier_of(mathieu(), Point{-1.0, 0.5}, 8)).resonance, 0);
  // A square wave has a third harmonic, and averaging there is right to first order.
  const auto error = [](double b) {
    const HillAveraging averaged = averaging(fourier_of(meissner(), Point{9.0, b}, 8));
    EXPECT_TRUE(averaged.excited);
    return std::abs(averaged.critical_restitution - stability_of(meissner().solve(Point{9.0, b})).critical_restitution);
  };
  EXPECT_GT(error(0.2) / error(0.1), 3.0);
}

}  // namespace
}  // namespace saltus
