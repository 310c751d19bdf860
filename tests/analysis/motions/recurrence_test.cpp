#include "saltus/analysis/motions/recurrence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace saltus {
namespace {

const Translations angle = Translations::of_angles(2, {2.0 * std::numbers::pi});

std::vector<Vector> circle_map(std::size_t count, double turns) {
  std::vector<Vector> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * turns * static_cast<double>(i);
    points.push_back(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  return points;
}

/// All components of size 1.
Recurrence of_ones(const std::vector<Vector>& points, const Translations& translations = {}) {
  const Eigen::Index N = points.front().size();
  return recurrence_of(points, translations, {Vector::Ones(N), Vector::Zero(N)}, 64);
}

std::optional<std::size_t> period_of(const std::vector<Vector>& points, const Translations& translations = {}) {
  return of_ones(points, translations).period;
}

TEST(Recurrence, ARationalRotationRepeatsAfterItsDenominator) {
  EXPECT_EQ(period_of(circle_map(100, 2.0 / 5.0)), 5U);
  EXPECT_EQ(period_of(circle_map(100, 1.0)), 1U);
}

TEST(Recurrence, AnIrrationalRotationDoesNotRepeat) {
  EXPECT_EQ(period_of(circle_map(400, (std::sqrt(5.0) - 1.0) / 2.0)), std::nullopt);
}

TEST(Recurrence, TooFewPointsRepeatNothing) {
  EXPECT_EQ(period_of(circle_map(8, 1.0)), std::nullopt);
  EXPECT_EQ(period_of(circle_map(9, 1.0)), 1U);
}

TEST(Recurrence, AnAngleThatTurnsOnceMoreIsTheSameAngle) {
  std::vector<Vector> points;
  for (int i = 0; i < 30; ++i) points.push_back(Eigen::Vector2d(0.3 + 2.0 * std::numbers::pi * i, 1.0));
  EXPECT_EQ(period_of(points, angle), 1U);
  EXPECT_EQ(period_of(points), std::nullopt);
}

TEST(Recurrence, ATurningAngleDoesNotMakeTheToleranceWider) {
  std::vector<Vector> points;  // turns for ever, and the speed is quasi-periodic with a small amplitude
  for (int i = 0; i < 400; ++i)
    points.push_back(Eigen::Vector2d(2.0 * std::numbers::pi * 1000.0 * i, 1.0 + 1e-3 * std::cos(std::sqrt(2.0) * i)));
  EXPECT_EQ(period_of(points, angle), std::nullopt);
}

TEST(Recurrence, OnlyTheLastPointsCount) {
  std::vector<Vector> points = circle_map(50, 0.123456);
  for (const Vector& point : circle_map(40, 0.5)) points.push_back(point);
  EXPECT_EQ(period_of(points), 2U);
}

TEST(Recurrence, ADriftAlongACyclicDirectionRepeats) {
  Matrix together(3, 1);
  together << 1.0, 1.0, 0.0;
  const Translations cyclic(together, Matrix(3, 0));
  std::vector<Vector> points;
  for (int i = 0; i < 40; ++i) points.push_back(Eigen::Vector3d(0.37 * i, 0.37 * i + (i % 2 == 0 ? 1.0 : -1.0), 2.0));
  EXPECT_EQ(period_of(points, cyclic), 2U);
  EXPECT_EQ(period_of(points), std::nullopt);
  for (int i = 0; i < 40; ++i) points[static_cast<std::size_t>(i)][1] += 1e-3 * i;  // not along it
  EXPECT_EQ(period_of(points, cyclic), std::nullopt);
}

TEST(Recurrence, EveryComponentIsMeasuredByItsOwnSize) {
  std::vector<Vector> points;  // quasi-periodic and small, beside something large that stands still
  for (int i = 0; i < 400; ++i) points.push_back(Eigen::Vector2d(1e6, 1e-6 * std::cos(std::sqrt(2.0) * i)));
  const StateSizes sizes{Eigen::Vector2d(1e6, 2e-6), Eigen::Vector2d::Zero()};
  EXPECT_EQ(recurrence_of(points, {}, sizes, 64).period, std::nullopt);
  // What the computation does not resolve is no difference.
  const StateSizes coarse{sizes.size, Eigen::Vector2d(0.0, 1e-5)};
  EXPECT_EQ(recurrence_of(points, {}, coarse, 64).period, 1U);
}

TEST(Recurrence, CountsTheLastPointsThatRepeat) {
  std::vector<Vector> points = circle_map(50, 0.123456);
  for (const Vector& point : circle_map(40, 0.5)) points.push_back(point);
  const StateSizes sizes{Eigen::Vector2d(2.0, 2.0), Eigen::Vector2d::Zero()};
  EXPECT_EQ(repeating_points(points, {}, sizes, 2, 1e-6), 38U);
}

TEST(Recurrence, IsLookedForUpToAQuarterOfThePoints) {
  EXPECT_EQ(period_of(circle_map(400, 1.0 / 100.0)), 100U);
  EXPECT_EQ(period_of(circle_map(400, 1.0 / 101.0)), std::nullopt);
}

TEST(Recurrence, OfPointsThatComeBackTooFewTimesItIsDoubtfulWhetherTheyRepeat) {
  for (const auto& [count, turns] : {std::pair(100U, 34.0 / 55.0), std::pair(150U, 34.0 / 55.0),
                                     std::pair(200U, 89.0 / 144.0), std::pair(500U, 89.0 / 144.0)}) {
    const Recurrence seen = of_ones(circle_map(count, turns));
    EXPECT_EQ(seen.period, std::nullopt);
    EXPECT_TRUE(seen.doubt) << count << " points at " << turns;
  }
  EXPECT_EQ(period_of(circle_map(576, 89.0 / 144.0)), 144U);
}

TEST(Recurrence, ThatAnIrrationalRotationDoesNotRepeatIsNoDoubt) {
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  for (const double turns : {golden, std::sqrt(2.0), std::sqrt(3.0), std::sqrt(7.0), std::exp(1.0), std::cbrt(2.0)})
    for (const std::size_t count : {40U, 100U, 500U, 2000U})
      EXPECT_FALSE(of_ones(circle_map(count, turns)).doubt) << count << " points at " << turns;
  // A ten-thousandth beside 34/55 it comes back to its places for so long that it may be locked.
  EXPECT_TRUE(of_ones(circle_map(500, 34.0 / 55.0 + 1e-6)).doubt);
  EXPECT_FALSE(of_ones(circle_map(5000, 34.0 / 55.0 + 1e-4)).doubt);
}

/// Turns by `turns` about a point and comes nearer to it by `factor` each time.
std::vector<Vector> spiral(std::size_t count, double turns, double factor, double size, double cycle = 0.0) {
  std::vector<Vector> points = circle_map(count, turns);
  for (std::size_t j = 0; j < count; ++j) points[j] *= cycle + size * std::pow(factor, static_cast<double>(j));
  return points;
}

TEST(Recurrence, PointsThatComeTogetherFromSeveralSidesHaveNoPeriodYet) {
  for (const double turns : {1.0 / 2.0, 1.0 / 3.0, 2.0 / 5.0})
    for (const double rest : {1e-3, 1e-4, 1e-5}) {
      // Each comes by less than the tolerance nearer to its last place: the cycle is one point.
      const Recurrence seen = of_ones(spiral(1000, turns, 1.0 - rest, 1e-3));
      EXPECT_EQ(seen.period, std::nullopt) << turns << " " << rest;
      EXPECT_TRUE(seen.doubt) << turns << " " << rest;
    }
  EXPECT_EQ(period_of(spiral(20'000, 0.5, 1.0 - 1e-3, 1e-3)), 1U);
  // On the way to a true cycle of several points they have their period as soon as it repeats.
  EXPECT_EQ(period_of(spiral(1000, 0.5, 1.0 - 1e-3, 1e-4, 1.0)), 2U);
  EXPECT_EQ(period_of(spiral(1000, 0.2, 1.0 - 1e-2, 1e-2, 1e-2)), 5U);
}

/// An angle at the edge of locking: θ + ε + (1 − cos θ)/2, from −0.5 on. It passes θ = 0 in some 2π/√ε points if ε > 0, goes to it like 4/j if
/// ε = 0, and to a fixed point before it if ε < 0.
std::vector<Vector> edge_of_locking(std::size_t count, double epsilon) {
  std::vector<Vector> points = {Eigen::Vector2d(-0.5, 0.0)};
  while (points.size() < count) {
    const double theta = points.back()[0];
    points.push_back(Eigen::Vector2d(theta + epsilon + 0.5 * (1.0 - std::cos(theta)), 0.0));
  }
  return points;
}

TEST(Recurrence, AMotionThatSlowlyPassesWhereAnOrbitIsAboutToAppearIsNotOnIt) {
  // Each step is shorter than the tolerance for thousands of points, once in a turn of 10,000.
  int doubts = 0;
  for (std::size_t count = 1000; count <= 32'000; count += 1500) {
    const Recurrence seen = of_ones(edge_of_locking(count, 4e-7), angle);
    EXPECT_EQ(seen.period, std::nullopt) << count;
    doubts += seen.doubt ? 1 : 0;
  }
  EXPECT_GT(doubts, 10);
  EXPECT_EQ(period_of(edge_of_locking(3000, 0.0), angle), 1U);
  EXPECT_EQ(period_of(edge_of_locking(20'000, -4e-7), angle), 1U);
}

TEST(Recurrence, AMotionThatRepeatedForAsLongBeforeAndLeftMayLeaveAgain) {
  const std::vector<Vector> away = circle_map(50, 0.123456);
  const auto rest_away_rest = [&](std::size_t first, std::size_t last) {
    std::vector<Vector> points = circle_map(first, 0.5);
    points.insert(points.end(), away.begin(), away.end());
    for (const Vector& point : circle_map(last, 0.5)) points.push_back(point);
    return points;
  };
  EXPECT_EQ(period_of(rest_away_rest(30, 200)), 2U);
  EXPECT_EQ(period_of(rest_away_rest(150, 200)), std::nullopt);
  ASSERT_TRUE(of_ones(rest_away_rest(150, 200)).doubt);
  EXPECT_NE(of_ones(rest_away_rest(150, 200)).doubt->find("149 before"), std::string::npos);
}

}  // namespace
}  // namespace saltus
