#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/motions/growing.hpp"

namespace saltus {

/// In what component i is measured: an angle by no more than its period.
static double size_of(const Translations& translations, const StateSizes& sizes, Eigen::Index i) {
  const double period = translations.period(i);
  return period > 0.0 ? std::min(sizes.size[i], period) : sizes.size[i];
}

double state_distance(const Vector& a, const Vector& b, const Translations& translations, const StateSizes& sizes) {
  const Vector difference = translations.remainder(a - b).cwiseAbs();
  double largest = 0.0;
  for (Eigen::Index i = 0; i < difference.size(); ++i)
    if (difference[i] > sizes.unresolved[i])
      largest = std::max(largest, difference[i] / size_of(translations, sizes, i));
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

/// Points that repeat after k, to the tolerance: may they be on their way to a cycle of `part`, a divisor of k? Near a doubling of
/// the period those of a cycle of `part` come nearer from alternating sides, each time by so little that they seem to repeat after twice as
/// many. The difference x_j − x_{j−part} at three instants, whole k apart, is extrapolated: is half of it still to go?
static bool comes_together(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
                           std::size_t k, std::size_t part) {
  constexpr double as_before = 500.0;  // times what was seen is to come, where it does not become less
  const std::size_t stride = k * (repeating_points(points, translations, sizes, k) / (2 * k));
  const std::size_t last = points.size() - 1;
  if (stride == 0 || last < 2 * stride + part) return false;
  const auto difference = [&](std::size_t j) { return translations.remainder(points[j] - points[j - part]); };
  const Vector d0 = difference(last - 2 * stride);
  const Vector d1 = difference(last - stride);
  const Vector d2 = difference(last);
  Index i = 0;
  d2.cwiseAbs().cwiseQuotient(sizes.size.cwiseMax(sizes.unresolved)).maxCoeff(&i);
  const double before = d1[i] - d0[i];
  const double now = d2[i] - d1[i];
  if (std::abs(before) + std::abs(now) <= 2.0 * sizes.unresolved[i] + 1e-9 * sizes.size[i]) return false;
  const double ratio = now / before;
  if (!(ratio > 0.0)) return false;
  const double to_come = ratio < 1.0 ? std::min(as_before, ratio / (1.0 - ratio)) * now : as_before * now;
  return -to_come * (d2[i] > 0.0 ? 1.0 : -1.0) > 0.5 * std::abs(d2[i]);
}

/// The part of k that the points come nearer to.
static std::optional<std::size_t> shorter_cycle(std::span<const Vector> points, const Translations& translations,
                                                const StateSizes& sizes, std::size_t k) {
  for (std::size_t factor = 2; factor <= k; ++factor)
    if (k % factor == 0 && comes_together(points, translations, sizes, k, k / factor)) return k / factor;
  return std::nullopt;
}

/// Points that repeat to the tolerance may still move on, past the place where an orbit is about to appear (or has just gone), ever more
/// slowly and then ever faster: how far, in sizes, will they go in a run as long as this? As far as the last difference x_j − x_{j−k}
/// leads that becomes less by the factor that it has become less by over the last half of the points that repeat.
static double still_to_go(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
                          std::size_t k, std::size_t repeating) {
  const std::size_t rounds = repeating / (2 * k);
  const std::size_t last = points.size() - 1;
  const auto difference = [&](std::size_t j) { return translations.remainder(points[j] - points[j - k]); };
  const Vector before = difference(last - rounds * k);
  const Vector now = difference(last);
  double farthest = 0.0;
  for (Index i = 0; i < now.size(); ++i) {
    const double size = size_of(translations, sizes, i);
    if (std::abs(now[i]) <= sizes.unresolved[i] + 1e-8 * size) continue;
    const double ratio = now[i] / before[i];
    if (!(ratio > 0.0)) continue;  // it goes back and forth
    const double each = std::pow(ratio, 1.0 / static_cast<double>(rounds));
    const std::size_t whole_rounds = points.size() / k;
    const auto in_all = static_cast<double>(whole_rounds);
    const double times = each < 1.0 ? std::min(in_all, each / (1.0 - each)) : in_all;
    farthest = std::max(farthest, times * std::abs(now[i]) / size);
  }
  return farthest;
}

/// For how many points did the motion repeat before and then left what it had repeated?
static std::size_t repeated_before(std::span<const Vector> points, const Translations& translations,
                                   const StateSizes& sizes, std::size_t k) {
  constexpr double left = 1e3 * recurrence_tolerance;
  std::size_t longest = 0;
  std::size_t unbroken = 0;
  std::size_t until_now = 0;  // the longest stretch that may still be left
  for (std::size_t j = k; j < points.size(); ++j) {
    const double distance = state_distance(points[j], points[j - k], translations, sizes);
    unbroken = distance <= recurrence_tolerance ? unbroken + 1 : 0;
    until_now = std::max(until_now, unbroken);
    if (distance <= left) continue;
    longest = std::max(longest, until_now);
    until_now = 0;
  }
  return longest;
}

/// Why points that repeat after k, to the tolerance, may be those of a motion that does not: it passes slowly where an orbit is near.
static std::optional<std::string> passes(std::span<const Vector> points, const Translations& translations,
                                         const StateSizes& sizes, std::size_t k) {
  constexpr double far = 1e-3;
  const std::size_t now = repeating_points(points, translations, sizes, k);
  const std::size_t before = repeated_before(points, translations, sizes, k);
  if (before >= std::max(std::max<std::size_t>(3 * k, 8), now / 2))
    return fmt::format("the last {} points repeat after {}, but so did {} before, and then the motion left them", now,
                       k, before);
  const double way = still_to_go(points, translations, sizes, k, now);
  if (way > far)
    return fmt::format(
        "the section repeats after {} point{}, but moves on, by {:.1g} of its size in a run as long as this", k,
        k == 1 ? "" : "s", way);
  return std::nullopt;
}

/// Points that repeat, but not for long enough; or that come back so close, for the time of the run, that they may not move at all.
static std::optional<std::string> doubt_of(std::span<const Vector> points, const Translations& translations,
                                           const StateSizes& sizes) {
  constexpr std::size_t fewest = 8;
  constexpr double unfilled = 0.2;  // of a range: what points move that come back to their places once, over the run
  const std::size_t count = points.size();
  for (std::size_t k = 1; k + fewest <= count; ++k) {
    const double close =
        8 * k <= count ? std::max(recurrence_tolerance, unfilled / static_cast<double>(count)) : recurrence_tolerance;
    const std::size_t wanted = std::min(std::max(3 * k, fewest), count - k);
    if (repeating_points(points.last(wanted + k), translations, sizes, k, close) < wanted) continue;
    return fmt::format("the last {} points come back to {:.1g} of those {} before, which may be a period", wanted,
                       close, k);
  }
  return std::nullopt;
}

/// Points that do not repeat because the motion grows.
static std::optional<Recurrence> going_away(std::span<const Vector> points, const Translations& translations,
                                            const StateSizes& sizes) {
  const Growing away = growing(points, translations, sizes);
  if (away.second_half >= most_settled_growth)
    return Recurrence{.doubt = fmt::format("the motion grows, by e^{:.2g} in the second half of the run, and has not "
                                           "settled",
                                           away.second_half),
                      .grows = true};
  if (away.every_eighth && points.size() >= enough_points)
    return Recurrence{.doubt =
                          "the section goes further from where it began in every eighth of the run, as where a "
                          "motion grows, or has yet to settle"};
  return std::nullopt;
}

/// The computation is to be right to an error that is as large as the states themselves.
static bool is_unresolved(std::span<const Vector> points, const StateSizes& sizes) {
  constexpr double rounding = 1e-4;  // of what is not resolved: what a state at rest may move
  if (points.empty() || (sizes.size.array() <= rounding * sizes.unresolved.array()).all()) return false;
  return std::all_of(points.begin(), points.end(), [&](const Vector& x) {
    return ((x.cwiseAbs() + sizes.size).array() <= 10.0 * sizes.unresolved.array()).all();
  });
}

Recurrence recurrence_of(std::span<const Vector> points, const Translations& translations, const StateSizes& sizes,
                         std::size_t asked) {
  if (is_unresolved(points, sizes))
    return {std::nullopt,
            said("the motion is smaller than the absolute tolerance resolves: a smaller one is needed (⟨atol⟩)"),
            std::nullopt, true};
  const std::size_t longest = std::max(asked, points.size() / 4);
  for (std::size_t k = 1; k <= longest; ++k) {
    const std::size_t wanted = std::max<std::size_t>(3 * k, 8);
    if (points.size() < wanted + k) break;
    if (repeating_points(points.last(wanted + k), translations, sizes, k) < wanted) continue;
    const auto part = shorter_cycle(points, translations, sizes, k);
    if (!part) {
      if (auto doubt = passes(points, translations, sizes, k)) return {std::nullopt, std::move(doubt)};
      return {k};
    }
    return {std::nullopt,
            fmt::format("the section repeats after {} points, but they still come nearer to those {} before", k, *part),
            part};
  }
  if (auto away = going_away(points, translations, sizes)) return *away;
  return {std::nullopt, doubt_of(points, translations, sizes)};
}

std::string too_few_points(std::size_t count) {
  return fmt::format("{} point{} too few to see whether they repeat", count, count == 1 ? " is" : "s are");
}

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
