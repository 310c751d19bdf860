#pragma once

#include "saltus/cli/command.hpp"

namespace saltus::cli {

/// What a shell reads to complete commands, options, names that are values, and files.
std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);

}  // namespace saltus::cli
