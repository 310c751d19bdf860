#include "saltus/numerics/hull.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace saltus::test {
namespace {

using Eigen::MatrixXd;

MatrixXd points(std::initializer_list<std::pair<double, double>> list) {
  MatrixXd result(2, static_cast<Eigen::Index>(list.size()));
  Eigen::Index c = 0;
  for (const auto& [x, y] : list) result.col(c++) << x, y;
  return result;
}

TEST(Hull, OfASquareIsStretchedUntilItsEdgeMeetsZero) {
  const MatrixXd square = points({{1, 1}, {1, -1}, {-1, 1}, {-1, -1}});
  EXPECT_NEAR(gauge_of_zero(square), 0.0, 1e-12);
  const auto moved = [&](double by) { return MatrixXd(square.colwise() + Eigen::Vector2d(by, 0.0)); };
  EXPECT_NEAR(gauge_of_zero(moved(0.25)), 0.25, 1e-12);
  EXPECT_NEAR(gauge_of_zero(moved(-2.0)), 2.0, 1e-12);
  EXPECT_EQ(dimension_of_hull(moved(3.0)), 2);
}

TEST(Hull, OfALineThatDoesNotPassZeroNeverReachesIt) {
  EXPECT_TRUE(std::isinf(gauge_of_zero(points({{-1, 1}, {1, 1}}))));
  EXPECT_NEAR(gauge_of_zero(points({{-1, -1}, {3, 3}})), 0.5, 1e-12);
  EXPECT_EQ(dimension_of_hull(points({{-1, -1}, {3, 3}, {0, 0}})), 1);
}

TEST(Hull, WeightsOfZeroMakeZeroAndRowsMayHaveUnitsOfTheirOwn) {
  std::mt19937 random(20244);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int count = 0; count < 200; ++count) {
    MatrixXd y = MatrixXd::NullaryExpr(2, 4, [&] { return uniform(random); });
    const double gauge = gauge_of_zero(y);
    const Eigen::VectorXd alpha = weights_of_zero(y);
    EXPECT_NEAR(alpha.sum(), 1.0, 1e-12);
    EXPECT_LE((y * alpha).cwiseAbs().maxCoeff(), 1e-10);
    y.row(1) *= 1e9;
    EXPECT_NEAR(gauge_of_zero(y), gauge, 1e-6 * (1.0 + gauge));
    // Zero is inside exactly if it lies on both sides of every line through two points: none leaves all of them on one side.
    bool inside = true;
    for (int angle = 0; angle < 3600; ++angle) {
      const double phi = angle * 2.0 * M_PI / 3600.0;
      const Eigen::RowVectorXd side = std::cos(phi) * y.row(0) + std::sin(phi) * 1e-9 * y.row(1);
      inside = inside && side.minCoeff() <= 0.0;
    }
    if (std::abs(gauge - 1.0) > 0.01) { EXPECT_EQ(gauge < 1.0, inside) << y; }
  }
}

// The sums of ± some vectors: zero is as far out in their hull as the largest |weight| of the sum that it needs.
TEST(Hull, OfManySumsIsThatOfTheirTerms) {
  std::mt19937 random(20251);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int count = 0; count < 50; ++count) {
    const MatrixXd terms = MatrixXd::NullaryExpr(6, 6, [&] { return uniform(random); });
    const Eigen::VectorXd weights = Eigen::VectorXd::NullaryExpr(6, [&] { return 2.0 * uniform(random); });
    MatrixXd sums(6, 64);
    for (int code = 0; code < 64; ++code) {
      Eigen::VectorXd signs(6);
      for (int i = 0; i < 6; ++i) signs[i] = (code >> i & 1) != 0 ? 1.0 : -1.0;
      sums.col(code) = terms * (signs - weights);
    }
    const double expected = weights.cwiseAbs().maxCoeff();
    EXPECT_NEAR(gauge_of_zero(sums), expected, 1e-6 * expected);
  }
}

TEST(Hull, RowsThatAreTheSameUpToNoiseCountOnce) {
  MatrixXd y(2, 2);
  y << 13.0, -7.0, 13.0 + 1e-9, -7.0 + 1e-9;
  const Eigen::VectorXd alpha = weights_of_zero(y);
  EXPECT_NEAR(alpha[0], 0.35, 1e-8);
  EXPECT_NEAR(alpha[1], 0.65, 1e-8);
}

}  // namespace
}  // namespace saltus::test
