#pragma once

#include <span>
#include <vector>

#include "saltus/analysis/motions/translations.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// Does the strobe map of a forced motion in the plane make every area smaller, by proof: tr F_x is one negative number (its expression
/// depends on parameters alone), and no switch depends on the velocity, so that passing it keeps areas? An impact multiplies them by e² ≤ 1.
/// Then the map has no invariant circle, whose inside it would map onto itself: the motion is no torus. An
/// angle makes the plane a cylinder, around which a circle may go: nothing is claimed.
bool contracts_areas(const Kernels& kernels, std::span<const double> parameters, const Translations& translations);

}  // namespace saltus
