#pragma once

#include "saltus/flow/flow_run.hpp"
#include "saltus/flow/guard.hpp"

namespace saltus {

/// One side of an instant.
struct InstantSide {
  const Vector& x;
  const Mode& mode;
  double pace;  // a time over which the motion changes
};

/// Per watch: does the mode itself keep the motion on the surface? It does if the surface is zero and its gradient is made of those
/// of what the mode keeps at zero: gaps and their rates, switching functions. What it is worth then is rounding, and no crossing.
std::vector<char> kept_watches(const Mechanism& mechanism, const std::vector<Watch>& watches, double t,
                               const InstantSide& at);

/// What a mode of contacts and switches keeps at zero though it does not solve for it: gaps of open contacts, as friction keeps a block at
/// rest beside a wall that it does not press on; functions of switches on a side, as a wall keeps a pressed block at rest, which is on
/// neither side of its friction. They are rounding then, whose zeros are no events.
struct KeptFunctions {
  std::vector<char> gaps, switches;

  bool has(const Guard& guard) const {
    const auto in = [&](const std::vector<char>& kept) { return guard.index < kept.size() && kept[guard.index]; };
    return (guard.kind == Guard::Kind::gap && in(gaps)) || (guard.kind == Guard::Kind::switched && in(switches));
  }
};
KeptFunctions kept_functions(const Mechanism& mechanism, double t, const InstantSide& at);

/// Is the surface, where the motion stands on it or close to it, that of a switch or of an open contact? What happens there tells of
/// the crossing; `met`: the guard whose zero is met with the surface, if the motion goes towards it beyond doubt.
struct SurfaceOfEvent {
  bool is_one = false;
  std::optional<Guard> met = {};
};
SurfaceOfEvent event_of(const Mechanism& mechanism, const Watch& watch, double t, const InstantSide& at);

/// An instant of another kind than the crossing of a watched surface.
struct OtherInstant {
  Time t;
  double period;
  InstantSide before, after;
  const std::vector<char>& kept;  // before it: see kept_watches
  const std::vector<Event>& happened;  // in it
  const std::vector<Event>& known;  // all events so far
};

/// Crossings of watched surfaces that coincide with such an instant. A surface on which the force switches or a contact is struck is
/// passed by that very event, and which way is said by the sides that it leaves and enters, not by values:
///  · a switch that is passed: towards the side that is entered;
///  · the end of a slide: towards the side that is entered. Its beginning is none: the motion stays on the surface;
///  · an impact: downwards in the gap, and upwards unless the contact stays closed, as a surface just in front of the wall would tell.
/// Other surfaces are passed upwards if they rise before or after the instant, downwards if they fall there; of these, crossings that
/// are among the known events are left out. A surface of velocities that an impact jumps across is not passed: the motion is nowhere
/// on it.
std::vector<Event> coinciding_sections(const Mechanism& mechanism, const std::vector<Watch>& watches,
                                       const OtherInstant& at);

/// Was this crossing recorded at the same instant already?
bool is_known_section(const std::vector<Event>& known, double t, std::size_t watch, double direction);

}  // namespace saltus
