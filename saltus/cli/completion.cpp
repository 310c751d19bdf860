#include "saltus/cli/completion.hpp"

#include <fmt/format.h>

#include "saltus/cli/help.hpp"

namespace saltus::cli {
namespace {

bool is_file(const Option& option) { return option.unit.find("FILE") != std::string::npos; }

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  for (const char* other : {"completion", "man", "--help", "--version"}) names.emplace_back(other);
  return names;
}

/// The words that may follow in a command: options, and the values of those that choose among names.
std::string bash_case(const Command& command) {
  std::string options = "--help";
  std::string values;
  const FreshOptions fresh(command);
  for (const Option& option : fresh.invocation.options) {
    if (!is_argument(option)) options += " --" + option.name;
    if (!option.choices.empty() && !is_argument(option))
      values += fmt::format("        --{}) values=\"{}\" ;;\n", option.name, fmt::join(option.choices, " "));
    else if (is_file(option) && !is_argument(option)) values += fmt::format("        --{}) files=1 ;;\n", option.name);
  }
  return fmt::format("    {})\n      options=\"{}\"\n      case $before in\n{}      esac ;;\n", command.name, options,
                     values);
}

/// As zsh's _arguments wants it: brackets and colons belong to its own syntax.
std::string zsh_text(const std::string& text, const std::string& marked) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') result += "'\\''";
    else if (c == '\n') result += ' ';
    else result += (marked.find(c) != std::string::npos ? "\\" : "") + std::string(1, c);
  }
  return result;
}

std::string zsh_values(const Option& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return is_file(option) ? "_files" : "";
}

std::string zsh_case(const Command& command) {
  std::string text = fmt::format("    {})\n      _arguments -S", command.name);
  int place = 0;
  const FreshOptions fresh(command);
  for (const Option& option : fresh.invocation.options) {
    const std::string values = zsh_values(option);
    if (is_argument(option)) {
      text += fmt::format(" \\\n        '{}:{}:{}'", ++place, option.name, values);
      continue;
    }
    text += fmt::format(" \\\n        '{}--{}[{}]", option.repeated ? "*" : "", option.name,
                        zsh_text(meaning_of(option), "[]:\\"));
    text += option.unit.empty() ? "'" : fmt::format(":{}:{}'", zsh_text(option.unit, ":\\"), values);
  }
  return text + " ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  std::string cases;
  for (const Command& command : commands) cases += bash_case(command);
  return fmt::format(
      "# what bash completes behind `saltus`: source <(saltus completion bash)\n"
      "_saltus() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local options=\"\" values=\"\" files=\"\"\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}"
      "    completion) values=\"bash zsh\" ;;\n"
      "  esac\n"
      "  if [[ -n $values ]]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "  elif [[ $word == -* && -z $files ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _saltus saltus\n",
      fmt::join(names_of(commands), " "), cases);
}

std::string zsh_completion(const std::vector<Command>& commands) {
  std::string names;
  std::string cases;
  for (const Command& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary, ":\\"));
    cases += zsh_case(command);
  }
  return fmt::format(
      "#compdef saltus\n"
      "# what zsh completes behind `saltus`: put it into a folder of $fpath as _saltus\n"
      "_saltus() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}"
      "    'completion:what bash or zsh reads to complete commands and options'\n"
      "    'man:the manual page'\n"
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $words[1] in\n{}"
      "    completion) _arguments '1:SHELL:(bash zsh)' ;;\n"
      "  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _saltus ]]; then _saltus \"$@\"; else compdef _saltus saltus; fi\n",
      names, cases);
}

}  // namespace saltus::cli
