#include "saltus/flow/stop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace saltus {
namespace {

TEST(Outcome, IsReadBackFromItsNumberAndHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t k = 0; k < outcome_count; ++k) {
    const auto outcome = static_cast<Outcome>(k);
    EXPECT_EQ(outcome_of(number_of(outcome)), outcome);
    EXPECT_FALSE(name_of(outcome).empty());
    EXPECT_TRUE(names.insert(name_of(outcome)).second) << name_of(outcome);
  }
  EXPECT_EQ(name_of(Outcome::too_many_events), "too_many_events");
  EXPECT_EQ(name_of(Outcome::gap_undefined), "gap_undefined");
}

TEST(Outcome, IsNotReadFromANumberThatIsNone) {
  for (const double number : {-1.0, 0.5, static_cast<double>(outcome_count), 1e300, std::nan("")})
    EXPECT_FALSE(outcome_of(number)) << number;
}

}  // namespace
}  // namespace saltus
