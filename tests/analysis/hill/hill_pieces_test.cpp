// Stiffnesses with features that are short beside the steps: each is felt, whatever else the period is made of.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>

#include "saltus/analysis/hill/hill_approximation.hpp"
#include "saltus/analysis/hill/hill_stability.hpp"
#include "tests/analysis/hill/hill_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using Point = std::vector<double>;

/// ÿ + (k² + 2/w² sech²((t − c)/w)) y = 0 has the solution e^{ikt} (tanh((t − c)/w) − i k w): Pöschl and Teller's well, which reflects nothing.
Eigen::Matrix2d poeschl_teller(double k, double w, double c, double t) {
  using namespace std::complex_literals;
  const double u = (t - c) / w;
  const std::complex<double> turn = std::exp(1i * k * t);
  const std::complex<double> z = turn * (std::tanh(u) - 1i * k * w);
  const std::complex<double> rate = turn * (1i * k * std::tanh(u) + k * k * w + 1.0 / (w * std::pow(std::cosh(u), 2)));
  Eigen::Matrix2d basis;
  basis << z.real(), z.imag(), rate.real(), rate.imag();
  return basis;
}

TEST(HillPieces, AWellOfAnyWidthHasItsClosedForm) {
  const HillEquation equation(*hill_model("alpha + 2*beta^2/cosh((t - 1.2)*beta)^2"));
  for (const double alpha : {0.3, 1.69, 7.0})
    for (const double w : {0.3, 0.05, 1e-2, 1e-3, 1e-4}) {
      const HillSolution solution = equation.solve(Point{alpha, 1.0 / w});
      // Rounding of t is a part of the narrowest: they are known to some 1e-11, and said to be less exact than asked for.
      EXPECT_TRUE(solution.converged || w < 1e-2) << alpha << " " << w;
      const double k = std::sqrt(alpha);
      const Eigen::Matrix2d phi = poeschl_teller(k, w, 1.2, pi) * poeschl_teller(k, w, 1.2, 0.0).inverse();
      EXPECT_LE((solution.monodromy - phi).cwiseAbs().maxCoeff(), 1e-9) << alpha << " " << w;
    }
}

TEST(HillPieces, ABumpThatChangesNoZeroIsFeltAsTheKickThatItIs) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> places(0.1, 3.0);
  std::uniform_real_distribution<double> heights(-4.0, 4.0);
  for (const double w : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const HillEquation equation(*hill_model("1.3 + beta*exp(-((t - alpha)/" + std::to_string(w) + ")^2)"));
    for (int trial = 0; trial < 40; ++trial) {
      const double c = places(random);
      const double height = heights(random);
      const HillSolution solution = equation.solve(Point{c, height});
      ASSERT_TRUE(solution.converged) << c << " " << height << " " << w;
      const double area = height * w * std::sqrt(pi);
      Eigen::Matrix2d kick;
      kick << 1.0, 0.0, -area, 1.0;
      const Eigen::Matrix2d phi = constant_stiffness(1.3, pi - c) * kick * constant_stiffness(1.3, c);
      // What a kick leaves out of a bump of this width.
      const double rest = 4.0 * std::abs(area) * w * (w + std::abs(area)) + 1e-12;
      EXPECT_LE((solution.monodromy - phi).cwiseAbs().maxCoeff(), rest) << c << " " << height << " " << w;
    }
  }
}

TEST(HillPieces, WavesInAShortWindowAreSeen) {
  // The window is a twentieth of the period: it was one step, however often the period was halved.
  const HillEquation waves(*hill_model("alpha + beta*cos(200*t)", "0.1"));
  const HillEquation window(*hill_model("if(t < 0.1, alpha + beta*cos(200*t), 1)", "2"));
  for (const auto& [alpha, beta] : {std::pair(100.0, 100.0), std::pair(1.0, 900.0), std::pair(-50.0, 300.0)}) {
    const HillSolution whole = window.solve(Point{alpha, beta});
    const Eigen::Matrix2d phi = constant_stiffness(1.0, 1.9) * waves.solve(Point{alpha, beta}).monodromy;
    ASSERT_TRUE(whole.converged);
    EXPECT_LE((whole.monodromy - phi).cwiseAbs().maxCoeff(), 1e-12 * whole.size) << alpha << " " << beta;
  }
  // By Dormand and Prince's pair of order 8 in SciPy, with steps of a thousandth.
  EXPECT_NEAR(window.solve(Point{100.0, 100.0}).monodromy.trace(), -8.593140250901, 1e-9);
}

TEST(HillPieces, ChartsAndCoefficientsSeeWhatThePointSees) {
  const HillEquation equation(*hill_model("1.3 + beta*exp(-((t - alpha)/1e-3)^2)"), 4);
  std::vector<Point> points;
  for (int i = 0; i < 4; ++i) points.push_back({0.7 + 0.5 * i, 2.0 - i});
  const std::vector<HillSolution> together = equation.solve_lanes(points);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(together[i].monodromy, equation.solve(points[i]).monodromy);
  // g₀ of the time πt/T, T = π: the mean of g.
  EXPECT_NEAR(fourier_of(equation, points[0], 4).mean(), 1.3 + 2.0 * 1e-3 * std::sqrt(pi) / pi, 1e-12);
  const std::vector<double> end = {pi};
  EXPECT_CLOSE(equation.fundamental_matrices(points[0], end).front(), equation.solve(points[0]).monodromy,
               rounding(2000));
}

TEST(HillPieces, AStiffnessWithoutNarrowFeaturesIsNotCut) {
  EXPECT_EQ(mathieu().pieces(Point{1.0, 0.5}).size(), 2U);
  EXPECT_EQ(meissner().pieces(Point{1.0, 0.5}).size(), 4U);
}

}  // namespace
}  // namespace saltus
