#include "saltus/analysis/recurrence.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

double state_distance(const Vector& a, const Vector& b, const Translations& translations) {
  return a.size() > 0 ? translations.remainder(a - b).cwiseAbs().maxCoeff() : 0.0;
}

std::optional<std::size_t> recurrence_period(std::span<const Vector> points, const Translations& translations,
                                             std::size_t longest, double tolerance) {
  double size = 1e-300;
  for (const Vector& point : points)
    size = std::max(size, state_distance(point, Vector::Zero(point.size()), translations));
  for (std::size_t k = 1; k <= longest; ++k) {
    const std::size_t wanted = std::max<std::size_t>(3 * k, 8);
    if (points.size() < wanted + k) return std::nullopt;
    bool repeats = true;
    for (std::size_t j = points.size() - wanted; j < points.size() && repeats; ++j)
      repeats = state_distance(points[j], points[j - k], translations) <= tolerance * size;
    if (repeats) return k;
  }
  return std::nullopt;
}

bool converges(std::span<const Vector> points, const Translations& translations, std::size_t longest) {
  constexpr std::size_t fewest = 12;  // comparisons, or chance would do
  for (std::size_t k = 1; k <= longest && points.size() >= 2 * k + fewest; ++k) {
    bool closer = true;
    for (std::size_t j = 0; j + 2 * k < points.size() && closer; ++j) {
      const double before = state_distance(points[j + k], points[j], translations);
      closer = state_distance(points[j + 2 * k], points[j + k], translations) < before;
    }
    if (closer) return true;
  }
  return false;
}

}  // namespace saltus
