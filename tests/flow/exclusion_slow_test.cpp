// The random flights of exclusion_test.cpp and the random slides of multiplier_exclusion_test.cpp, ten thousand of each at two tolerances.

#include "tests/flow/random_slides.hpp"

namespace saltus {
namespace {

class RandomFlights : public testing::TestWithParam<double> {};

TEST_P(RandomFlights, NoneIsMissedAndNoneIsFalse) {
  long hits = 0;
  for (std::size_t o = 0; o < test::obstacles.size(); ++o) {
    const test::Tally tally = test::fly(test::obstacles[o], 2000, 100 + o, GetParam());
    EXPECT_EQ(tally.missed, 0) << test::obstacles[o].gap << " of " << tally.hits;
    EXPECT_EQ(tally.false_hits, 0) << test::obstacles[o].gap;
    EXPECT_EQ(tally.wrong_time, 0) << test::obstacles[o].gap;
    hits += tally.hits;
  }
  EXPECT_GT(hits, 3000);
}
INSTANTIATE_TEST_SUITE_P(Tolerances, RandomFlights, testing::Values(1e-10, 1e-7));

class RandomSlides : public testing::TestWithParam<double> {};

TEST_P(RandomSlides, NoneIsLeftLateAndNoneWithoutReason) {
  test::RandomSlides slides(20240, GetParam());
  for (const test::Tally& tally : {slides.beads(5000), slides.blocks(5000)}) {
    EXPECT_GT(tally.hits, 1000);
    EXPECT_EQ(tally.missed, 0) << "of " << tally.hits;
    EXPECT_EQ(tally.false_hits, 0);
    EXPECT_EQ(tally.wrong_time, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Tolerances, RandomSlides, testing::Values(1e-10, 1e-7));

TEST(Grazing, OfTenThousandFlightsThatMissByAMillionthNoneIsOne) {
  const test::Motion m = test::Motion::of(R"model(
[parameters]
a = 0
r = 0.25
d = 20
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "-1"]
[[contact]]
name = "disc"
gap = "sqrt((x-a)^2+(y+d)^2) - r"
restitution = 1
[initial]
x = 5
y = 0
)model");
  std::mt19937_64 random(12);
  const auto uniform = [&](double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  for (int k = 0; k < 10000; ++k) {
    const double r = uniform(0.01, 0.5);
    const double d = uniform(2.0, 30.0);
    FlowRun run = m.run_from({}, Vector::Zero(4), {0, 1.2 * std::sqrt(2.0 * d)}, test::Carries::state);
    run.parameters = {k % 2 == 0 ? r + 1e-6 : -r - 1e-6, r, d};
    run.bound_gaps = true;
    const FlowResult result = flow(m.kernels(), m.options, run);
    ASSERT_EQ(result.events.size(), 0U) << r << " " << d;
    // The miss is a bound too, and a close one.
    ASSERT_LE(result.ledger.closest_miss_bound[0], 1e-6 * (1.0 + 1e-3)) << r << " " << d;
    ASSERT_GE(result.ledger.closest_miss_bound[0], 0.9e-6) << r << " " << d;
    ASSERT_EQ(result.ledger.penetration_bound, 0.0);
  }
}

}  // namespace
}  // namespace saltus
