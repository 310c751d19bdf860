#pragma once

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// One side of an instant.
struct InstantSide {
  const Vector& x;
  const Mode& mode;
  double pace;  // a time over which the motion changes
};

/// Crossings of watched surfaces that coincide with an instant of another kind: a surface on which the force switches or a contact is
/// struck is passed by that very event. Upwards if it rises before or after the instant, downwards if it falls there: at an impact, as
/// a surface just in front of the wall would tell, both. Crossings that are among the last events already are left out.
std::vector<Event> coinciding_sections(const Mechanism& mechanism, const std::vector<Watch>& watches, const Time& t,
                                       double period, const InstantSide& before, const InstantSide& after,
                                       const std::vector<Event>& known);

/// Was this crossing recorded at the same instant already?
bool is_known_section(const std::vector<Event>& known, double t, std::size_t watch, double direction);

}  // namespace saltus
