#include "saltus/result/result_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "saltus/base/error.hpp"

namespace saltus {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ResultFiles : public testing::Test {
 protected:
  ResultFiles()
      : folder_(std::filesystem::temp_directory_path() /
                ("saltus_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ResultFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(path(name)).rdbuf();
    return all.str();
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path folder_;
};

const Recipe recipe{.program = "saltus 1.2.3",
                    .command = "saltus simulate 'my ball.toml' --set \"z'=1\"",
                    .model_file = "my ball.toml",
                    .model_text = "title = \"Kugel über Böden, h ≥ 0\"\n\n[mechanics]\n",
                    .case_name = "elastic",
                    .assignments = {{"z'", "2*g"}, {"e", "0.5"}, {"e", "0.75"}},
                    .settings = {{"rtol", "1e-10"}, {"impact_law", "sequential"}}};

ResultFile two_tables() {
  return {.recipe = recipe,
          .title = "Ball",
          .outcome = "step_too_small",
          .complete = false,
          .axes = {{"t", 3}, {"event", 2}},
          .variables = {{"t", "time", "", {"t"}, std::vector<double>{0.0, 0.1, 0.3}},
                        {"z", "coordinate z", "m", {"t"}, std::vector<double>{1.0, -0.5, 1.0 / 3.0}},
                        {"event_kind", "", "", {"event"}, std::vector<std::string>{"impact", "say \"a,b\""}}}};
}

TEST_F(ResultFiles, TheRecipeComesBackFromANetcdfFileAsItWas) {
  write_result(path("run.nc"), two_tables(), {});
  EXPECT_EQ(read_recipe(path("run.nc")), recipe);
}

TEST_F(ResultFiles, ARecipeWithoutCaseAndSettingsComesBackToo) {
  ResultFile result = two_tables();
  result.recipe.case_name = "";
  result.recipe.assignments.clear();
  write_result(path("run.nc"), result, {});
  EXPECT_EQ(read_recipe(path("run.nc")), result.recipe);
}

TEST_F(ResultFiles, ACsvFileHoldsTheRecipeInCommentsAndThenOneTable) {
  write_result(path("run.csv"), two_tables(), {});
  const std::string csv = text("run.csv");
  EXPECT_THAT(csv, StartsWith("# Ball\n# program: saltus 1.2.3\n"));
  EXPECT_THAT(csv, HasSubstr("# outcome: step_too_small\n# complete: 0\n"));
  EXPECT_THAT(csv,
              HasSubstr("# model: my ball.toml\n#   title = \"Kugel über Böden, h ≥ 0\"\n#   \n#   [mechanics]\n"));
  EXPECT_THAT(csv, testing::EndsWith("\nt,z\n0,1\n0.1,-0.5\n0.3,0.3333333333333333\n"));
}

TEST_F(ResultFiles, VariablesOverAnotherAxisHaveACsvFileOfTheirOwn) {
  write_result(path("run.csv"), two_tables(), {});
  EXPECT_EQ(files(), (std::vector<std::string>{"run.csv", "run_event.csv"}));
  EXPECT_THAT(text("run_event.csv"), testing::EndsWith("\nevent,event_kind\n0,impact\n1,\"say \"\"a,b\"\"\"\n"));
}

TEST_F(ResultFiles, ATableOverTwoAxesHasARowForEveryPair) {
  ResultFile map{.recipe = recipe,
                 .title = "Map",
                 .outcome = "reached_end",
                 .complete = true,
                 .axes = {{"a", 2}, {"b", 3}},
                 .variables = {{"m", "", "", {"a", "b"}, std::vector<double>{1, 2, 3, 4, 5, 6}},
                               {"b", "", "", {"b"}, std::vector<double>{10, 20, 30}}}};
  write_result(path("map.csv"), map, {});
  EXPECT_THAT(text("map.csv"), testing::EndsWith("\na,b,m\n0,10,1\n0,20,2\n0,30,3\n1,10,4\n1,20,5\n1,30,6\n"));
  EXPECT_EQ(files(), std::vector<std::string>{"map.csv"});  // the scale is a column, not a file
}

TEST_F(ResultFiles, AJsonFileHoldsTheResultWithTheRecipe) {
  write_result(path("run.json"), two_tables(), {{"final", 3}});
  const Json json = Json::parse(text("run.json"));
  EXPECT_EQ(json["final"], 3);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["recipe"]["command"], recipe.command);
  EXPECT_EQ(json["recipe"]["model_text"], recipe.model_text);
}

TEST_F(ResultFiles, AFailureLeavesNothingBehindAndIsAFileError) {
  const std::string nowhere = path("no/such/folder/run");
  for (const char* ending : {".nc", ".csv", ".json"}) {
    try {
      write_result(nowhere + ending, two_tables(), {});
      FAIL() << ending << " was written into a folder that does not exist";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::file);
      EXPECT_THAT(error.what(), HasSubstr("cannot write '" + nowhere + ending + "': No such file or directory"));
    }
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(ResultFiles, AnOldFileSurvivesAFailureToReplaceIt) {
  write_result(path("run.nc"), two_tables(), {});
  ResultFile wrong = two_tables();
  wrong.variables[1].name = "not/a/name";  // netCDF refuses slashes
  EXPECT_THROW(write_result(path("run.nc"), wrong, {}), Error);
  EXPECT_EQ(read_recipe(path("run.nc")), recipe);
  EXPECT_EQ(files(), std::vector<std::string>{"run.nc"});
}

TEST_F(ResultFiles, WhatIsNoNetcdfFileIsRefused) {
  std::ofstream(path("text.nc")) << "not a result\n";
  EXPECT_THROW(read_recipe(path("text.nc")), Error);
  EXPECT_THROW(read_recipe(path("missing.nc")), Error);
}

TEST(ShellWord, IsQuotedOnlyIfAShellWouldReadItOtherwise) {
  EXPECT_EQ(shell_word("examples/ball.toml"), "examples/ball.toml");
  EXPECT_EQ(shell_word("z'=2*g"), "'z'\\''=2*g'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace saltus
