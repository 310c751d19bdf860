#include "saltus/cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "saltus/result/text_table.hpp"

namespace saltus::cli {
namespace {

std::string indented(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::string& line : aligned(rows)) text += "  " + line + "\n";
  return text;
}

std::string exit_codes() {
  return "Exit codes\n" + indented({{"0", "done"},
                                    {"1", "the mathematics stopped early; what was computed is written and marked"},
                                    {"2", "the command line is wrong"},
                                    {"3", "the model is wrong"},
                                    {"4", "a file cannot be read or written"},
                                    {"70", "a fault of this program"},
                                    {"130", "interrupted; what was computed is written and marked"}});
}

std::string examples(const std::vector<Example>& list) {
  std::vector<std::vector<std::string>> rows;
  for (const Example& example : list)
    rows.push_back({example.command_line, example.purpose.empty() ? "" : "# " + example.purpose});
  return "Examples\n" + indented(rows);
}

/// "--case NAME"
std::string usage_of(const CLI::Option& option) {
  std::string text = option.get_name(false, true);
  const std::size_t comma = text.find(',');  // --help, -h: the long one is enough
  if (comma != std::string::npos) text = "--" + option.get_lnames().front();
  if (option.get_items_expected_max() > 0) text += " " + option.get_option_text();
  return text;
}

std::string options_of(const CLI::App& app) {
  std::vector<std::vector<std::string>> rows;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional() && option != app.get_help_ptr())
      rows.push_back({usage_of(*option), option->get_description()});
  rows.push_back({"--help", "this text"});
  return "Options\n" + indented(rows);
}

}  // namespace

std::string help() {
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : commands()) rows.push_back({command.name, command.arguments, command.summary});
  return fmt::format(
      "saltus {}: stability and chaos of mechanical systems with impacts\n\n"
      "Usage\n  saltus COMMAND MODEL [options]\n\n"
      "Commands\n{}\n"
      "  saltus COMMAND --help   a command's options and examples\n"
      "  saltus --version        versions of saltus and LLVM, the processor and its lanes\n\n"
      "{}\n{}",
      SALTUS_VERSION, indented(rows),
      examples({{"saltus check examples/bouncing_ball.toml", "is the model right?"},
                {"saltus equations examples/double_pendulum_wall.toml", "what are its equations?"}}),
      exit_codes());
}

std::string help(const Command& command, const CLI::App& app) {
  return fmt::format("saltus {}: {}\n\nUsage\n  saltus {} {} [options]\n\n{}\n\n{}\n{}", command.name, command.summary,
                     command.name, command.arguments, command.details, options_of(app), examples(command.examples));
}

}  // namespace saltus::cli
