#pragma once

#include <string>

#include "saltus/cli/command.hpp"

namespace saltus::cli {

/// `saltus --help`.
std::string help();

/// `saltus COMMAND --help`.
std::string help(const Command& command, const Options& options);

/// "--case NAME"
std::string usage_of(const Option& option);

/// What an option means, with its default.
std::string meaning_of(const Option& option);

/// Numbers that the shell is told, and what they mean.
std::vector<std::vector<std::string>> exit_codes();

}  // namespace saltus::cli
