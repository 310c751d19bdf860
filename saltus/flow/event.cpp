#include "saltus/flow/event.hpp"

namespace saltus {

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::impact: return "impact";
    case EventKind::chatter: return "chatter";
    case EventKind::slide_start: return "slide_start";
    case EventKind::slide_end: return "slide_end";
    case EventKind::switched: return "switch";
    case EventKind::filippov_start: return "filippov_start";
    case EventKind::filippov_end: return "filippov_end";
    case EventKind::accumulation: return "accumulation";
    case EventKind::grazing: return "grazing";
    case EventKind::section: return "section";
  }
  return "";
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::reached_end: return "reached_end";
    case Outcome::stopped: return "stopped";
    case Outcome::ambiguous_impact: return "ambiguous_impact";
    case Outcome::dependent_contacts: return "dependent_contacts";
    case Outcome::obstacles_exclude: return "obstacles_exclude";
    case Outcome::gap_undefined: return "gap_undefined";
    case Outcome::ambiguous_sliding: return "ambiguous_sliding";
    case Outcome::step_too_small: return "step_too_small";
    case Outcome::left_domain: return "left_domain";
    case Outcome::singular_mass: return "singular_mass";
    case Outcome::accumulation_unknown: return "accumulation_unknown";
    case Outcome::too_many_events: return "too_many_events";
  }
  return "";
}

}  // namespace saltus
