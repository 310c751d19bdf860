#include "saltus/analysis/motions/signature.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double same_mean = 1e-4;   // relative to the size of the component
constexpr double same_rest_mean = 1e-2;   // the size of a state at rest is a thousandth of the way to it
constexpr double mean_doubt = 2e-2;  // irregular motions whose means differ less are not told apart
constexpr std::size_t batches = 8;

std::vector<double> means_of(std::span<const Vector> points, const Translations& translations) {
  std::vector<double> means(2 * static_cast<std::size_t>(points.front().size()), 0.0);
  for (const Vector& point : points) {
    const std::vector<double> numbers = translations.invariants(point);
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += numbers[i] / static_cast<double>(points.size());
  }
  return means;
}

/// By how much mean number i of two motions may differ: a part of the component's size, or what is not resolved; of its square
/// accordingly.
double allowed_size(const Signature& a, const Signature& b, std::size_t i, double part) {
  const std::size_t k = i / 2;
  if (k >= a.sizes.size() || k >= b.sizes.size()) return 0.0;
  const double allowed = std::max(part * std::max(a.sizes[k], b.sizes[k]), std::max(a.unresolved[k], b.unresolved[k]));
  if (i % 2 == 0) return allowed;
  const double largest = std::max({std::abs(a.means[i - 1]), std::abs(b.means[i - 1]), a.sizes[k], b.sizes[k]});
  return 2.0 * allowed * largest;
}

}  // namespace

void Signature::write(std::span<double> numbers) const {
  std::fill(numbers.begin(), numbers.end(), 0.0);
  numbers[0] = followed ? 1.0 : 0.0;
  numbers[1] = static_cast<double>(kind);
  numbers[2] = static_cast<double>(period);
  numbers[3] = impacts_per_unit_time;
  numbers[4] = sliding_fraction;
  auto at = std::copy(means.begin(), means.end(), numbers.begin() + 5);
  at = std::copy(errors.begin(), errors.end(), at);
  at = std::copy(sizes.begin(), sizes.end(), at);
  std::copy(unresolved.begin(), unresolved.end(), at);
}

Signature Signature::read(std::span<const double> numbers) {
  const std::size_t dimension = (numbers.size() - 5) / 6;
  Signature signature;
  signature.followed = numbers[0] == 1.0;
  if (!signature.followed) return signature;
  signature.kind = static_cast<MotionKind>(static_cast<int>(numbers[1]));
  signature.period = static_cast<std::size_t>(numbers[2]);
  signature.impacts_per_unit_time = numbers[3];
  signature.sliding_fraction = numbers[4];
  std::size_t from = 5;
  const auto next = [&](std::size_t count) {
    const auto part = numbers.subspan(from, count);
    from += count;
    return std::vector<double>(part.begin(), part.end());
  };
  signature.means = next(2 * dimension);
  signature.errors = next(2 * dimension);
  signature.sizes = next(dimension);
  signature.unresolved = next(dimension);
  return signature;
}

Signature signature_of(const LyapunovSpectrum& motion, const Translations& translations) {
  Signature signature;
  signature.followed = motion.outcome == Outcome::reached_end;
  // Whether a motion was seen often enough does not tell attractors apart.
  signature.kind = motion.verdict.kind == MotionKind::not_periodic ? MotionKind::undecided : motion.verdict.kind;
  signature.period = motion.verdict.period;
  signature.impacts_per_unit_time = motion.impacts_per_unit_time;
  signature.sliding_fraction = motion.sliding_fraction;
  std::span<const Vector> points = motion.section_points;
  const bool no_section = points.empty() || signature.kind == MotionKind::equilibrium;
  if (no_section) points = std::span(&motion.end.x, 1);
  else if (signature.period > 0) points = points.last(std::min(points.size(), signature.period));
  signature.means = means_of(points, translations);
  const auto of_state = [](const Vector& x) { return std::vector<double>(x.begin(), x.end()); };
  signature.sizes = of_state(motion.sizes.size);
  signature.unresolved = of_state(motion.sizes.unresolved);
  for (std::size_t i = 0; i < signature.sizes.size(); ++i)
    if (translations.is_turned(static_cast<Eigen::Index>(i)))
      signature.sizes[i] = std::min(signature.sizes[i], 1.0);  // cos and sin are compared
  signature.errors.assign(signature.means.size(), 0.0);
  if (signature.period > 0 || points.size() < 2 * batches) return signature;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t from = points.size() * b / batches;
    const std::vector<double> part =
        means_of(points.subspan(from, points.size() * (b + 1) / batches - from), translations);
    for (std::size_t i = 0; i < part.size(); ++i)
      signature.errors[i] += (part[i] - signature.means[i]) * (part[i] - signature.means[i]);
  }
  for (double& error : signature.errors) error = std::sqrt(error / static_cast<double>(batches * (batches - 1)));
  return signature;
}

bool is_irregular(const Signature& signature) {
  return signature.kind != MotionKind::periodic && signature.kind != MotionKind::equilibrium;
}

bool same_attractor(const Signature& a, const Signature& b) {
  if (a.kind != b.kind || a.period != b.period) return false;
  const bool regular = !is_irregular(a);
  for (std::size_t i = 0; i < a.means.size(); ++i) {
    const double part = !regular ? mean_doubt : a.kind == MotionKind::equilibrium ? same_rest_mean : same_mean;
    const double size = allowed_size(a, b, i, part);
    const double allowed = regular ? size : std::max(6.0 * std::hypot(a.errors[i], b.errors[i]), size);
    if (!(std::abs(a.means[i] - b.means[i]) <= allowed)) return false;
  }
  const double impacts = std::max(a.impacts_per_unit_time, b.impacts_per_unit_time);
  return std::abs(a.impacts_per_unit_time - b.impacts_per_unit_time) <= 0.2 * impacts;
}

std::optional<std::size_t> AttractorList::find(const Signature& signature) const {
  if (!signature.followed) return std::nullopt;
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return same_attractor(signature, entry.signature); });
  if (found == entries_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries_.begin());
}

std::optional<std::size_t> AttractorList::label(const Signature& signature, std::size_t point) {
  auto found = find(signature);
  if (!found && signature.followed && entries_.size() < most) {
    entries_.push_back({signature, point});
    found = entries_.size() - 1;
  }
  if (found) ++entries_[*found].count;
  return found;
}

}  // namespace saltus
