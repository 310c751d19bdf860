#include "saltus/analysis/motions/growing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "saltus/analysis/motions/recurrence.hpp"

namespace saltus {
namespace {

std::vector<Vector> points_of(std::size_t count, const std::function<double(double)>& x) {
  std::vector<Vector> points;
  for (std::size_t j = 0; j < count; ++j) points.push_back(Vector::Constant(1, x(static_cast<double>(j))));
  return points;
}

/// In the size that the motion has in the end.
StateSizes sizes_of(const std::vector<Vector>& points) {
  StateRange range;
  for (const Vector& point : points) range.include(point);
  return {range.widths(), Vector::Zero(1)};
}

Growing growing_of(const std::vector<Vector>& points) { return growing(points, {}, sizes_of(points)); }
Recurrence recurrence_of_all(const std::vector<Vector>& points) {
  return recurrence_of(points, {}, sizes_of(points), 64);
}

TEST(Growing, AnExponentialGrowsByHalfOfItInTheSecondHalf) {
  for (const double sign : {1.0, -1.0}) {
    const auto points = points_of(80, [&](double j) { return std::pow(sign, j) * std::exp(0.2 * j); });
    EXPECT_NEAR(growing_of(points).second_half, 8.0, 0.2) << sign;
    EXPECT_TRUE(growing_of(points).every_eighth) << sign;
    EXPECT_TRUE(recurrence_of_all(points).grows) << sign;
    EXPECT_TRUE(recurrence_of_all(points).doubt) << sign;
  }
}

TEST(Growing, APowerOfTimeIsNotSaidToGrowButMay) {
  const auto points = points_of(64, [](double j) { return j * std::cos(2.0 * j); });
  EXPECT_NEAR(growing_of(points).second_half, std::log(2.0), 0.1);
  EXPECT_FALSE(recurrence_of_all(points).grows);
  EXPECT_TRUE(recurrence_of_all(points).doubt);
}

TEST(Growing, TorusAndChaosDoNotAndTheyAreNotPeriodic) {
  const auto torus = points_of(200, [](double j) { return std::cos(std::sqrt(2.0) * j); });
  EXPECT_FALSE(growing_of(torus).every_eighth);
  EXPECT_LT(growing_of(torus).second_half, 0.1);
  double x = 0.3;
  const auto chaos = points_of(200, [&](double) { return x = 4.0 * x * (1.0 - x); });
  EXPECT_FALSE(recurrence_of_all(chaos).doubt);
  EXPECT_FALSE(recurrence_of_all(torus).doubt);
}

TEST(Growing, WhatHasReachedItsSizeBeforeTheEndHasNoGrowth) {
  // From beside a saddle to a torus.
  const auto points = points_of(
      200, [](double j) { return std::min(1.0, std::exp(0.3 * (j - 120.0))) * std::cos(std::sqrt(2.0) * j); });
  EXPECT_LT(growing_of(points).second_half, most_settled_growth);
  EXPECT_FALSE(recurrence_of_all(points).grows);
}

}  // namespace
}  // namespace saltus
