#pragma once

#include <string>

namespace saltus {

/// A text on one line: line feeds as \\n, backslashes doubled; and back.
std::string one_line(const std::string& text);
std::string from_one_line(const std::string& line);

}  // namespace saltus
