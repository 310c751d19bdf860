#include "saltus/analysis/motions/growing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace saltus {
namespace {

constexpr std::size_t parts = 8;
constexpr double comparable = 0.1;  // of a component's range on the motion: what its points must go
constexpr double least_pace = 0.25;  // of the mean one: growth in the last eighth that goes on

/// How far component i goes in each eighth of the points.
std::array<double, parts> farthest(const std::vector<Vector>& ways, Eigen::Index i) {
  std::array<double, parts> far{};
  for (std::size_t j = 0; j < ways.size(); ++j) {
    double& most = far[j * parts / ways.size()];
    most = std::max(most, std::abs(ways[j][i]));
  }
  return far;
}

}  // namespace

Growing growing(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes) {
  Growing result;
  if (points.size() < parts) return result;
  std::vector<Vector> ways;
  for (const Vector& point : points) ways.push_back(translations.remainder(point - points.front()));
  for (Eigen::Index i = 0; i < sizes.size.size(); ++i) {
    const std::array<double, parts> far = farthest(ways, i);
    const double all = *std::max_element(far.begin(), far.end());
    if (!(all > std::max(sizes.unresolved[i], comparable * sizes.size[i]))) continue;
    const double first_half = *std::max_element(far.begin(), far.begin() + parts / 2);
    const double before_last = *std::max_element(far.begin(), far.end() - 1);
    const double second_half = first_half > 0.0 ? std::log(all / first_half) : 0.0;
    // Of four eighths the last has a fourth of the growth, if it goes on.
    if (second_half > 0.0 && std::log(far.back() / before_last) >= least_pace * second_half / 4.0)
      result.second_half = std::max(result.second_half, second_half);
    const bool always = std::adjacent_find(far.begin(), far.end(), std::greater_equal<>()) == far.end();
    result.every_eighth = result.every_eighth || always;
  }
  return result;
}

}  // namespace saltus
