#include "saltus/report/show.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/small_models.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;

ShowResult shown(const std::string& text, Stage stage, const std::string& kernel = "") {
  ShowRequest request = request_for<ShowRequest>(text);
  request.stage = stage;
  request.kernel = kernel;
  return run(request);
}

TEST(Show, TheModelStageGivesThePlaceOfEveryExpression) {
  const std::string text = to_text(shown(test::ball, Stage::model));
  EXPECT_THAT(text, HasSubstr("15:8   gap of floor "));  // line 15, inside the quotes
  EXPECT_THAT(text, HasSubstr("= z - 0.25*sin(2*t)\n"));
}

TEST(Show, TheExprStageNamesWhatIsUsedMoreThanOnce) {
  const ShowResult result = shown(test::ball, Stage::expr);
  EXPECT_THAT(to_text(result), HasSubstr("= z - 1\n"));  // the switch and the branch behind it share this node
  EXPECT_GT(to_json(result)["graph"]["nodes"], 10);
  EXPECT_EQ(to_json(result)["graph"]["by_operation"]["if"], 1);
}

TEST(Show, TheKernelStageListsTheProgramsAndOneAloneOnRequest) {
  const Json all = to_json(shown(test::ball, Stage::kernel))["kernels"];
  const Json one = to_json(shown(test::ball, Stage::kernel, "events"))["kernels"];
  EXPECT_GT(all.size(), 5U);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0]["name"], "events");
  EXPECT_THAT(one[0]["listing"].get<std::string>(), HasSubstr("out[0] = "));
}

TEST(Show, AnUnknownKernelIsRefusedWithASuggestion) {
  try {
    shown(test::ball, Stage::kernel, "fild");
    FAIL() << "'fild' was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'field'?"));
  }
}

}  // namespace
}  // namespace saltus
