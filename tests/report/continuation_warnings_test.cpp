#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "saltus/report/continuation.hpp"
#include "tests/support/small_models.hpp"

namespace saltus {
namespace {

using testing::HasSubstr;

// A circle of radius sqrt(p).
const std::string circle = R"toml(
[parameters]
p = 1
[mechanics]
states = ["x", "y"]
rates = ["x*(p - x^2 - y^2) - y", "y*(p - x^2 - y^2) + x"]
[section]
surface = "y"
[initial]
x = 1
)toml";

TEST(ContinuationWarnings, HundredPlacesWithoutASpecialPointAreOneLineAndThreeAreThree) {
  ContinueRequest request = test::request_for<ContinueRequest>(circle);
  request.vary = {"p=0.9:1.1"};
  request.transient = 0.0;
  request.period = 1;
  ContinueResult result = run(request);
  EXPECT_EQ(to_text(result).find("warning"), std::string::npos);
  const auto lines_with = [&](const std::string& words) {
    const std::string text = to_text(result);
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
    return count;
  };
  result.branch.unexplained = {0.95, 1.0, 1.05};
  EXPECT_EQ(lines_with("no special point was found there"), 3U);
  result.branch.unexplained.clear();
  for (int k = 0; k < 100; ++k) result.branch.unexplained.push_back(0.9 + 0.002 * k);
  EXPECT_EQ(lines_with("no special point was found there"), 1U);
  EXPECT_THAT(to_text(result), HasSubstr("p = 0.9 to 1.098, at 100 places"));
}

}  // namespace
}  // namespace saltus
