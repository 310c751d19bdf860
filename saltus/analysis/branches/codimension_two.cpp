#include "saltus/analysis/branches/codimension_two.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/analysis/branches/normal_form.hpp"

namespace saltus {
namespace {

using Multipliers = std::vector<std::complex<double>>;

/// Π (1 − μ z̄) with z = ±1, each factor beside what it may reach.
double product(const Multipliers& multipliers, double z) {
  std::complex<double> all = 1.0;
  for (const auto& mu : multipliers) all *= (1.0 - z * mu) / (1.0 + std::abs(mu));
  return all.real();
}

/// The derivative of Π (z − μ) where one factor vanishes: zero where a second one does.
double second_zero(const Multipliers& multipliers, double z) {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < multipliers.size(); ++i) {
    Multipliers others = multipliers;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    sum += product(others, z) / (1.0 + std::abs(multipliers[i]));
  }
  return sum.real();
}

Multipliers without_nearest(Multipliers multipliers, std::complex<double> to) {
  const auto nearer = [&](const auto& a, const auto& b) { return std::abs(a - to) < std::abs(b - to); };
  const auto nearest = std::min_element(multipliers.begin(), multipliers.end(), nearer);
  if (nearest != multipliers.end()) multipliers.erase(nearest);
  return multipliers;
}

/// e^{iθ} with 2 cos θ = sum.
std::complex<double> point_of_circle(double sum) {
  return {0.5 * sum, std::sqrt(std::max(0.0, 1.0 - 0.25 * sum * sum))};
}

Multipliers without_pair(const Multipliers& multipliers) {
  const std::complex<double> mu = point_of_circle(sum_of_pair(multipliers));
  return without_nearest(without_nearest(multipliers, mu), std::conj(mu));
}

/// Π_{i<j} (1 − μᵢμⱼ).
double pairs_product(const Multipliers& multipliers) {
  std::complex<double> all = 1.0;
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto pair = multipliers[i] * multipliers[j];
      all *= (1.0 - pair) / (1.0 + std::abs(pair));
    }
  return multipliers.size() < 2 ? std::nan("") : all.real();
}

/// A root of multiplicity two moves with the square root of what disturbs it.
constexpr double beside = 1e-3;

std::size_t count_near(const Multipliers& multipliers, std::complex<double> to) {
  return static_cast<std::size_t>(std::count_if(multipliers.begin(), multipliers.end(),
                                                [&](const auto& mu) { return std::abs(mu - to) < beside; }));
}

bool has_pair(const Multipliers& multipliers) {
  return std::any_of(multipliers.begin(), multipliers.end(),
                     [](const auto& mu) { return mu.imag() > beside && std::abs(std::abs(mu) - 1.0) < beside; });
}

double or_unknown(const std::optional<double>& value) { return value.value_or(std::nan("")); }

}  // namespace

double sum_of_pair(const Multipliers& multipliers) {
  double sum = std::nan("");
  double nearest = 1e300;
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = std::abs(1.0 - multipliers[i] * multipliers[j]);
      if (apart >= nearest) continue;
      nearest = apart;
      sum = (multipliers[i] + multipliers[j]).real();
    }
  return sum;
}

std::vector<SpecialKind> codimension_kinds(SpecialKind curve) {
  using enum SpecialKind;
  switch (curve) {
    case fold: return {cusp, resonance_11, fold_flip, fold_torus};
    case period_doubling: return {generalized_doubling, resonance_12, fold_flip, flip_torus};
    case torus:
      return {resonance_11, resonance_12, resonance_13, resonance_14, degenerate_torus, fold_torus, flip_torus};
    case grazing: return {fold, period_doubling, torus};
    default: return {};
  }
}

std::vector<double> codimension_tests(const HybridOrbit& orbits, const Vector& y, SpecialKind curve,
                                      const Multipliers& multipliers) {
  using enum SpecialKind;
  if (multipliers.empty()) return std::vector<double>(codimension_kinds(curve).size(), std::nan(""));
  switch (curve) {
    case fold:
      return {or_unknown(fold_coefficient(orbits, y)), second_zero(multipliers, 1.0), product(multipliers, -1.0),
              pairs_product(without_nearest(multipliers, 1.0))};
    case period_doubling:
      return {or_unknown(doubling_coefficient(orbits, y)), second_zero(multipliers, -1.0), product(multipliers, 1.0),
              pairs_product(without_nearest(multipliers, -1.0))};
    case torus: {
      const double sum = sum_of_pair(multipliers);
      const Multipliers others = without_pair(multipliers);
      const auto coefficient = std::abs(sum) < 2.0 ? torus_coefficient(orbits, y, point_of_circle(sum)) : std::nullopt;
      const double none = others.empty() ? std::nan("") : 0.0;
      return {2.0 - sum,
              2.0 + sum,
              1.0 + sum,
              sum,
              or_unknown(coefficient),
              none + product(others, 1.0),
              none + product(others, -1.0)};
    }
    case grazing: return {product(multipliers, 1.0), product(multipliers, -1.0), pairs_product(multipliers)};
    default: return {};
  }
}

bool fits_multipliers(SpecialKind kind, const Multipliers& multipliers) {
  using enum SpecialKind;
  switch (kind) {
    case resonance_11: return count_near(multipliers, 1.0) >= 2;
    case resonance_12: return count_near(multipliers, -1.0) >= 2;
    case fold_flip: return count_near(multipliers, 1.0) > 0 && count_near(multipliers, -1.0) > 0;
    case fold_torus: return count_near(multipliers, 1.0) > 0 && has_pair(multipliers);
    case flip_torus: return count_near(multipliers, -1.0) > 0 && has_pair(multipliers);
    case fold: return count_near(multipliers, 1.0) > 0;
    case period_doubling: return count_near(multipliers, -1.0) > 0;
    case torus: return has_pair(multipliers);
    default: return true;
  }
}

bool ends_curve(SpecialKind curve, SpecialKind met) {
  using enum SpecialKind;
  return curve == torus && (met == resonance_11 || met == resonance_12);
}

std::string codimension_words(SpecialKind curve, SpecialKind met) {
  using enum SpecialKind;
  if (curve == torus && met == resonance_11)
    return "the pair of multipliers meets at 1, a 1:1 resonance: beyond, two real ones have the product 1";
  if (curve == torus && met == resonance_12)
    return "the pair of multipliers meets at -1, a 1:2 resonance: beyond, two real ones have the product 1";
  switch (met) {
    case cusp: return "two folds meet and end here";
    case resonance_11: return "a second multiplier 1: a curve of Neimark-Sacker points begins here";
    case resonance_12: return "a second multiplier -1: a curve of Neimark-Sacker points begins here";
    case resonance_13: return "multipliers exp(2 pi i/3): orbits of three times the period are beside it";
    case resonance_14: return "multipliers i and -i: orbits of four times the period are beside it";
    case fold_flip: return "multipliers 1 and -1";
    case generalized_doubling:
      return "the cubic coefficient vanishes: the doubled orbits change sides, and their folds begin here";
    case degenerate_torus:
      return "the cubic coefficient vanishes: the torus changes sides, and folds of tori begin here";
    case fold_torus: return "a multiplier 1 beside a pair on the unit circle";
    case flip_torus: return "a multiplier -1 beside a pair on the unit circle";
    case fold: return "the orbit without the impact folds here: multiplier 1";
    case period_doubling: return "the orbit without the impact doubles its period here: multiplier -1";
    case torus: return "the orbit without the impact has a pair on the unit circle here";
    default: return "";
  }
}

}  // namespace saltus
