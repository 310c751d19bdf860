#include "saltus/analysis/motions/event_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus {

/// A switch of those that accumulate.
static bool is_of(const Event& accumulation, const EventWord& word) {
  const std::vector<std::size_t>& switches = accumulation.switches;
  const bool at_switch = word.kind == EventKind::switched || word.kind == EventKind::filippov_start;
  return at_switch && std::find(switches.begin(), switches.end(), word.index) != switches.end();
}

EventSequence event_sequence(const std::vector<Event>& events) {
  EventSequence sequence;
  for (const Event& event : events) {
    switch (event.kind) {
      case EventKind::chatter:
        // However many of its impacts were looked at one by one: there are infinitely many.
        while (!sequence.empty() && sequence.back() == EventWord{EventKind::impact, event.index}) sequence.pop_back();
        sequence.push_back({event.kind, event.index});
        break;
      case EventKind::accumulation:
        while (!sequence.empty() && is_of(event, sequence.back())) sequence.pop_back();
        sequence.push_back({event.kind, event.index});
        break;
      case EventKind::impact:
      case EventKind::slide_start:
      case EventKind::switched:
      case EventKind::filippov_start: sequence.push_back({event.kind, event.index}); break;
      case EventKind::slide_end:
      case EventKind::filippov_end:
      case EventKind::grazing:
      case EventKind::section: break;
    }
  }
  return sequence;
}

bool same_cycle(const EventSequence& a, const EventSequence& b) {
  if (a.size() != b.size()) return false;
  if (a.empty()) return true;
  EventSequence turned = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (turned == b) return true;
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
  }
  return false;
}

std::string sequence_text(const EventSequence& sequence, const Model& model) {
  if (sequence.empty()) return "no events";
  std::vector<std::string> words;
  for (const EventWord& word : sequence) {
    const bool at_switch = word.kind == EventKind::switched || word.kind == EventKind::filippov_start ||
                           word.kind == EventKind::accumulation;
    const std::string& name = at_switch ? model.switches[word.index].text : model.contacts[word.index].name;
    switch (word.kind) {
      case EventKind::impact: words.push_back(name); break;
      case EventKind::chatter: words.push_back(fmt::format("chatter({})", name)); break;
      case EventKind::accumulation: words.push_back(fmt::format("accumulation({})", name)); break;
      case EventKind::switched: words.push_back(fmt::format("switch({})", name)); break;
      default: words.push_back(fmt::format("slide({})", name)); break;
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace saltus
