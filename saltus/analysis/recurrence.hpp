#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/analysis/translations.hpp"

namespace saltus {

/// max |aᵢ − bᵢ| of two states, up to a translation that changes nothing.
double state_distance(const Vector& a, const Vector& b, const Translations& translations);

/// Points of a section closer than this, relative to their size, are taken for the same.
constexpr double recurrence_tolerance = 1e-6;

/// The smallest k ≤ `longest` for which the last points of a section repeat, |x_{j+k} − x_j| ≤ tolerance · size for all of the
/// last max(3k, 8) points; states are compared up to translations, and the size is that of the largest component so taken. Nothing: no such k.
std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const Translations& translations,
                                             std::size_t longest, double tolerance);

/// Do all points of a section come closer to those k ≤ `longest` before them, step by step: |x_{j+2k} − x_{j+k}| < |x_{j+k} − x_j|? Then
/// the motion goes, however slowly, to one of period k. Points on a torus do not.
bool converges(std::span<const Vector> points, const Translations& translations, std::size_t longest);

}  // namespace saltus
