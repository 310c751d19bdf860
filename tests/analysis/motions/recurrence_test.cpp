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
std::optional<std::size_t> recurrence_period(const std::vector<Vector>& points, const Translations& translations,
                                             std::size_t longest, double tolerance) {
  const Eigen::Index N = points.front().size();
  return saltus::recurrence_period(points, translations, {Vector::Ones(N), Vector::Zero(N)}, longest, tolerance);
}

TEST(Recurrence, ARationalRotationRepeatsAfterItsDenominator) {
  EXPECT_EQ(recurrence_period(circle_map(100, 2.0 / 5.0), {}, 64, 1e-6), 5U);
  EXPECT_EQ(recurrence_period(circle_map(100, 1.0), {}, 64, 1e-6), 1U);
}

TEST(Recurrence, AnIrrationalRotationDoesNotRepeat) {
  EXPECT_EQ(recurrence_period(circle_map(400, (std::sqrt(5.0) - 1.0) / 2.0), {}, 64, 1e-6), std::nullopt);
}

TEST(Recurrence, TooFewPointsRepeatNothing) {
  EXPECT_EQ(recurrence_period(circle_map(8, 1.0), {}, 64, 1e-6), std::nullopt);
  EXPECT_EQ(recurrence_period(circle_map(9, 1.0), {}, 64, 1e-6), 1U);
}

TEST(Recurrence, AnAngleThatTurnsOnceMoreIsTheSameAngle) {
  std::vector<Vector> points;
  for (int i = 0; i < 30; ++i) points.push_back(Eigen::Vector2d(0.3 + 2.0 * std::numbers::pi * i, 1.0));
  EXPECT_EQ(recurrence_period(points, angle, 64, 1e-6), 1U);
  EXPECT_EQ(recurrence_period(points, {}, 64, 1e-6), std::nullopt);
}

TEST(Recurrence, ATurningAngleDoesNotMakeTheToleranceWider) {
  std::vector<Vector> points;  // turns for ever, and the speed is quasi-periodic with a small amplitude
  for (int i = 0; i < 400; ++i)
    points.push_back(Eigen::Vector2d(2.0 * std::numbers::pi * 1000.0 * i, 1.0 + 1e-3 * std::cos(std::sqrt(2.0) * i)));
  EXPECT_EQ(recurrence_period(points, angle, 64, 1e-6), std::nullopt);
}

TEST(Recurrence, OnlyTheLastPointsCount) {
  std::vector<Vector> points = circle_map(50, 0.123456);
  for (const Vector& point : circle_map(40, 0.5)) points.push_back(point);
  EXPECT_EQ(recurrence_period(points, {}, 64, 1e-6), 2U);
}

TEST(Recurrence, ADriftAlongACyclicDirectionRepeats) {
  Matrix together(3, 1);
  together << 1.0, 1.0, 0.0;
  const Translations cyclic(together, Matrix(3, 0));
  std::vector<Vector> points;
  for (int i = 0; i < 40; ++i) points.push_back(Eigen::Vector3d(0.37 * i, 0.37 * i + (i % 2 == 0 ? 1.0 : -1.0), 2.0));
  EXPECT_EQ(recurrence_period(points, cyclic, 64, 1e-6), 2U);
  EXPECT_EQ(recurrence_period(points, {}, 64, 1e-6), std::nullopt);
  for (int i = 0; i < 40; ++i) points[static_cast<std::size_t>(i)][1] += 1e-3 * i;  // not along it
  EXPECT_EQ(recurrence_period(points, cyclic, 64, 1e-6), std::nullopt);
}

TEST(Recurrence, EveryComponentIsMeasuredByItsOwnSize) {
  std::vector<Vector> points;  // quasi-periodic and small, beside something large that stands still
  for (int i = 0; i < 400; ++i) points.push_back(Eigen::Vector2d(1e6, 1e-6 * std::cos(std::sqrt(2.0) * i)));
  const StateSizes sizes{Eigen::Vector2d(1e6, 2e-6), Eigen::Vector2d::Zero()};
  EXPECT_EQ(recurrence_period(points, {}, sizes, 64, 1e-6), std::nullopt);
  // What the computation does not resolve is no difference.
  const StateSizes coarse{sizes.size, Eigen::Vector2d(0.0, 1e-5)};
  EXPECT_EQ(recurrence_period(points, {}, coarse, 64, 1e-6), 1U);
}

TEST(Recurrence, CountsTheLastPointsThatRepeat) {
  std::vector<Vector> points = circle_map(50, 0.123456);
  for (const Vector& point : circle_map(40, 0.5)) points.push_back(point);
  const StateSizes sizes{Eigen::Vector2d(2.0, 2.0), Eigen::Vector2d::Zero()};
  EXPECT_EQ(repeating_points(points, {}, sizes, 2, 1e-6), 38U);
}

TEST(Recurrence, IsLookedForUpToAQuarterOfThePoints) {
  EXPECT_EQ(longest_recurrence(100, 64), 64U);
  EXPECT_EQ(longest_recurrence(2000, 64), 500U);
}

}  // namespace
}  // namespace saltus
