#include "saltus/analysis/orbits/critical_multipliers.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double on_circle = 1e-4;   // |μ − 1|, |μ + 1| of a located LP or PD, times what large multipliers spoil
constexpr double equal_to = 1e-6;    // the same of several
constexpr double complex_part = 1e-7;

}  // namespace

bool has_multiplier(const Multipliers& multipliers, double wanted) {
  double largest = 1.0;
  for (const auto& mu : multipliers) largest = std::max(largest, std::abs(mu));
  const double near = std::min(0.1, on_circle * std::sqrt(largest));
  return std::any_of(multipliers.begin(), multipliers.end(),
                     [&](const std::complex<double>& mu) { return std::abs(mu - wanted) < near; });
}

std::size_t count_of_multiplier(const Multipliers& multipliers, double wanted) {
  const auto count = std::count_if(multipliers.begin(), multipliers.end(),
                                   [&](const std::complex<double>& mu) { return std::abs(mu - wanted) < equal_to; });
  return static_cast<std::size_t>(count);
}

std::optional<double> real_near(const Multipliers& multipliers, double wanted) {
  std::optional<double> best;
  for (const auto& mu : multipliers)
    if (mu.imag() == 0.0 && (!best || std::abs(mu.real() - wanted) < std::abs(*best - wanted))) best = mu.real();
  return best;
}

std::size_t count_beyond(double wanted, const Multipliers& multipliers) {
  const auto count = std::count_if(multipliers.begin(), multipliers.end(), [&](const std::complex<double>& mu) {
    return mu.imag() == 0.0 && mu.real() * wanted > 1.0;
  });
  return static_cast<std::size_t>(count);
}

std::optional<std::complex<double>> unit_pair(const Multipliers& multipliers) {
  std::optional<std::complex<double>> best;
  for (const auto& mu : multipliers)
    if (mu.imag() > complex_part && (!best || std::abs(std::abs(mu) - 1.0) < std::abs(std::abs(*best) - 1.0)))
      best = mu;
  return best && std::abs(std::abs(*best) - 1.0) < 1e-5 ? best : std::nullopt;
}

bool product_is_critical(const Multipliers& multipliers) {
  return unit_pair(multipliers) || count_of_multiplier(multipliers, 1.0) > 1 ||
         count_of_multiplier(multipliers, -1.0) > 1;
}

}  // namespace saltus
