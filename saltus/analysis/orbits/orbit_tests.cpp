#include <cmath>

#include "saltus/analysis/orbits/critical_multipliers.hpp"
#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

std::vector<double> HybridOrbit::tests(const Vector& y) const {
  const double unknown = std::nan("");
  const OrbitReport& at = report(y);
  std::vector<double> values(test_count, unknown);
  if (!at.whole) return values;
  if (!at.multipliers.empty()) {
    std::complex<double> doubling = 1.0, torus = 1.0;
    for (std::size_t i = 0; i < at.multipliers.size(); ++i) {
      const auto& mu = at.multipliers[i];
      doubling *= 1.0 + mu;
      for (std::size_t j = 0; j < i; ++j) {
        const auto product = mu * at.multipliers[j];
        torus *= (1.0 - product) / (1.0 + std::abs(product));
      }
    }
    values[period_doubling_test] = doubling.real();
    values[torus_test] = torus.real();
  }
  if (runs_twice(plan_)) values[halves_test] = difference_of_halves(y);
  for (const Test test : brink_tests) {
    const auto smallest = brink(y, test);
    values[test] = smallest ? smallest->value : unknown;
  }
  return values;
}

bool HybridOrbit::is_special(std::size_t test, const Vector& y) const {
  const OrbitReport& at = report(y);
  if (test == period_doubling_test) return has_multiplier(at.multipliers, -1.0);
  return test != torus_test || product_is_critical(at.multipliers);
}

std::optional<std::size_t> HybridOrbit::unstable_directions(const Vector& y) const {
  const OrbitReport& at = report(y);
  if (!at.whole || at.multipliers.empty()) return std::nullopt;
  std::size_t outside = 0;
  for (const auto& mu : at.multipliers) {
    if (std::abs(std::abs(mu) - 1.0) < 1e-5) return std::nullopt;
    if (std::abs(mu) > 1.0) ++outside;
  }
  return outside;
}

std::optional<CurveProblem::Parity> HybridOrbit::parity(const Vector& y) const {
  const OrbitReport& at = report(y);
  if (!at.whole || at.multipliers.empty()) return std::nullopt;
  Parity parity;
  for (const auto& mu : at.multipliers) {
    if (std::abs(std::abs(mu.real()) - 1.0) < 1e-5 && std::abs(mu.imag()) < 1e-2) return std::nullopt;
    if (mu.imag() != 0.0) continue;
    if (mu.real() > 1.0) parity.turn = !parity.turn;
    if (mu.real() < -1.0) parity.flip = !parity.flip;
  }
  return parity;
}

}  // namespace saltus
