#include "saltus/driver/sweep_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace saltus {
namespace {

TEST(StoredOutcome, IsWhatWasStored) {
  for (const Outcome outcome : {Outcome::reached_end, Outcome::stopped, Outcome::too_many_events})
    EXPECT_EQ(stored_outcome(number_of(outcome)), outcome);
}

TEST(StoredOutcome, ThatIsNoneIsRefusedInWords) {
  for (const double number : {-1.0, 0.5, 1e9, std::nan("")}) {
    try {
      stored_outcome(number);
      FAIL() << number;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::file);
      EXPECT_THAT(error.what(), testing::HasSubstr("is no outcome"));
      EXPECT_THAT(error.what(), testing::HasSubstr("without ⟨resume⟩"));
    }
  }
}

}  // namespace
}  // namespace saltus
