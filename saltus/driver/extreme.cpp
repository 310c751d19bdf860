#include "saltus/driver/extreme.hpp"

namespace saltus {

std::optional<Extreme> extreme_in(const std::string& text) {
  constexpr const char* blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return std::nullopt;
  const std::size_t last = text.find_last_not_of(blanks);
  const std::string name = text.substr(first, 3);
  const std::size_t open = text.find_first_not_of(blanks, first + 3);
  if ((name != "max" && name != "min") || open == std::string::npos || text[open] != '(') return std::nullopt;
  int depth = 0;
  for (std::size_t i = open; i <= last; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 1 && text[i] == ',') return std::nullopt;  // of two numbers
    if (depth == 0 && i < last) return std::nullopt;        // a part of something larger
  }
  if (depth != 0) return std::nullopt;
  return Extreme{name == "max" ? Extreme::Which::largest : Extreme::Which::smallest,
                 text.substr(open + 1, last - open - 1)};
}

}  // namespace saltus
