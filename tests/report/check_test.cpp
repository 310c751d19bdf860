#include "saltus/report/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/small_models.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;

TEST(Check, SaysWhatTheModelDescribes) {
  const Json json = to_json(run(request_for<CheckRequest>(test::ball)));
  EXPECT_EQ(json["coordinates"], Json::array({"z"}));
  EXPECT_EQ(json["dimension"], 2);
  EXPECT_EQ(json["form"], "mass_and_force");
  EXPECT_EQ(json["parameters"]["g"], 9.81);
  EXPECT_EQ(json["parameters"]["weaker"], 0.4);
  EXPECT_EQ(json["parameter_expressions"]["weaker"], "0.5*e");
  ASSERT_EQ(json["contacts"].size(), 1U);
  EXPECT_EQ(json["contacts"][0]["name"], "floor");
  EXPECT_EQ(json["contacts"][0]["restitution"], 0.4);
  ASSERT_EQ(json["switches"].size(), 1U);
  EXPECT_EQ(json["switches"][0]["surface"], "z - 1");
  EXPECT_EQ(json["initial"]["z"], 0.5);
  EXPECT_EQ(json["initial"]["z'"], 0.0);
  EXPECT_EQ(json["cases"][0]["name"], "elastic");
  EXPECT_TRUE(json["section"].is_null());
  EXPECT_TRUE(json["diagnostics"].empty());
}

TEST(Check, ACaseAndSettingsChangeTheNumbersAndWhatDependsOnThem) {
  CheckRequest request = request_for<CheckRequest>(test::ball);
  request.case_name = "elastic";
  request.assignments = {{"g", "2*5"}, {"z'", "-0.25"}};
  const Json json = to_json(run(request));
  EXPECT_EQ(json["case"], "elastic");
  EXPECT_EQ(json["parameters"]["e"], 1.0);
  EXPECT_EQ(json["parameters"]["weaker"], 0.5);
  EXPECT_EQ(json["parameters"]["g"], 10.0);
  EXPECT_EQ(json["initial"]["z'"], -0.25);
}

TEST(Check, TheTextNamesEveryPartOfTheModel) {
  const std::string text = to_text(run(request_for<CheckRequest>(test::ball)));
  EXPECT_THAT(text, HasSubstr("Ball on a shaking floor\n"));
  EXPECT_THAT(text, HasSubstr("weaker  = 0.4   from 0.5*e\n"));
  EXPECT_THAT(text, HasSubstr("switches     z - 1 = 0\n"));
  EXPECT_THAT(text, HasSubstr("forcing      period pi = 3.14159\n"));
  EXPECT_THAT(text, HasSubstr("cases        elastic  no loss\n"));
}

TEST(Check, AModelOfHillsEquationHasNoCoordinatesButAnEquation) {
  const CheckResult result = run(request_for<CheckRequest>(test::hill));
  EXPECT_EQ(to_json(result)["form"], "hill");
  EXPECT_EQ(to_json(result)["hill"]["restitution"], 0.5);
  EXPECT_THAT(to_text(result), HasSubstr("x'' + (0.1) x' + g(t) x = 0,  x >= 0\n"));
}

TEST(Check, AWrongModelIsToldWithItsDiagnosticsAndTheCodeForModels) {
  try {
    run(request_for<CheckRequest>("[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-gg\"]\n"));
    FAIL() << "the unknown name 'gg' was accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ExitCode::model);
    ASSERT_EQ(error.diagnostics().size(), 1U);
    EXPECT_EQ(error.diagnostics()[0].span.line, 4);
    EXPECT_THAT(error.what(), HasSubstr("model.toml:4:12: error: unknown name 'gg'"));
  }
}

TEST(Check, AWrongSettingOfARightModelIsAMistakeOfTheCommandLine) {
  for (const Assignment& wrong : {Assignment{"gg", "1"}, Assignment{"e", "2.4"}, Assignment{"z", "-1"}}) {
    CheckRequest request = request_for<CheckRequest>(test::ball);
    request.assignments = {wrong};
    try {
      run(request);
      FAIL() << wrong.name << " = " << wrong.value << " was accepted";
    } catch (const ModelError& error) { EXPECT_EQ(error.code(), ExitCode::usage); }
  }
}

}  // namespace
}  // namespace saltus
