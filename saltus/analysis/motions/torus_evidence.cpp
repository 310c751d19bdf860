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

/// Two numbers of each component that changes on the section: of an angle cos and sin, of others what lies between −1 and 1, and its square.
struct Measured {
  std::vector<double> first = {}, second = {};  // of each point
  bool is_angle = false;
};

std::vector<Measured> measured(std::span<const Vector> points, const Translations& translations,
                               const StateSizes& sizes) {
  constexpr double rounding_share = 1e-9;  // of the component's size on the motion
  std::vector<std::vector<double>> numbers;
  for (const Vector& point : points) numbers.push_back(translations.invariants(point));
  std::vector<Measured> all;
  for (Index i = 0; i < points.front().size(); ++i) {
    Measured component{.is_angle = translations.is_turned(i)};
    for (const std::vector<double>& pair : numbers) {
      component.first.push_back(pair[2 * static_cast<std::size_t>(i)]);
      component.second.push_back(pair[2 * static_cast<std::size_t>(i) + 1]);
    }
    if (!component.is_angle) {
      std::vector<double>& u = component.first;
      const auto [low, high] = std::minmax_element(u.begin(), u.end());
      const double middle = 0.5 * (*low + *high);
      const double half_range = 0.5 * (*high - *low);
      const bool sized = i < sizes.size.size();
      if (half_range <= (sized ? std::max(sizes.unresolved[i], rounding_share * sizes.size[i]) : 0.0)) continue;
      for (double& value : u) value = (value - middle) / half_range;
      for (std::size_t j = 0; j < u.size(); ++j) component.second[j] = u[j] * u[j];
    }
    all.push_back(std::move(component));
  }
  return all;
}

/// What places are told by: cos and sin of angles, the others themselves.
std::vector<std::vector<double>> places(std::span<const Vector> points, const Translations& translations,
                                        const StateSizes& sizes) {
  std::vector<std::vector<double>> all;
  for (Measured& component : measured(points, translations, sizes)) {
    all.push_back(std::move(component.first));
    if (component.is_angle) all.push_back(std::move(component.second));
  }
  return all;
}

/// The largest difference of two points in any number.
double distance(const std::vector<std::vector<double>>& numbers, std::size_t a, std::size_t b) {
  double largest = 0.0;
  for (const std::vector<double>& values : numbers) largest = std::max(largest, std::abs(values[a] - values[b]));
  return largest;
}

/// Every K-th point from the r-th on: the width of what they fill.
double width(const std::vector<std::vector<double>>& numbers, std::size_t count, std::size_t K, std::size_t r) {
  double largest = 0.0;
  for (const std::vector<double>& values : numbers) {
    double low = values[r];
    double high = values[r];
    for (std::size_t j = r; j < count; j += K) {
      low = std::min(low, values[j]);
      high = std::max(high, values[j]);
    }
    largest = std::max(largest, high - low);
  }
  return largest;
}

/// Do every K/2-th points fall into two bands that are visited in turn and lie apart?
bool split_in_two(const std::vector<std::vector<double>>& numbers, std::size_t count, std::size_t K) {
  constexpr double least_gap = 0.5;  // of the wider band; measured at the limit of cascades: 0.96
  for (std::size_t r = 0; r < K / 2; ++r) {
    const double wide = std::max(width(numbers, count, K, r), width(numbers, count, K, r + K / 2));
    for (std::size_t a = r; a < count; a += K)
      for (std::size_t b = r + K / 2; b < count; b += K)
        if (distance(numbers, a, b) <= least_gap * wide) return false;
  }
  return true;
}

}  // namespace

bool averages_converge(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes) {
  if (points.size() < 4) return false;
  const std::vector<Measured> numbers = measured(points, translations, sizes);
  return std::all_of(numbers.begin(), numbers.end(), [](const Measured& component) {
    return halves_agree(component.first) && halves_agree(component.second);
  });
}

std::optional<std::size_t> doubled_bands(std::span<const Vector> points, const Translations& translations,
                                         const StateSizes& sizes) {
  constexpr std::size_t fewest_bands = 16;
  constexpr std::size_t fewest_visits = 4;  // of a band
  constexpr std::size_t most_points = 2048;  // that are compared, each with each in its band and the next
  const std::span<const Vector> last = points.last(std::min(points.size(), most_points));
  if (last.size() < fewest_visits * fewest_bands) return std::nullopt;
  const std::vector<std::vector<double>> numbers = places(last, translations, sizes);
  if (numbers.empty()) return std::nullopt;
  const auto splits = [&](std::size_t K) { return split_in_two(numbers, last.size(), K); };
  for (std::size_t K = fewest_bands; fewest_visits * K <= last.size(); K += 8)
    if (splits(K) && splits(K / 2) && splits(K / 4)) return K;
  return std::nullopt;
}

}  // namespace saltus
