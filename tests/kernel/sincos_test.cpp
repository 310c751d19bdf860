#include "saltus/kernel/sincos.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

/// |value − exact| in units of the last place of the exact one. The library's long double is right to 2⁻⁶³, which is
/// 0.001 of such a unit.
double error_in_ulps(double value, long double exact) {
  const auto nearest = static_cast<double>(exact);
  const double ulp = std::abs(std::nextafter(nearest, 2.0 * nearest) - nearest);
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / static_cast<long double>(ulp));
}

double worse_error(double x) {
  const SineCosine<double> both = sine_cosine(x);
  const auto wide = static_cast<long double>(x);
  return std::max(error_in_ulps(both.sine, std::sin(wide)), error_in_ulps(both.cosine, std::cos(wide)));
}

double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// The worst of thirty million arguments of the next three kinds: 0.761 ulp.
TEST(SineCosine, IsRightToOneUlpForSizesFromTinyToABillion) {
  std::mt19937_64 random(11);
  double worst = 0.0;
  for (int i = 0; i < 100'000; ++i) {
    const double size = std::exp(std::log(1e-10) + unit(random) * (std::log(1e9) - std::log(1e-10)));
    worst = std::max(worst, worse_error(i % 2 == 0 ? size : -size));
  }
  EXPECT_LT(worst, 0.8);
}

TEST(SineCosine, IsRightToOneUlpWhereTheArgumentIsNearlyAMultipleOfAQuarterTurn) {
  std::mt19937_64 random(12);
  double worst = 0.0;
  for (int i = 0; i < 100'000; ++i) {
    const auto n = static_cast<long double>(random() % 636'000'000U);
    double x = static_cast<double>(n * 1.57079632679489661923132169163975144L);
    for (std::uint64_t step = random() % 3; step > 0; --step) x = std::nextafter(x, 2.0 * x);
    if (x > 0.0) worst = std::max(worst, worse_error(x));
  }
  EXPECT_LT(worst, 0.8);
}

TEST(SineCosine, IsRightToOneUlpOnTheFirstTurns) {
  std::mt19937_64 random(13);
  double worst = 0.0;
  for (int i = 0; i < 100'000; ++i) worst = std::max(worst, worse_error(20.0 * unit(random) - 10.0));
  EXPECT_LT(worst, 0.8);
}

// The doubles below 1e9 that come nearest to a multiple of π/2 (6e-19 … 7e-18, by the continued fraction of π/2 for each
// binary exponent). Without the third part of π/2 the sine or cosine of the third would be wrong in its eighth digit.
TEST(SineCosine, SurvivesTheWorstCancellationsBelowABillion) {
  for (const double x : {0x1.6c6cbc45dc8dep+5, 0x1.6c6cbc45dc8dep+6, 0x1.b951f1572eba5p+23, 0x1.b951f1572eba5p+24,
                         0x1.b951f1572eba5p+25})
    EXPECT_LT(worse_error(x), 0.8) << x;
}

TEST(SineCosine, OfHugeArgumentsIsTheLibrarys) {
  for (const double x : {1.0000001e9, 1e12, -1e22, 1e300}) {
    EXPECT_CLOSE(sine_cosine(x).sine, std::sin(x), exact);
    EXPECT_CLOSE(sine_cosine(x).cosine, std::cos(x), exact);
  }
}

TEST(SineCosine, OfWhatHasNoSineIsNotANumber) {
  for (const double x : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sine_cosine(x).sine));
    EXPECT_TRUE(std::isnan(sine_cosine(x).cosine));
  }
}

TEST(SineCosine, OfZeroIsZeroAndOne) {
  EXPECT_CLOSE(sine_cosine(0.0).sine, 0.0, exact);
  EXPECT_CLOSE(sine_cosine(0.0).cosine, 1.0, exact);
}

}  // namespace
}  // namespace saltus
