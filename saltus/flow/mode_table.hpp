#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "saltus/flow/event.hpp"
#include "saltus/flow/guard.hpp"

// What a contact or a switch may be doing, and what follows from it: the only place that knows. A new state is a new name and a new
// row; docs/architecture.md lists what else it touches.

namespace saltus {

/// Of a contact.
enum class ContactState : unsigned char { open, closed };

/// Of a switch: the motion is on one side of its surface; slides along it, by Filippov's convex combination of the two sides; or is
/// held where several surfaces meet, by the hull of all sides, which enter this function after one or two differentiations (HeldField).
enum class SwitchState : unsigned char { minus, plus, slid, held_once, held_twice };

/// What is solved for as long as a state lasts: nothing, the force of a contact, the weight of one of two sides, or the weights of
/// all sides of the switches that hold the motion, which are solved for, and watched, together.
enum class Solved : unsigned char { nothing, force, weight, hull };

/// What a state keeps zero of its function, h or s: nothing, the function, or its rate as well. Across the gradients of these the tangent
/// loses its directions.
enum class Kept : unsigned char { nothing, value, value_and_rate };

/// A guard of a state: sign · (value − offset) falls through zero where the state ends.
struct Watched {
  Guard::Kind kind;
  double sign = 1.0;
  double offset = 0.0;
};

/// A state that may come next, and the event that tells of it; none where the instant is another switch's.
template <class State>
struct Following {
  State state;
  std::optional<EventKind> told = {};
};

/// As many as a row needs.
template <class Entry, std::size_t most>
struct Few {
  std::array<Entry, most> entries{};
  std::size_t count = 0;
  constexpr Few(std::initializer_list<Entry> list) {
    for (const Entry& entry : list) entries[count++] = entry;
  }
  constexpr const Entry* begin() const { return entries.data(); }
  constexpr const Entry* end() const { return entries.data() + count; }
};

template <class State, std::size_t input_count>
struct StateRow {
  State state;
  std::string_view name;
  Solved solved;
  Few<Watched, 3> watched;
  std::array<double, input_count> inputs;  // what kernels read: see Layout
  Kept kept;
  Few<Following<State>, 4> next;

  constexpr std::optional<EventKind> told_of(State to) const {
    for (const Following<State>& each : next)
      if (each.state == to) return each.told;
    return std::nullopt;
  }
};
using ContactRow = StateRow<ContactState, 1>;  // reads: closed
using SwitchRow =
    StateRow<SwitchState, 2>;  // reads: the side, and whether it is slid along; on the surface the side is −1

// clang-format off
/// What follows a side, and what follows a state on the surface, where one may change to another.
constexpr Few<Following<SwitchState>, 4> after_side(SwitchState other) {
  constexpr EventKind onto = EventKind::filippov_start;
  return {{other, EventKind::switched}, {SwitchState::slid, onto}, {SwitchState::held_once, onto}, {SwitchState::held_twice, onto}};
}
constexpr Few<Following<SwitchState>, 4> after_surface(SwitchState one, SwitchState other) {
  return {{SwitchState::minus, EventKind::filippov_end}, {SwitchState::plus, EventKind::filippov_end}, {one}, {other}};
}

inline constexpr std::array contact_table = {
    //         state                 name      solved            watched                   read   kept                  next
    ContactRow{ContactState::open,   "open",   Solved::nothing, {{Guard::Kind::gap}},   {0.0}, Kept::nothing,        {{ContactState::closed, EventKind::slide_start}}},
    ContactRow{ContactState::closed, "closed", Solved::force,   {{Guard::Kind::force}}, {1.0}, Kept::value_and_rate, {{ContactState::open,   EventKind::slide_end}}},
};
inline constexpr Watched low_weight = {Guard::Kind::weight, 1.0, 0.0}, high_weight = {Guard::Kind::weight, -1.0, 1.0};
inline constexpr std::array switch_table = {
    SwitchRow{SwitchState::minus,      "minus",      Solved::nothing, {{Guard::Kind::switched, -1.0}}, {-1.0, 0.0}, Kept::nothing,        after_side(SwitchState::plus)},
    SwitchRow{SwitchState::plus,       "plus",       Solved::nothing, {{Guard::Kind::switched, 1.0}},  {1.0, 0.0},  Kept::nothing,        after_side(SwitchState::minus)},
    SwitchRow{SwitchState::slid,       "slid",       Solved::weight,  {low_weight, high_weight},       {-1.0, 1.0}, Kept::value,          after_surface(SwitchState::held_once, SwitchState::held_twice)},
    SwitchRow{SwitchState::held_once,  "held once",  Solved::hull,    {high_weight},                   {-1.0, 0.0}, Kept::value,          after_surface(SwitchState::slid, SwitchState::held_twice)},
    SwitchRow{SwitchState::held_twice, "held twice", Solved::hull,    {high_weight},                   {-1.0, 0.0}, Kept::value_and_rate, after_surface(SwitchState::slid, SwitchState::held_once)},
};
// clang-format on

constexpr const ContactRow& row_of(ContactState state) { return contact_table[static_cast<std::size_t>(state)]; }
constexpr const SwitchRow& row_of(SwitchState state) { return switch_table[static_cast<std::size_t>(state)]; }

/// The other side of a switch; nothing for a state on its surface.
constexpr std::optional<SwitchState> opposite(SwitchState state) {
  if (state == SwitchState::minus) return SwitchState::plus;
  return state == SwitchState::plus ? std::optional(SwitchState::minus) : std::nullopt;
}

}  // namespace saltus
