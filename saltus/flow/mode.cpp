#include "saltus/flow/mode.hpp"

#include <algorithm>

namespace saltus {
namespace {

constexpr bool is_in_order(const auto& table) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].state) != i) return false;
  return true;
}
static_assert(is_in_order(contact_table) && is_in_order(switch_table), "row_of looks states up by their number");

constexpr auto solves = [](auto state) { return row_of(state).solved != Solved::nothing; };
constexpr auto keeps = [](auto state) { return row_of(state).kept != Kept::nothing; };
constexpr auto is_of_hull = [](auto state) { return row_of(state).solved == Solved::hull; };

}  // namespace

bool Mode::any_closed() const { return std::ranges::any_of(contacts_, solves); }

bool Mode::any_held() const { return std::ranges::any_of(switches_, is_of_hull); }

bool Mode::is_masked() const { return any_closed() || std::ranges::any_of(switches_, solves); }

bool Mode::annihilates() const {
  return std::ranges::any_of(contacts_, keeps) || std::ranges::any_of(switches_, keeps);
}

std::vector<char> Mode::closed_contacts() const {
  std::vector<char> closed;
  for (const ContactState state : contacts_) closed.push_back(solves(state) ? 1 : 0);
  return closed;
}

std::vector<Guard> guards_of(const Mode& mode) {
  std::vector<Guard> guards;
  const auto add = [&](const auto& states) {
    const auto first_of_hull = std::ranges::find_if(states, is_of_hull);
    for (auto state = states.begin(); state != states.end(); ++state) {
      if (is_of_hull(*state) && state != first_of_hull) continue;
      const auto index = static_cast<std::size_t>(state - states.begin());
      for (const Watched& each : row_of(*state).watched) guards.push_back({each.kind, index, each.sign, each.offset});
    }
  };
  add(mode.contacts());
  add(mode.switches());
  return guards;
}

std::vector<double> mode_inputs(const Mode& mode) {
  std::vector<double> values;
  values.reserve(2 * (mode.contacts().size() + mode.switches().size()));
  // First of all states the first input, then the second.
  const auto add = [&](const auto& states, const auto& table) {
    for (std::size_t j = 0; j < table.front().inputs.size(); ++j)
      for (const auto state : states) values.push_back(row_of(state).inputs[j]);
  };
  add(mode.contacts(), contact_table);
  add(mode.switches(), switch_table);
  values.insert(values.end(), mode.contacts().size(), 1.0);
  return values;
}

}  // namespace saltus
