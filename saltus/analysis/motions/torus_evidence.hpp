#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/analysis/motions/state_sizes.hpp"

namespace saltus {

/// Do the averages of a section's components and of their squares (of cos and sin for angles) over its first, its middle and its last half
/// agree as those of a torus do? With weights that vanish at both ends (Das, Saiki, Sander & Yorke 2017) the average over n points of a
/// quasi-periodic motion is known to n⁻¹ or better even where impacts make jumps, that of a chaotic one to n^(−1/2) at best: the limit is
/// n^(−3/4) of half the range. Components that stay what they are, as on a surface x = 0, but for rounding, are not looked at.
bool averages_converge(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes = {});

/// Into how many bands, visited in turn, do the points fall as those of a motion do that has doubled its period again and again: some
/// K ≥ 16 of them, of which those K/2 apart lie further from each other than half of their width, and so the K/2 and the K/4 bands that they are
/// parts of? Near the limit of such a cascade exponents vanish and averages converge as on a torus. Of a torus near a resonance with K
/// returns K arcs may lie apart, but not the halves, quarters and eighths of what they make up unless 8 divides K.
std::optional<std::size_t> doubled_bands(std::span<const Vector> points, const Translations& translations,
                                         const StateSizes& sizes = {});

}  // namespace saltus
