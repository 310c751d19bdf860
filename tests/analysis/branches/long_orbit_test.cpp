#include "saltus/analysis/branches/long_orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus {
namespace {

std::vector<PeriodAt> approach(double kappa, double c) {
  std::vector<PeriodAt> points;
  for (double T = 3.0; T < 3.0 + 24.0 / kappa; T *= 1.0 + 0.2 / (kappa * T))
    points.push_back({T, 2.0 + c * std::exp(-kappa * T)});
  return points;
}

TEST(LongOrbit, ParameterThatFallsExponentiallyHasItsLimitWithinTheErrorStated) {
  for (const double kappa : {0.05, 0.7, 4.0})
    for (const double c : {-0.3, 5.0}) {
      const std::vector<PeriodAt> points = approach(kappa, c);
      const ParameterLimit limit = limit_of_parameter(points, 1e-12);
      EXPECT_LE(std::abs(limit.value - 2.0), limit.error) << kappa << ' ' << c;
      EXPECT_LT(limit.error, 1e-9);
      // Half of the way: what is left is much larger than the error of the limit.
      const std::vector<PeriodAt> half(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2));
      const ParameterLimit early = limit_of_parameter(half, 1e-12);
      EXPECT_LT(std::abs(early.value - 2.0), 1e-3 * std::abs(half.back().parameter - 2.0)) << kappa << ' ' << c;
      EXPECT_LE(std::abs(early.value - 2.0), early.error);
    }
}

TEST(LongOrbit, ParameterThatSwingsHasAnErrorAsLargeAsItsSwings) {
  std::vector<PeriodAt> points;
  for (double T = 3.0; T < 20.0; T += 0.05) points.push_back({T, 2.0 + 0.3 * std::exp(-T) * std::cos(9.0 * T)});
  const ParameterLimit limit = limit_of_parameter(points, 1e-12);
  EXPECT_LE(std::abs(limit.value - 2.0), limit.error);
}

}  // namespace
}  // namespace saltus
