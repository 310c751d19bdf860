#pragma once

#include <optional>
#include <string>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// The name of a kernel's input in the graph of its equations: t, x[3], p[0], mode[2], X[7].
std::string input_name(InputRef input);

/// The input behind such a name.
std::optional<InputRef> input_of(const std::string& name);

}  // namespace saltus
