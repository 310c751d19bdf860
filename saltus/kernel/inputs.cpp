#include "saltus/kernel/inputs.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

namespace saltus {
namespace {

constexpr std::array<std::string_view, slot_count> stems = {"t", "x", "p", "mode", "X"};

}  // namespace

std::string input_name(InputRef input) {
  const auto slot = static_cast<std::size_t>(input.slot);
  return input.slot == Slot::time ? std::string(stems[slot]) : fmt::format("{}[{}]", stems[slot], input.index);
}

std::optional<InputRef> input_of(const std::string& name) {
  if (name == stems[0]) return InputRef{Slot::time, 0};
  const std::size_t bracket = name.find('[');
  if (bracket == std::string::npos) return std::nullopt;
  for (std::size_t slot = 1; slot < slot_count; ++slot) {
    if (name.substr(0, bracket) != stems[slot]) continue;
    std::uint32_t index = 0;
    std::from_chars(name.data() + bracket + 1, name.data() + name.size(), index);
    return InputRef{static_cast<Slot>(slot), index};
  }
  return std::nullopt;
}

}  // namespace saltus
