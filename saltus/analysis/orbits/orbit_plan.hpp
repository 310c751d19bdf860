#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/translations.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/parameter_rates.hpp"

namespace saltus {

/// What ends a segment of an orbit: the event function that is zero there and the jump that follows.
struct SegmentEnd {
  enum class Kind {
    impact,       // h = 0, jump of the velocities
    release,      // λ = 0
    switched,     // s = 0, through or onto a switch
    weight_low,   // the Filippov weight w = 0
    weight_high,  // w = 1
    phase,        // without events and forcing: the next segment begins in a plane across an orbit nearby
    strobe,       // `offset` forcing periods after t = 0: for orbits without any event
    share,        // `offset` of the whole duration: a cut inside an orbit without events and forcing
  };
  Kind kind = Kind::strobe;
  std::size_t index = 0;
  double offset = 0.0;
  /// Of an impact whose impulse presses on closed contacts: what is struck, in turn. Empty: the contact `index` alone.
  std::vector<std::vector<std::size_t>> blows = {};
  bool operator==(const SegmentEnd&) const = default;
};

/// Orbits without events are cut at the strobe or anywhere, which is no event.
inline bool is_event(const SegmentEnd& end) {
  return end.kind != SegmentEnd::Kind::phase && end.kind != SegmentEnd::Kind::strobe &&
         end.kind != SegmentEnd::Kind::share;
}

struct SegmentPlan {
  Mode mode;
  SegmentEnd end;
  Vector shift;  // taken off at the end: whole periods of angles
  std::optional<std::size_t> chatter = {};  // first the impacts on this contact accumulate, then `mode` slides along it
  bool settles = false;  // where it begins, the state is put on the contacts that are closed
  bool together =
      false;  // lasts no time: it begins and ends with contacts struck in one instant that do not move each other

  /// The mode in which the segment begins.
  Mode start_mode() const;
};

/// The sequence of events of a periodic orbit, cut just after one of them: what is kept fixed while the orbit is sought.
struct OrbitPlan {
  long periods = 0;  // of the forcing; 0: autonomous, the duration is free
  std::vector<SegmentPlan> segments;
  Translations translations;  // the last segment ends where the first begins up to its shift, and up to a drift

  bool has_events() const;
};

/// An orbit with its sequence: where each segment begins and how long it lasts.
struct PlannedOrbit {
  OrbitPlan plan;
  double t = 0.0;  // time of the cut, in forced systems
  std::vector<Vector> x;  // starts of the segments
  std::vector<double> tau;  // durations
  std::vector<double> varied;  // values of the varied parameters
};

/// Two events are met in one instant, up to rounding: their order says nothing.
bool is_same_instant(double t, double other);

/// Segment i is a slide along a switch from beginning to end that leaves on the side from which it came: with the orbit that only
/// touches the switch it vanishes.
bool is_touching_stick(const OrbitPlan& plan, std::size_t i);

/// The plan is one sequence run through twice: orbits of half the duration are among its orbits.
bool runs_twice(const OrbitPlan& plan);

/// The sequence run through twice.
PlannedOrbit doubled(const PlannedOrbit& orbit);

/// Of an orbit without events and forcing the last segment ends in the plane across the flow, the others by their share of the duration:
/// so halves that are one orbit are the same also where they are cut.
void share_out(PlannedOrbit& orbit);

/// An orbit with events that is cut at a return, cut at its first event instead.
PlannedOrbit cut_at_event(const PlannedOrbit& orbit);

}  // namespace saltus
