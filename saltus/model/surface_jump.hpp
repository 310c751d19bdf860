#pragma once

#include <functional>
#include <optional>
#include <string>

#include "saltus/model/model.hpp"

namespace saltus {

/// Where a surface jumps that should be zero where it is crossed.
struct SurfaceJump {
  Expr where;       // zero there, or a whole number
  double from, to;  // two values of the surface, on both sides
  bool whole;       // because of floor, ceil, round or mod
};

/// A jump of the surface across the place where a condition in it changes, a sign or a whole part; nothing if it is continuous there,
/// as the sum of branches that meet. `value_of` gives parameters, and a state with a time about which the places are looked for.
/// Decided by numbers, on both sides of points scattered over each of these places.
std::optional<SurfaceJump> surface_jump(Expr surface, const Model& model,
                                        const std::function<double(const std::string&)>& value_of);

/// "jumps where x = 0, from 0 to 1".
std::string in_words(const SurfaceJump& jump);

/// What to do instead.
std::string advice(const SurfaceJump& jump);

}  // namespace saltus
