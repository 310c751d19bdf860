#pragma once

#include <vector>

#include "saltus/analysis/branches/sequence_change.hpp"

namespace saltus {

/// What flights do beyond a switch that they touch.
enum class Touch {
  slides,   // the other side pushes back: they slide along it for a moment
  returns,  // the force does not jump: they go beyond and return
  leaves,   // the other side takes them away: the orbit beside is far away
};

/// The brinks are flights that touch one switch, together on symmetric orbits: the same orbit with a slide of no length in each of them, or with an
/// excursion of a thousandth of the period, where none of no length has equations of its own.
SequenceChange with_touches(const HybridOrbit& problem, const Vector& y, const std::vector<Brink>& brinks,
                            const std::string& words);

/// The shortest segment that goes beyond a switch and straight back, if there is one.
std::optional<std::size_t> shortest_excursion(const PlannedOrbit& orbit);

}  // namespace saltus
