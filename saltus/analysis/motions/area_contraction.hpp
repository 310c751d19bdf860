#pragma once

#include <span>
#include <vector>

#include "saltus/analysis/motions/translations.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// Does a motion lose phase volume everywhere, by proof: tr F_x is one negative number (its expression depends on parameters alone), and no
/// switch depends on velocities or first-order states, so that passing it keeps volumes? An impact multiplies them by e² ≤ 1. Then the sum of
/// the exponents is negative, and they are not all zero.
bool loses_volume(const Kernels& kernels, std::span<const double> parameters);

/// Does the strobe map of a forced motion in the plane make every area smaller, as a motion does that loses volume?
/// Then the map has no invariant circle, whose inside it would map onto itself: the motion is no torus. An
/// angle makes the plane a cylinder, around which a circle may go: nothing is claimed.
bool contracts_areas(const Kernels& kernels, std::span<const double> parameters, const Translations& translations);

}  // namespace saltus
