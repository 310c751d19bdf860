#include "saltus/flow/stop.hpp"

#include <array>

namespace saltus {

std::string_view name_of(Outcome outcome) {
  constexpr std::array<std::string_view, outcome_count> names = {
      "reached_end",       "stopped",       "ambiguous_impact",     "dependent_contacts",
      "obstacles_exclude", "gap_undefined", "ambiguous_sliding",    "step_too_small",
      "left_domain",       "singular_mass", "accumulation_unknown", "too_many_events"};
  return names[static_cast<std::size_t>(outcome)];
}

std::optional<Outcome> outcome_of(double number) {
  for (std::size_t k = 0; k < outcome_count; ++k)
    if (number == number_of(static_cast<Outcome>(k))) return static_cast<Outcome>(k);
  return std::nullopt;
}

}  // namespace saltus
