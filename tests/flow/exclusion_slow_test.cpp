// The random flights of exclusion_test.cpp, ten thousand of them at three tolerances.

#include "tests/flow/random_flights.hpp"

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

}  // namespace
}  // namespace saltus
