#include "saltus/flow/tableau.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::dop853 {
namespace {

TEST(Tableau, PlacesOfAllStagesButTheSecondAreHalfTheSquareOfTheirTime) {
  for (std::size_t i = 1; i < all_stages; ++i) {
    double time = 0.0;
    double place = 0.0;
    for (std::size_t j = 0; j < i; ++j) {
      time += a[i][j];
      place += a[i][j] * c[j];
    }
    EXPECT_NEAR(time, c[i], 1e-13) << i;
    EXPECT_NEAR(place, i == 1 ? 0.0 : 0.5 * c[i] * c[i], 1e-13) << i;
  }
}

}  // namespace
}  // namespace saltus::dop853
