#include "saltus/flow/event.hpp"

#include <array>

namespace saltus {

std::string_view name_of(EventKind kind) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(EventKind::section) + 1> names = {
      "impact",         "chatter",      "slide_start",  "slide_end", "switch",
      "filippov_start", "filippov_end", "accumulation", "grazing",   "section"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace saltus
