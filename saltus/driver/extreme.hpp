#pragma once

#include <optional>
#include <string>

#include "saltus/analysis/motions/amplitude.hpp"

namespace saltus {

/// What --observe max(EXPR) or min(EXPR), with one argument, asks for: the extreme value over the orbit or the run.
struct Extreme {
  enum class Which { largest, smallest };
  Which which = Which::largest;
  std::string of;  // the expression

  double value_in(const Amplitudes& amplitudes) const {
    return which == Which::largest ? amplitudes.largest : amplitudes.smallest;
  }
};

/// Nothing for any other text, such as x, max(x, 0) or max(x) + min(x).
std::optional<Extreme> extreme_in(const std::string& text);

}  // namespace saltus
