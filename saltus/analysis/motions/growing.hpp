#pragma once

#include <span>

#include "saltus/analysis/motions/state_sizes.hpp"

namespace saltus {

/// How the points of a section go away from the first of them. Of the component that does so most; translations and what is small
/// beside the component's range on the motion do not count.
struct Growing {
  /// ln of the factor by which the farthest point lies farther away than that of the first half, where that goes on in the last
  /// eighth: else 0.
  double second_half = 0.0;
  /// The farthest point of each eighth lies farther away than that of the eighth before.
  bool every_eighth = false;
};

Growing growing(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes);

/// ln of the growth in the second half that no motion shows which is bounded and has settled, and t⁵ does not reach.
constexpr double most_settled_growth = 4.0;

}  // namespace saltus
