#pragma once

#include "saltus/cli/command.hpp"

namespace saltus::cli {

/// The manual page as man reads it.
std::string man_page(const std::vector<Command>& commands);

}  // namespace saltus::cli
