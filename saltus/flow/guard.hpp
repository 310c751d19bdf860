#pragma once

#include <vector>

#include "saltus/flow/crossing.hpp"
#include "saltus/kernel/layout.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// A surface of KernelOptions::surfaces that is watched during a run.
struct Watch {
  std::size_t surface = 0;
  Crossing direction = Crossing::up;
  double modulo = 0.0;  // 0: the surface itself; else every multiple
};

/// An event function of a mode, or a watched surface.
struct Guard {
  enum class Kind { gap, force, switched, weight, surface };
  Kind kind;
  std::size_t index;
  double sign = 1.0;    // the guard is sign · (value − offset), and falls through zero
  double offset = 0.0;
  std::size_t watch = 0;  // of a surface

  /// Forces and weights come with the field, without a rate.
  bool is_multiplier() const { return kind == Kind::force || kind == Kind::weight; }
  bool operator==(const Guard&) const = default;
};

/// Its row among the event functions, or among forces and weights.
inline std::size_t row_of(const Guard& guard, const Layout& layout) {
  if (guard.kind == Guard::Kind::gap || guard.kind == Guard::Kind::force) return guard.index;
  return layout.contacts + (guard.kind == Guard::Kind::surface ? layout.switches : 0) + guard.index;
}

/// Adds what is watched of a surface that has this value now: itself, or the multiples of the modulus next above and below.
void add_watch(const Watch& watch, std::size_t w, double value, std::vector<Guard>& guards);

/// Is `guard` the one whose instant the motion has just been through, as `arrived` says? A gap whose force has vanished, and a
/// switch whose weight has, count as the same.
bool was_met(const Guard& guard, const Guard& arrived);

}  // namespace saltus
