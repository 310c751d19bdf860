#include "saltus/analysis/motions/torus_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Σ w(t) u over Σ w(t), w = exp(−1/(t (1 − t))).
double weighted_mean(std::span<const double> values) {
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double t = static_cast<double>(j + 1) / static_cast<double>(values.size() + 1);
    const double w = std::exp(-1.0 / (t * (1.0 - t)));
    sum += w * values[j];
    weights += w;
  }
  return sum / weights;
}

/// The first, the middle and the last half.
bool halves_agree(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  const std::span<const double> all(values);
  const double limit = std::pow(static_cast<double>(half), -0.75);
  const auto [low, high] = std::minmax(
      {weighted_mean(all.first(half)), weighted_mean(all.subspan(half / 2, half)), weighted_mean(all.last(half))});
  return high - low <= limit;
}

}  // namespace

bool averages_converge(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes) {
  constexpr double rounding_share = 1e-9;  // of the component's size on the motion
  if (points.size() < 4) return false;
  std::vector<std::vector<double>> numbers;
  for (const Vector& point : points) numbers.push_back(translations.invariants(point));
  for (Index i = 0; i < points.front().size(); ++i) {
    std::vector<double> u;
    std::vector<double> second;
    for (const std::vector<double>& pair : numbers) {
      u.push_back(pair[2 * static_cast<std::size_t>(i)]);
      second.push_back(pair[2 * static_cast<std::size_t>(i) + 1]);
    }
    if (!translations.is_turned(i)) {
      const auto [low, high] = std::minmax_element(u.begin(), u.end());
      const double middle = 0.5 * (*low + *high);
      const double half_range = 0.5 * (*high - *low);
      const bool sized = i < sizes.size.size();
      if (half_range <= (sized ? std::max(sizes.unresolved[i], rounding_share * sizes.size[i]) : 0.0)) continue;
      for (double& value : u) value = (value - middle) / half_range;
      for (std::size_t j = 0; j < u.size(); ++j) second[j] = u[j] * u[j];
    }
    if (!halves_agree(u) || !halves_agree(second)) return false;
  }
  return true;
}

}  // namespace saltus
