#pragma once

#include <string>

#include "saltus/cli/command.hpp"

namespace saltus::cli {

/// `saltus --help`.
std::string help();

/// `saltus COMMAND --help`; the options are those declared in `app`.
std::string help(const Command& command, const CLI::App& app);

}  // namespace saltus::cli
