#pragma once

#include <optional>
#include <span>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// The roots with kinks and jumps written as such where they hide in smooth functions:
///   sqrt(1 − cos² u) = |sin u|,  sqrt(1 ± cos u) = √2 |cos or sin of u/2|,  sqrt(a² ± 2ab + b²) = |a ± b|,
///   atan(tan u) = u − π ⌊u/π + ½⌋,  atan2(sin u, cos u) = u − 2π ⌊u/2π + ½⌋.
/// sqrt(u²) is |u| already in the graph.
std::vector<Expr> with_kinks_shown(std::span<const Expr> roots);

/// acos(cos u) = |u| for |u| ≤ π and so on with period 2π, and its like: a triangle offset + slope · T(angle), where T(w) is the
/// distance of w from the nearest multiple of 2π. Its kinks are where sin(angle) = 0.
struct Triangle {
  Expr angle;
  Expr sine;  // of the angle, up to a positive factor, in the form in which it is written best
  double offset;
  double slope;  // 1 or −1
};
std::optional<Triangle> triangle_of(Expr e);

/// The root with its triangles by |w − 2π⌊w/2π + ½⌋: the same values, and derivatives that are ±1 up to the kinks themselves.
Expr with_straight_triangles(Expr root);

}  // namespace saltus
