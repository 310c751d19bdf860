#pragma once

#include <optional>
#include <string>

#include "saltus/analysis/orbits/hybrid_orbit.hpp"
#include "saltus/analysis/orbits/sequence_text.hpp"

namespace saltus {

/// The same orbit with the sequence that holds beyond a brink: an impact of vanishing speed taken out, one of speed zero put in where
/// a gap touches zero, a slide of vanishing length taken out or put in. Nothing where no such description exists (words say why).
struct SequenceChange {
  std::optional<PlannedOrbit> orbit;
  std::string words = {};  // "the impact on 'stop' disappears"
  std::optional<PlannedOrbit> alone =
      {};  // where several events vanish together, as on symmetric orbits: with one of them changed only
  bool returns =
      false;  // with an excursion beyond a switch, which has a duration: without one the equations are singular
};
SequenceChange changed_sequence(const HybridOrbit& problem, const Vector& y, const Brink& brink,
                                const EventNames& names);

}  // namespace saltus
