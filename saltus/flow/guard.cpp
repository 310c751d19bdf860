#include "saltus/flow/guard.hpp"

#include <cmath>

namespace saltus {

void add_watch(const Watch& watch, std::size_t w, double value, std::vector<Guard>& guards) {
  double above = 0.0;
  double below = 0.0;
  if (watch.modulo > 0.0) {
    // On a multiple to rounding (the last crossing left us there) its neighbours come next, and itself from the other side.
    const double turns = value / watch.modulo;
    const bool here = std::abs(turns - std::round(turns)) < 1e-9;
    below = watch.modulo * (here ? std::round(turns) : std::floor(turns));
    above = here ? below : below + watch.modulo;
  }
  const auto add = [&](double sign, double offset) {
    guards.push_back({Guard::Kind::surface, watch.surface, sign, offset, w});
  };
  // Between multiples both neighbours are met, wanted or not: behind an unwanted one the next is another.
  if (watch.modulo > 0.0 || watch.direction != Crossing::down) {
    add(-1.0, above);
    if (watch.modulo > 0.0 && above == below) add(-1.0, above + watch.modulo);
  }
  if (watch.modulo > 0.0 || watch.direction != Crossing::up) {
    add(1.0, below);
    if (watch.modulo > 0.0 && above == below) add(1.0, below - watch.modulo);
  }
}

bool was_met(const Guard& guard, const Guard& arrived) {
  if (guard.index != arrived.index) return false;
  if (guard.kind == Guard::Kind::surface && arrived.kind == Guard::Kind::surface)
    return std::abs(guard.offset - arrived.offset) <= 1e-9 * std::abs(guard.offset);
  return guard.kind == arrived.kind || (guard.kind == Guard::Kind::gap && arrived.kind == Guard::Kind::force) ||
         (guard.kind == Guard::Kind::switched && arrived.kind == Guard::Kind::weight);
}

}  // namespace saltus
