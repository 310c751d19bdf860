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

template <class State>
bool solves_something(const std::vector<State>& states) {
  return std::any_of(states.begin(), states.end(), [](State state) { return row_of(state).solved != Solved::nothing; });
}

template <class State>
int lost_in(const std::vector<State>& states) {
  int sum = 0;
  for (const State state : states) sum += row_of(state).lost;
  return sum;
}

template <class State>
void add_guards(const std::vector<State>& states, std::vector<Guard>& guards) {
  bool hull = false;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& row = row_of(states[i]);
    if (row.solved == Solved::hull && hull) continue;
    hull = hull || row.solved == Solved::hull;
    for (const Watched& each : row.watched) guards.push_back({each.kind, i, each.sign, each.offset});
  }
}

/// First of all states the first input, then the second.
template <class State>
void add_inputs(const std::vector<State>& states, std::vector<double>& values) {
  for (std::size_t j = 0; j < row_of(State{}).inputs.size(); ++j)
    for (const State state : states) values.push_back(row_of(state).inputs[j]);
}

}  // namespace

bool Mode::any_closed() const { return solves_something(contacts_); }

bool Mode::any_held() const {
  return std::any_of(switches_.begin(), switches_.end(),
                     [](SwitchState s) { return row_of(s).solved == Solved::hull; });
}

bool Mode::is_masked() const { return any_closed() || solves_something(switches_); }

int Mode::lost_directions() const { return lost_in(contacts_) + lost_in(switches_); }

std::vector<char> Mode::closed_contacts() const {
  std::vector<char> closed;
  for (std::size_t i = 0; i < contacts_.size(); ++i) closed.push_back(is_closed(i) ? 1 : 0);
  return closed;
}

std::vector<Guard> guards_of(const Mode& mode) {
  std::vector<Guard> guards;
  add_guards(mode.contacts(), guards);
  add_guards(mode.switches(), guards);
  return guards;
}

std::vector<double> mode_inputs(const Mode& mode) {
  std::vector<double> values;
  values.reserve(2 * (mode.contacts().size() + mode.switches().size()));
  add_inputs(mode.contacts(), values);
  add_inputs(mode.switches(), values);
  values.insert(values.end(), mode.contacts().size(), 1.0);
  return values;
}

}  // namespace saltus
