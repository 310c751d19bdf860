#include "saltus/analysis/motions/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus {

double state_distance(const Vector& a, const Vector& b, const Translations& translations, const StateSizes& sizes) {
  const Vector difference = translations.remainder(a - b).cwiseAbs();
  double largest = 0.0;
  for (Eigen::Index i = 0; i < difference.size(); ++i) {
    if (difference[i] <= sizes.unresolved[i]) continue;
    const double period = translations.period(i);
    const double size = period > 0.0 ? std::min(sizes.size[i], period) : sizes.size[i];
    largest = std::max(largest, difference[i] / size);
  }
  return largest;
}

std::size_t repeating_points(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
                             std::size_t k, double tolerance) {
  std::size_t count = 0;
  while (count + k < points.size()) {
    const std::size_t j = points.size() - 1 - count;
    if (!(state_distance(points[j], points[j - k], translations, sizes) <= tolerance)) break;
    ++count;
  }
  return count;
}

std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const Translations& translations,
                                             const StateSizes& sizes, std::size_t longest, double tolerance) {
  for (std::size_t k = 1; k <= longest; ++k) {
    const std::size_t wanted = std::max<std::size_t>(3 * k, 8);
    if (points.size() < wanted + k) return std::nullopt;
    if (repeating_points(points.last(wanted + k), translations, sizes, k, tolerance) >= wanted) return k;
  }
  return std::nullopt;
}

std::string too_few_points(std::size_t count) {
  return fmt::format("{} point{} too few to see whether they repeat", count, count == 1 ? " is" : "s are");
}

std::size_t longest_recurrence(std::size_t points, std::size_t asked) { return std::max(asked, points / 4); }

bool converges(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
               std::size_t longest) {
  constexpr std::size_t fewest = 12;  // comparisons, or chance would do
  for (std::size_t k = 1; k <= longest && points.size() >= 2 * k + fewest; ++k) {
    bool closer = true;
    for (std::size_t j = 0; j + 2 * k < points.size() && closer; ++j) {
      const double before = state_distance(points[j + k], points[j], translations, sizes);
      closer = state_distance(points[j + 2 * k], points[j + k], translations, sizes) < before;
    }
    if (closer) return true;
  }
  return false;
}

}  // namespace saltus
