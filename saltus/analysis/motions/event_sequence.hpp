#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/motions/return_map.hpp"

namespace saltus {

/// One word of a sequence: what happened, and at which contact or switch.
struct EventWord {
  EventKind kind;
  std::size_t index;
  bool operator==(const EventWord&) const = default;
};

/// What happens along a motion, in order: impacts, completed chatters (which stand for all of their impacts), starts of sliding,
/// switches. Ends of sliding, grazings and sections are left out.
using EventSequence = std::vector<EventWord>;

EventSequence event_sequence(const std::vector<Event>& events);

/// Whether two sequences of periodic motions are the same up to where they begin.
bool same_cycle(const EventSequence& a, const EventSequence& b);

/// "barrier, barrier, slide(barrier)"; "no events" if nothing happens. A completed chatter is chatter(barrier), a switch is
/// switch(x' - 1), sliding along it slide(x' - 1).
std::string sequence_text(const EventSequence& sequence, const Model& model);

}  // namespace saltus
