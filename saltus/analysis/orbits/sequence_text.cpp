#include "saltus/analysis/orbits/sequence_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus {
namespace {

/// The impacts that lead to a chatter are part of it, also over the cut.
void drop_impacts_before(std::size_t chatter, const std::string& contact, const std::vector<std::string>& words,
                         std::vector<char>& dropped) {
  const std::size_t m = words.size();
  for (std::size_t back = 1; back < m; ++back) {
    const std::size_t i = (chatter + m - back) % m;
    if (words[i] != contact || dropped[i]) return;
    dropped[i] = 1;
  }
}

/// "stop"; "stop + wall" where the impulse strikes the wall as well.
std::string impact_text(const SegmentEnd& end, const std::vector<std::string>& contacts) {
  std::vector<std::string> words = {contacts[end.index]};
  for (const std::vector<std::size_t>& blow : end.blows)
    for (const std::size_t i : blow)
      if (std::find(words.begin(), words.end(), contacts[i]) == words.end()) words.push_back(contacts[i]);
  return fmt::format("{}", fmt::join(words, " + "));
}

}  // namespace

EventNames event_names(const Model& model) {
  EventNames names;
  for (const Contact& contact : model.contacts) names.contacts.push_back(contact.name);
  for (const Switch& each : model.switches) names.switches.push_back(each.text);
  return names;
}

std::string sequence_text(const OrbitPlan& plan, const EventNames& names) {
  const std::vector<std::string>& contacts = names.contacts;
  std::vector<std::string> words;
  std::vector<std::pair<std::size_t, std::string>> chatters;
  const std::size_t m = plan.segments.size();
  for (std::size_t i = 0; i < m; ++i) {
    // The event that begins segment i ends segment i − 1.
    const SegmentEnd& event = plan.segments[(i + m - 1) % m].end;
    const Mode& before = plan.segments[(i + m - 1) % m].mode;
    const Mode& after = plan.segments[i].mode;
    if (event.kind == SegmentEnd::Kind::impact) words.push_back(impact_text(event, contacts));
    if (event.kind == SegmentEnd::Kind::switched && !after.slides_alone(event.index))
      words.push_back(fmt::format("switch({})", names.switches[event.index]));
    if (const auto c = plan.segments[i].chatter) {
      chatters.emplace_back(words.size(), contacts[*c]);
      words.push_back(fmt::format("chatter({})", contacts[*c]));
    }
    for (std::size_t c = 0; c < contacts.size(); ++c)
      if (after.is_closed(c) && (!before.is_closed(c) || m == 1))
        words.push_back(fmt::format("slide({})", contacts[c]));
    for (std::size_t k = 0; k < after.switches().size(); ++k)
      if (after.slides_alone(k) && (!before.slides_alone(k) || m == 1))
        words.push_back(fmt::format("slide({})", names.switches[k]));
  }
  std::vector<char> dropped(words.size(), 0);
  for (const auto& [place, contact] : chatters) drop_impacts_before(place, contact, words, dropped);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!dropped[i]) kept.push_back(words[i]);
  return kept.empty() ? "no events" : fmt::format("{}", fmt::join(kept, ", "));
}

}  // namespace saltus
