#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/analysis/motions/state_sizes.hpp"

namespace saltus {

/// max |aᵢ − bᵢ| / sizeᵢ, up to a translation; the size of an angle is never larger than its period; what is not resolved counts as zero.
double state_distance(const Vector& a, const Vector& b, const Translations& translations, const StateSizes& sizes);

/// Points of a section closer than this, relative to the sizes of their components, are taken for the same.
constexpr double recurrence_tolerance = 1e-6;

/// Whether the points of a section repeat.
struct Recurrence {
  std::optional<std::size_t> period;  // they do, after so many
  std::optional<std::string> doubt = {};  // it is not seen, but that they do not is not seen, either: why
  std::optional<std::size_t> nearing = {};  // with such a doubt: the period of the cycle that they seem to come to
  bool by_rounding = false;  // such a doubt, which no longer run removes
  bool grows = false;  // likewise: the points go away by more and more, and are those of no motion that has settled
};

/// The smallest k for which the last points of a section repeat: x_{j+k} is within the tolerance of x_j, component by component, for all of
/// the last max(3k, 8) points, and they are not on their way to those of a part of k, nor on a slow way past an orbit that is about to
/// appear: where they repeated before for half as long and left again, or move on by a thousandth of their sizes in as many points as
/// there are. Up to k = `asked`, or a quarter of the points where there are more. Points that go further and further away are not said
/// not to repeat: see `growing`.
Recurrence recurrence_of(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
                         std::size_t asked);
/// Fewer points than this are compared over less than eight: that they do not repeat says nothing.
constexpr std::size_t enough_points = 32;
/// Says so.
std::string too_few_points(std::size_t count);
/// How many of the last points repeat those k before them.
std::size_t repeating_points(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
                             std::size_t k, double tolerance = recurrence_tolerance);

/// Do all points of a section come closer to those k ≤ `longest` before them, step by step: |x_{j+2k} − x_{j+k}| < |x_{j+k} − x_j|? Then
/// the motion goes, however slowly, to one of period k. Points on a torus do not.
bool converges(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
               std::size_t longest);

}  // namespace saltus
