#pragma once

#include <vector>

#include "saltus/analysis/orbits/orbit_piece.hpp"

namespace saltus {

/// A possible end of a sequence: what reaches zero, and where.
struct Brink {
  enum class Kind {
    impact_speed,  // |γ⁻| of the impact that ends a segment
    blow_speed,    // the same of a contact that the impulse of that impact strikes
    gap,           // the smallest gap of a contact inside a segment
    corner,        // the gap of another contact at the end of a segment: two contacts meet in one instant
    slide_length,  // the duration of a segment with a closed contact
    force,         // the smallest force of a closed contact inside a segment
    departure,     // ḧ after an inelastic impact that is followed by flight
    switch_side,   // the smallest distance from a switch inside a segment
    switch_order,  // the duration of a segment between two events one of which is a switch: they meet in one instant
    arrival,  // the speed with which a switch is reached at which the force jumps, or along which a slide begins
    passage,  // the speed with which a switch at which the force jumps is left behind: at zero a slide along it begins
    stick_length,  // the duration of a segment with a slide along a switch
    stick_weight,  // the smallest distance of the weight of such a slide from its limits, inside it
    entry,  // the same where the slide begins, from the limit of the side beyond
    entry_flight,  // the duration of a flight beyond a switch after which the motion slides along it
    slip_length,  // the duration of a flight between two slides along one switch
    hop_length,  // of a flight with its chatter between two slides along one contact: no test function, for it has no sign
  };
  Kind kind = Kind::gap;
  std::size_t segment = 0;
  std::size_t index = 0;  // of the contact or switch
  double after = 0.0;  // since the start of the segment
  double value = 1.0;  // positive on a real orbit
};

/// Appends those of segment i. Durations are parts of the orbit's; gaps, switches, speeds and forces are in units of what they change with
/// components of these sizes, over its duration.
void add_brinks(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const OrbitPiece& piece,
                const Vector& sizes, std::vector<Brink>& brinks);

}  // namespace saltus
