#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/analysis/state_sizes.hpp"
#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// Which coordinates are angles: the field and the gaps do not change when 2π is added to them. Tried at a few states.
std::vector<bool> angle_coordinates(const Kernels& kernels, std::span<const double> parameters, const Vector& x);

/// a − b, angles modulo 2π.
Vector state_difference(const Vector& a, const Vector& b, const std::vector<bool>& angles);

/// max |aᵢ − bᵢ|, angles modulo 2π.
double state_distance(const Vector& a, const Vector& b, const std::vector<bool>& angles);
/// max |aᵢ − bᵢ| / sizeᵢ, angles modulo 2π and never larger than that; what is not resolved counts as zero.
double state_distance(const Vector& a, const Vector& b, const std::vector<bool>& angles, const StateSizes& sizes);

/// Points of a section closer than this, relative to the sizes of their components, are taken for the same.
constexpr double recurrence_tolerance = 1e-6;

/// The smallest k ≤ `longest` for which the last points of a section repeat: x_{j+k} is within `tolerance` of x_j, component by
/// component, for all of the last max(3k, 8) points. Nothing: no such k.
std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const std::vector<bool>& angles,
                                             const StateSizes& sizes, std::size_t longest, double tolerance);
/// The same where nothing is known of the motion but the points: all components are measured by the largest of them.
std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const std::vector<bool>& angles,
                                             std::size_t longest, double tolerance);

/// How many of the last points repeat those k before them.
std::size_t repeating_points(std::span<const Vector> points, const std::vector<bool>& angles, const StateSizes& sizes,
                             std::size_t k, double tolerance);

/// Do all points of a section come closer to those k ≤ `longest` before them, step by step: |x_{j+2k} − x_{j+k}| < |x_{j+k} − x_j|? Then
/// the motion goes, however slowly, to one of period k. Points on a torus do not.
bool converges(std::span<const Vector> points, const std::vector<bool>& angles, const StateSizes& sizes,
               std::size_t longest);

}  // namespace saltus
