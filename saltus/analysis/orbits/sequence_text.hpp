#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/orbits/orbit_plan.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// What events are called: contacts by name, switches as the user would recognise them.
struct EventNames {
  std::vector<std::string> contacts;
  std::vector<std::string> switches;
};
EventNames event_names(const Model& model);

/// "stop, stop, slide(stop)"; "no events" for a smooth orbit, "slide(stop)" for one that never leaves the stop.
std::string sequence_text(const OrbitPlan& plan, const EventNames& names);

}  // namespace saltus
