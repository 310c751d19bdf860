#pragma once

#include <optional>

#include "saltus/flow/crossing.hpp"
#include "saltus/flow/settle.hpp"

namespace saltus {

/// One event function of a mode.
struct Guard {
  enum class Kind { gap, force, switched, weight, surface };
  Kind kind;
  std::size_t index;
  double sign = 1.0;    // the guard is sign · (value − offset), and falls through zero
  double offset = 0.0;
  std::size_t watch = 0;  // of a surface

  /// Forces and weights come with the field, without a rate.
  bool is_multiplier() const { return kind == Kind::force || kind == Kind::weight; }
};

/// The guards of switch k in a mode. Where several hold the motion together, the first of them watches the hull of their sides.
template <class Add>
void add_switch_guards(const Mode& mode, std::size_t k, Add add) {
  if (mode.held[k]) {
    bool first = true;
    for (std::size_t j = 0; j < k; ++j) first = first && !mode.held[j];
    if (first) add(Guard{Guard::Kind::weight, k, -1.0, 1.0});
    return;
  }
  if (!mode.filippov[k]) return add(Guard{Guard::Kind::switched, k, mode.sign[k]});
  add(Guard{Guard::Kind::weight, k, 1.0, 0.0});
  add(Guard{Guard::Kind::weight, k, -1.0, 1.0});
}

/// What the instant at a guard's zero is about.
inline Trigger trigger_of(const Guard& guard) {
  switch (guard.kind) {
    case Guard::Kind::gap: return {Trigger::Kind::gap, guard.index, false};
    case Guard::Kind::force: return {Trigger::Kind::force, guard.index, false};
    case Guard::Kind::switched: return {Trigger::Kind::switched, guard.index, false};
    default: return {Trigger::Kind::weight, guard.index, guard.sign < 0.0};
  }
}

}  // namespace saltus
