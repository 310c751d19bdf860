#pragma once

#include <cstddef>

namespace saltus {

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
};

}  // namespace saltus
