#include "saltus/driver/range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/small_models.hpp"

namespace saltus {
namespace {

PreparedModel ball() { return prepared(test::request_for<Request>(test::ball)); }

std::string complaint(const std::string& text, Varied what = Varied::parameter, RangeForm form = RangeForm::values) {
  try {
    read_range(text, ball(), what, form);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "";
}

TEST(Range, IsEquallySpacedAndKeepsItsEndsExactly) {
  const VariedRange range = read_range("e=0.1:0.7:4", ball(), Varied::parameter, RangeForm::values);
  EXPECT_EQ(range.name, "e");
  EXPECT_EQ(range.of, VariedRange::Of::parameter);
  EXPECT_EQ(range.index, 1U);
  ASSERT_EQ(range.values().size(), 4U);
  EXPECT_EQ(range.at(0), 0.1);
  EXPECT_EQ(range.at(3), 0.7);
  EXPECT_DOUBLE_EQ(range.at(1), 0.3);
  EXPECT_DOUBLE_EQ(range.at(2), 0.5);
}

TEST(Range, MayFallAndMayBeASingleValue) {
  const VariedRange falling = read_range("e=0.7:0.1:3", ball(), Varied::parameter, RangeForm::values);
  EXPECT_DOUBLE_EQ(falling.at(1), 0.4);
  EXPECT_EQ(read_range("e=0.7:0.7:1", ball(), Varied::parameter, RangeForm::values).values(), std::vector{0.7});
}

TEST(Range, NumbersAreExpressionsOfParameters) {
  const VariedRange range = read_range("g=e/2:pi*g:2*5", ball(), Varied::parameter, RangeForm::values);
  EXPECT_EQ(range.from, 0.4);
  EXPECT_DOUBLE_EQ(range.to, std::numbers::pi * 9.81);
  EXPECT_EQ(range.count, 10U);
}

TEST(Range, OfAnInitialValueOnlyWhereThatIsAskedFor) {
  const VariedRange velocity = read_range("z'=-1:1:5", ball(), Varied::initial_value, RangeForm::values);
  EXPECT_EQ(velocity.of, VariedRange::Of::initial_value);
  EXPECT_EQ(velocity.index, 1U);
  EXPECT_EQ(read_range("z=0:1:5", ball(), Varied::either, RangeForm::values).of, VariedRange::Of::initial_value);
  EXPECT_EQ(read_range("e=0:1:5", ball(), Varied::either, RangeForm::values).of, VariedRange::Of::parameter);
  EXPECT_THAT(complaint("z=0:1:5"), testing::HasSubstr("'z' is nothing that can be varied here"));
  EXPECT_THAT(complaint("e=0:1:5", Varied::initial_value), testing::HasSubstr("an initial value (z, z')"));
}

TEST(Range, AnIntervalHasNoCount) {
  const VariedRange range = read_range("e=0.2:0.9", ball(), Varied::parameter, RangeForm::interval);
  EXPECT_EQ(range.count, 0U);
  EXPECT_EQ(range.to, 0.9);
  EXPECT_THAT(complaint("e=0.2:0.9:5", Varied::parameter, RangeForm::interval), testing::HasSubstr("is no range"));
  EXPECT_THAT(complaint("e=0.2:0.9"), testing::HasSubstr("expected name=from:to:count"));
}

TEST(Range, WrongOnesAreRefusedWithARemedy) {
  EXPECT_THAT(complaint("e"), testing::HasSubstr("'⟨vary⟩ e' is no range\n  expected name=from:to:count"));
  EXPECT_THAT(complaint("=1:2:3"), testing::HasSubstr("is no range"));
  EXPECT_THAT(complaint("weakr=1:2:3"), testing::HasSubstr("did you mean 'weaker'?"));
  EXPECT_THAT(complaint("e=0.5:0.5:10"), testing::HasSubstr("the range is empty"));
  EXPECT_THAT(complaint("e=0:1:0"), testing::HasSubstr("0 is no number of values"));
  EXPECT_THAT(complaint("e=0:1:2.5"), testing::HasSubstr("2.5 is no number of values"));
  EXPECT_THAT(complaint("e=0::4"), testing::HasSubstr("a number is missing"));
  EXPECT_THAT(complaint("e=0:log(e - 0.8):4"), testing::HasSubstr("is not a finite number"));
  EXPECT_THAT(complaint("e=0:gg:4"), testing::HasSubstr("unknown name 'gg'"));
}

TEST(Range, AValueAsASettingReadsBackAsTheSameNumber) {
  const VariedRange range = read_range("e=0.1:0.7:8", ball(), Varied::parameter, RangeForm::values);
  for (const double value : range.values()) {
    Request request = test::request_for<Request>(test::ball);
    request.assignments = {assigned(range, value)};
    const PreparedModel there = prepared(request);
    EXPECT_EQ(there.setup.parameters[1], value);
    EXPECT_EQ(there.setup.parameters[2], value / 2.0);  // weaker = e/2 follows
  }
}

}  // namespace
}  // namespace saltus
