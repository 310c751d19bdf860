#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/cli/completion.hpp"
#include "saltus/cli/help.hpp"
#include "saltus/cli/man_page.hpp"

namespace saltus {

/// A request of no use but to have an option, said in its table and nowhere else.
struct DummyRequest {
  std::string model;
  double dummy_depth = 0.5;
};

Options options_of(DummyRequest& request) {
  return {{"MODEL", "FILE", "the model file", &request.model, Recorded::always},
          {"dummy-depth", "NUMBER", "how deep the dummy is", &request.dummy_depth, Recorded::if_changed,
           above_zero("is no depth")}};
}

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

cli::Command dummy_command(double& found) {
  return {.name = "dummy",
          .arguments = "MODEL",
          .summary = "what an option is told to",
          .details = "Nothing.",
          .examples = {},
          .begin = [&found](cli::OutputOptions& output) -> cli::Invocation {
            const auto request = std::make_shared<DummyRequest>();
            return {joined({options_of(*request), cli::output_options(output, {".json"})}), [request, &found] {
                      found = request->dummy_depth;
                      return ExitCode::done;
                    }};
          }};
}

std::string complaint_of(const std::vector<std::string>& words) {
  double found = 0.0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cli::run_command(dummy_command(found), words), ExitCode::usage);
  return testing::internal::GetCapturedStderr();
}

TEST(OptionsTest, AnOptionOfATableIsRead) {
  double found = 0.0;
  EXPECT_EQ(cli::run_command(dummy_command(found), {"a.toml", "--dummy-depth", "0.25"}), ExitCode::done);
  EXPECT_EQ(found, 0.25);
  EXPECT_EQ(cli::run_command(dummy_command(found), {"a.toml"}), ExitCode::done);
  EXPECT_EQ(found, 0.5);
}

TEST(OptionsTest, AnOptionOfATableIsInTheHelpTheCompletionsAndTheManualPage) {
  double found = 0.0;
  const std::vector<cli::Command> commands = {dummy_command(found)};
  const cli::FreshOptions fresh(commands.front());
  EXPECT_THAT(cli::help(commands.front(), fresh.invocation.options),
              HasSubstr("--dummy-depth NUMBER  how deep the dummy is (default 0.5)\n"));
  EXPECT_THAT(cli::bash_completion(commands), HasSubstr("options=\"--help --dummy-depth --json --out --quiet\""));
  EXPECT_THAT(cli::zsh_completion(commands), HasSubstr("'--dummy-depth[how deep the dummy is (default 0.5)]:NUMBER:'"));
  EXPECT_THAT(cli::man_page(commands), HasSubstr("\\-\\-dummy\\-depth NUMBER\nhow deep the dummy is (default 0.5)\n"));
}

TEST(OptionsTest, AnOptionOfATableIsInTheRecipeIfItIsNotTheDefault) {
  EXPECT_EQ(command_of("dummy", DummyRequest{"a.toml", 0.25}), "saltus dummy a.toml --dummy-depth 0.25");
  EXPECT_EQ(command_of("dummy", DummyRequest{"a b.toml"}), "saltus dummy 'a b.toml'");
}

TEST(OptionsTest, MessagesKnowAnOptionOfATable) {
  EXPECT_THAT(complaint_of({"a.toml", "--dummy-dept", "1"}), HasSubstr("did you mean '--dummy-depth'?"));
  EXPECT_THAT(complaint_of({"a.toml", "--dummy-depth", "deep"}),
              HasSubstr("'deep' is no value for option '--dummy-depth'"));
  EXPECT_THAT(complaint_of({"a.toml", "--dummy-depth"}), HasSubstr("option '--dummy-depth' needs a value"));
  try {
    require_valid(DummyRequest{"a.toml", -1.0});
    FAIL() << "no depth of -1 may pass";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "⟨dummy-depth⟩ -1 is no depth\n  expected a number above 0");
  }
}

TEST(OptionsTest, NoCommandHasTwoOptionsOfOneNameAndEveryOptionHasAMeaning) {
  for (const cli::Command& command : cli::commands()) {
    std::vector<std::string> names;
    const cli::FreshOptions fresh(command);
    for (const Option& option : fresh.invocation.options) {
      EXPECT_THAT(names, Not(testing::Contains(option.name))) << command.name;
      EXPECT_FALSE(option.meaning.empty()) << command.name << " " << option.name;
      names.push_back(option.name);
    }
  }
}

}  // namespace
}  // namespace saltus
