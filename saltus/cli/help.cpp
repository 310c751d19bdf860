#include "saltus/cli/help.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "saltus/base/setting.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus::cli {
namespace {

std::string indented(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::string& line : aligned(rows)) text += "  " + line + "\n";
  return text;
}

std::string examples(const std::vector<Example>& list) {
  std::vector<std::vector<std::string>> rows;
  for (const Example& example : list)
    rows.push_back({example.command_line, example.purpose.empty() ? "" : "# " + example.purpose});
  return "Examples\n" + indented(rows);
}

std::string options_text(const Options& options) {
  std::vector<std::vector<std::string>> rows;
  std::string line;
  for (const Option& option : options)
    if (!is_argument(option)) {
      std::string name = usage_of(option);
      for (std::istringstream lines(meaning_of(option)); std::getline(lines, line);)
        rows.push_back({std::exchange(name, ""), line});
    }
  rows.push_back({"--help", "this text"});
  return "Options\n" + indented(rows);
}

}  // namespace

std::vector<std::vector<std::string>> exit_codes() {
  return {{"0", "done"},
          {"1", "the mathematics stopped early; what was computed is written and marked"},
          {"2", "the command line is wrong"},
          {"3", "the model is wrong"},
          {"4", "a file cannot be read or written"},
          {"70", "a fault of this program"},
          {"130", "interrupted; what was computed is written and marked"}};
}

std::string usage_of(const Option& option) {
  return "--" + option.name + (option.unit.empty() ? "" : " " + option.unit);
}

std::string meaning_of(const Option& option) {
  const std::string value = default_of(option);
  return said(option.meaning) + (value.empty() ? "" : fmt::format(" (default {})", value));
}

std::string help() {
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : commands()) rows.push_back({command.name, command.arguments, command.summary});
  return fmt::format(
      "saltus {}: stability and chaos of mechanical systems with impacts\n\n"
      "Usage\n  saltus COMMAND MODEL [options]\n\n"
      "Commands\n{}\n"
      "  saltus COMMAND --help   a command's options and examples\n"
      "  saltus --version        versions of saltus and LLVM, the processor and its lanes\n"
      "  saltus completion SHELL what bash or zsh reads to complete commands and options\n"
      "  saltus man              the manual page\n\n"
      "{}\n{}",
      SALTUS_VERSION, indented(rows),
      examples({{"saltus check examples/bouncing_ball.toml", "is the model right?"},
                {"saltus equations examples/double_pendulum_wall.toml", "what are its equations?"}}),
      "Exit codes\n" + indented(exit_codes()));
}

std::string help(const Command& command, const Options& options) {
  return fmt::format("saltus {}: {}\n\nUsage\n  saltus {} {} [options]\n\n{}\n\n{}\n{}", command.name, command.summary,
                     command.name, command.arguments, command.details, options_text(options),
                     examples(command.examples));
}

}  // namespace saltus::cli
