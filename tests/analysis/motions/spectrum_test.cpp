#include "saltus/analysis/motions/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Rank = SpectrumAccumulator::Rank;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// x ↦ 1 − 1.4 x² + y, y ↦ 0.3 x, after 100 iterations of transient.
SpectrumAccumulator henon(int iterations) {
  SpectrumAccumulator accumulator(2);
  double x = 0.1;
  double y = 0.1;
  for (int i = -100; i < iterations; ++i) {
    Matrix2d J;
    J << -2.8 * x, 1.0, 0.3, 0.0;
    if (i >= 0) accumulator.absorb(J * accumulator.frame(), 1.0, Rank::full);
    const double next = 1.0 - 1.4 * x * x + y;
    y = 0.3 * x;
    x = next;
  }
  return accumulator;
}

TEST(SpectrumAccumulator, ExponentsOfTheHenonMapAddUpToTheLogarithmOfItsDeterminant) {
  const Exponents exponents = henon(2000).exponents();
  // 2000 sums of logarithms of order 1; measured: 8 eps.
  EXPECT_CLOSE(exponents.values[0] + exponents.values[1], std::log(0.3), rounding(80, 1.0));
}

TEST(SpectrumAccumulator, LargestExponentOfTheHenonMapIsThePublishedOneWithinItsStandardError) {
  const Exponents exponents = henon(100'000).exponents();
  // Sprott 2003, Chaos and Time-Series Analysis: 0.41922, from 10⁹ iterations. Here N = 10⁵.
  EXPECT_CLOSE(exponents.values[0], 0.41922, sampling(exponents.standard_errors[0]));
  EXPECT_LT(exponents.standard_errors[0], 0.005);
}

TEST(SpectrumAccumulator, ConstantDiagonalMatrixGivesTheLogarithmsOfItsEntriesInDecreasingOrderWithoutError) {
  SpectrumAccumulator accumulator(3);
  const MatrixXd D = Eigen::Vector3d(0.5, 3.0, 1.0).asDiagonal();
  for (int i = 0; i < 50; ++i) accumulator.absorb(D * accumulator.frame(), 2.0, Rank::full);
  const Exponents exponents = accumulator.exponents();
  // Means of 50 equal numbers.
  EXPECT_CLOSE(exponents.values[0], std::log(3.0) / 2.0, rounding(50));
  EXPECT_CLOSE(exponents.values[1], 0.0, rounding(50, 1.0));
  EXPECT_CLOSE(exponents.values[2], -std::log(2.0) / 2.0, rounding(50));
  for (const double error : exponents.standard_errors) EXPECT_CLOSE(error, 0.0, rounding(50, 1.0));
}

TEST(SpectrumAccumulator, AFullMatrixGivesTheLogarithmsOfItsEigenvalues) {
  Matrix2d A;
  A << 2.0, 1.0, 1.0, 1.0;  // eigenvalues (3 ± √5)/2
  SpectrumAccumulator turning(2);
  for (int i = 0; i < 40; ++i) turning.absorb(A * turning.frame(), 1.0, Rank::full);
  SpectrumAccumulator accumulator(2, turning.frame());
  for (int i = 0; i < 40; ++i) accumulator.absorb(A * accumulator.frame(), 1.0, Rank::full);
  // The frame has turned: (0.146)⁴⁰ is below rounding.
  EXPECT_CLOSE(accumulator.exponents().values[0], std::log((3.0 + std::sqrt(5.0)) / 2.0), rounding(50));
  EXPECT_CLOSE(accumulator.exponents().values[1], std::log((3.0 - std::sqrt(5.0)) / 2.0), rounding(50));
}

TEST(SpectrumAccumulator, DirectionsThatContactAnnihilatesHaveTheExponentMinusInfinity) {
  SpectrumAccumulator accumulator(3);
  MatrixXd P = MatrixXd::Zero(3, 3);
  P(0, 0) = 0.5;
  P(0, 1) = 0.3;
  P(2, 2) = 1e-3;
  for (int i = 0; i < 10; ++i) accumulator.absorb(P * accumulator.frame(), 1.0, Rank::may_drop);
  const Exponents exponents = accumulator.exponents();
  EXPECT_EQ(accumulator.dropped(), 1U);
  EXPECT_CLOSE(exponents.values[0], std::log(0.5), rounding(50));
  EXPECT_CLOSE(exponents.values[1], std::log(1e-3), rounding(50));
  EXPECT_EQ(exponents.values[2], -infinity);
  EXPECT_EQ(exponents.standard_errors[2], 0.0);
}

TEST(SpectrumAccumulator, StrongContractionAloneLosesNoDirection) {
  SpectrumAccumulator accumulator(2);
  const MatrixXd D = Eigen::Vector2d(1.0, 1e-13).asDiagonal();
  accumulator.absorb(D * accumulator.frame(), 1.0, Rank::full);
  EXPECT_EQ(accumulator.dropped(), 0U);
  EXPECT_CLOSE(accumulator.exponents().values[1], std::log(1e-13), rounding(50));
}

TEST(SpectrumAccumulator, OverWholePeriodsAnOrbitHasTheMeanOfItsPeriodWhateverTheRest) {
  // Factors 2, 3, 5 in turn: per period of three intervals ln 30; over 100 intervals one is left over.
  SpectrumAccumulator accumulator(1);
  const double factors[] = {2.0, 3.0, 5.0};
  for (int k = 0; k < 100; ++k)
    accumulator.absorb(factors[k % 3] * accumulator.frame(), 0.5, SpectrumAccumulator::Rank::full);
  const auto over = accumulator.exponents_over(1.5, 33);
  ASSERT_TRUE(over);
  EXPECT_CLOSE(over->values[0], std::log(30.0) / 1.5, rounding(100));
  EXPECT_CLOSE(over->standard_errors[0], 0.0, rounding(100, 1.0));
  EXPECT_GT(std::abs(accumulator.exponents().values[0] - std::log(30.0) / 1.5), 1e-3);  // the tempting mistake
  EXPECT_FALSE(accumulator.exponents_over(1.5, 34));
  // A period of four and a half intervals takes its part of the interval across its end.
  EXPECT_CLOSE(accumulator.exponents_over(0.75, 2)->values[0], accumulator.exponents_over(1.5, 1)->values[0],
               rounding(100));
}

TEST(SpectrumAccumulator, IntervalsAcrossTheEndsOfPeriodsDoNotSpoilTheMean) {
  // The rate 1 + 5 cos(2πt/T) over intervals that do not divide T: its mean is 1.
  SpectrumAccumulator accumulator(1);
  const double T = 1.7;
  const double interval = 0.5;
  const auto grown = [&](double t) {
    return t + 5.0 * T / (2.0 * std::numbers::pi) * std::sin(2.0 * std::numbers::pi * t / T);
  };
  for (int k = 0; k < 400; ++k)
    accumulator.absorb(std::exp(grown(interval * (k + 1)) - grown(interval * k)) * accumulator.frame(), interval,
                       SpectrumAccumulator::Rank::full);
  const auto over = accumulator.exponents_over(T, 110);
  ASSERT_TRUE(over);
  EXPECT_NEAR(over->values[0], 1.0, 1e-5);
}

TEST(SpectrumAccumulator, OfASumThatStaysBoundedTheExponentShrinksLikeOneOverT) {
  SpectrumAccumulator accumulator(2);
  for (int k = 1; k <= 1000; ++k) {
    const auto bounded = [](int j) { return 2.0 * std::sin(0.7 * j); };
    const Eigen::Vector2d growth(std::exp(bounded(k) - bounded(k - 1)), std::exp(-0.01));
    accumulator.absorb(growth.asDiagonal() * accumulator.frame(), 1.0, SpectrumAccumulator::Rank::full);
  }
  EXPECT_EQ(accumulator.shrink(), (std::vector<bool>{true, false}));
}

TEST(SpectrumAccumulator, KnowsHowMuchVolumesGrowForAWhileThoughTheyShrinkInTheMean) {
  SpectrumAccumulator accumulator(2);
  const auto grow = [&](double first, double second, int times) {
    for (int k = 0; k < times; ++k)
      accumulator.absorb(accumulator.frame() * Eigen::DiagonalMatrix<double, 2>(std::exp(first), std::exp(second)), 1.0,
                         SpectrumAccumulator::Rank::full);
  };
  grow(-0.1, -1.0, 10);
  grow(0.3, -0.1, 5);   // the line grows by 1.5, the area by 1
  grow(-0.1, -1.0, 5);
  grow(0.0, 0.4, 10);   // the area by 4, the line not
  const std::vector<LocalGrowth> growth = accumulator.local_growth();
  ASSERT_EQ(growth.size(), 2U);
  EXPECT_NEAR(growth[0].half, 1.5, 1e-12);
  EXPECT_NEAR(growth[0].whole, 1.5, 1e-12);
  EXPECT_NEAR(growth[1].half, 1.0, 1e-12);
  EXPECT_NEAR(growth[1].whole, 4.0, 1e-12);
}

TEST(SpectrumAccumulator, GrowthOnTheWayCountsAndWhatIsLostThereIsLost) {
  SpectrumAccumulator accumulator(2);
  accumulator.absorb(accumulator.frame(), 2.0, SpectrumAccumulator::Rank::full, {3.0, -1.0});
  EXPECT_CLOSE(accumulator.exponents().values, (std::vector<double>{1.5, -0.5}), rounding(4));
  MatrixXd image = accumulator.frame();
  image.col(1).setZero();
  accumulator.absorb(image, 1.0, SpectrumAccumulator::Rank::full, {0.0, -std::numeric_limits<double>::infinity()});
  EXPECT_EQ(accumulator.dropped(), 1U);
}

TEST(SpectrumAccumulator, AFrameWithLostDirectionsIsFilledUpToAnOrthonormalOne) {
  MatrixXd frame = MatrixXd::Zero(4, 4);
  frame.col(0) = Eigen::Vector4d(1.0, 1.0, 0.0, 0.0).normalized();
  frame.col(2) = Eigen::Vector4d(0.0, 0.0, 1.0, -1.0).normalized();
  const MatrixXd Q = SpectrumAccumulator(4, frame).frame();
  EXPECT_CLOSE(MatrixXd(Q.transpose() * Q), MatrixXd(MatrixXd::Identity(4, 4)), rounding(10));
  EXPECT_CLOSE(MatrixXd(Q.col(0)), MatrixXd(frame.col(0)), exact);
  EXPECT_CLOSE(MatrixXd(Q.col(2)), MatrixXd(frame.col(2)), exact);
}

TEST(KaplanYorke, DimensionOfDecreasingExponents) {
  EXPECT_CLOSE(kaplan_yorke({0.1, 0.0, -0.4}, 0), 2.0 + 0.1 / 0.4, rounding(4));
  EXPECT_CLOSE(kaplan_yorke({0.1, -0.4}, 1), 2.0 + 0.1 / 0.4, rounding(4));  // the time of a forced system
  EXPECT_CLOSE(kaplan_yorke({-0.1, -0.4}, 0), 0.0, exact);
  EXPECT_CLOSE(kaplan_yorke({-0.1, -0.4}, 1), 1.0, exact);
  EXPECT_CLOSE(kaplan_yorke({0.1, -infinity, -infinity}, 0), 1.0, exact);
  EXPECT_CLOSE(kaplan_yorke({0.3, 0.2}, 0), 2.0, exact);  // no contraction: the whole space
  EXPECT_CLOSE(kaplan_yorke({0.3, 0.2, -0.1, -0.8}, 0), 3.0 + 0.4 / 0.8, rounding(4));
}

TEST(Convergence, EndsWithTheExponentsAndErrorsOfTheWholeAndKeepsLostDirectionsInfinite) {
  SpectrumAccumulator accumulator(3);
  for (int k = 0; k < 1000; ++k) {
    Eigen::MatrixXd growth = Eigen::MatrixXd::Zero(3, 3);
    growth(0, 0) = 0.5 + 0.1 * std::sin(0.7 * k);
    growth(1, 1) = 2.0 + 0.3 * std::cos(0.3 * k);
    accumulator.absorb(growth * accumulator.frame(), 0.5, SpectrumAccumulator::Rank::may_drop);
  }
  const Exponents whole = accumulator.exponents();
  const Convergence way = convergence(accumulator.entries(), 100);
  ASSERT_EQ(way.t.size(), 100U);
  EXPECT_CLOSE(way.t.back(), 500.0, rounding(1000));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_CLOSE(way.exponents.back().values[i], whole.values[i], rounding(1e4));
    EXPECT_CLOSE(way.exponents.back().standard_errors[i], whole.standard_errors[i], rounding(1e6, 1.0));
  }
  EXPECT_GT(way.exponents[0].values[0], way.exponents[0].values[1]);
  for (const Exponents& now : way.exponents) EXPECT_TRUE(std::isinf(now.values[2]));
  EXPECT_TRUE(convergence({}, 100).t.empty());
}

}  // namespace
}  // namespace saltus
