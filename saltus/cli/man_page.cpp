#include "saltus/cli/man_page.hpp"

#include <fmt/format.h>

#include "saltus/cli/help.hpp"

namespace saltus::cli {
namespace {

/// Text as roff reads it: a backslash, a minus, and a line that would begin with a command of its own are told apart.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) result += "\\&";
    if (text[i] == '\\') result += "\\e";
    else if (text[i] == '-') result += "\\-";
    else result += text[i];
  }
  return result;
}

std::string entry(const std::string& head, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(head), roff(text));
}

std::string section_of(const Command& command) {
  std::string text = fmt::format(".SS saltus {} {}\n{}.\n.PP\n{}\n", command.name, roff(command.arguments),
                                 roff(command.summary), roff(command.details));
  const FreshOptions fresh(command);
  for (const Option& option : fresh.invocation.options)
    text += entry(is_argument(option) ? option.name : usage_of(option), meaning_of(option));
  text += ".PP\n.nf\n";
  for (const Example& example : command.examples) text += roff(example.command_line) + "\n";
  return text + ".fi\n";
}

}  // namespace

std::string man_page(const std::vector<Command>& commands) {
  std::string text = fmt::format(
      ".TH SALTUS 1 \"\" \"saltus {}\"\n"
      ".SH NAME\nsaltus \\- stability and chaos of mechanical systems with impacts\n"
      ".SH SYNOPSIS\n.B saltus\nCOMMAND MODEL [options]\n"
      ".SH DESCRIPTION\n"
      "Reads a model file and does with it what the command says. Results go to standard output or into files, "
      "messages "
      "to standard error.\n"
      ".SH COMMANDS\n",
      SALTUS_VERSION);
  for (const Command& command : commands) text += section_of(command);
  text += ".SH EXIT STATUS\n";
  for (const std::vector<std::string>& code : exit_codes()) text += entry(code[0], code[1]);
  return text;
}

}  // namespace saltus::cli
