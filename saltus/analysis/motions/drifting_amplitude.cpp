#include "saltus/analysis/motions/drifting_amplitude.hpp"

#include <array>
#include <cmath>

namespace saltus {
namespace {

constexpr double same_gain = 1e-9;  // relative to the values whose differences are compared
constexpr double no = std::numeric_limits<double>::quiet_NaN();

/// The state itself, and two beside it that no symmetry distinguishes.
std::array<Vector, 3> places_beside(const Vector& x) {
  std::array<Vector, 3> places = {x, x, x};
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double size = 0.1 * (1.0 + std::abs(x[i]));
    places[1][i] += size * std::sin(1.0 + 2.3 * static_cast<double>(i));
    places[2][i] += size * std::cos(0.7 + 1.9 * static_cast<double>(i));
  }
  return places;
}

}  // namespace

std::optional<double> gain_along(const Mechanism& mechanism, double t, const Vector& x, const Vector& shift) {
  std::optional<double> gain;
  for (const Vector& place : places_beside(x)) {
    const double here = mechanism.observe(t, place)[0];
    for (const double n : {1.0, 2.0, 3.0}) {
      const double there = mechanism.observe(t, place + n * shift)[0];
      // Beside the motion w need not be defined.
      if (!std::isfinite(here) || !std::isfinite(there)) continue;
      const double each = (there - here) / n;
      if (!gain) gain = each;
      if (std::abs(each - *gain) > same_gain * (std::abs(here) + std::abs(there))) return std::nullopt;
    }
  }
  return gain;
}

bool follows_drift(const Mechanism& mechanism, double t, const Vector& x, const Matrix& cyclic) {
  for (Eigen::Index k = 0; k < cyclic.cols(); ++k)
    for (const Vector& place : places_beside(x)) {
      const double here = mechanism.observe(t, place)[0];
      const double there = mechanism.observe(t, place + cyclic.col(k))[0];
      if (std::abs(there - here) > same_gain * (std::abs(here) + std::abs(there))) return true;
    }
  return false;
}

std::optional<Amplitudes> amplitudes_of_period(const Kernels& kernels, const std::vector<double>& parameters,
                                               const ObservedQuantity& quantity, double t, const Vector& x,
                                               const Vector& shift,
                                               const std::function<bool(PathFollower&)>& go_round) {
  const auto measured = [&](double slope) -> std::optional<AmplitudeMeter> {
    QuantityMeter meter(kernels, parameters, quantity, AmplitudeMeter(slope));
    if (!go_round(meter)) return std::nullopt;
    meter.keep();
    return meter.meter();
  };
  const auto gain = gain_along(Mechanism(kernels, parameters), t, x, shift);
  if (!gain) return Amplitudes{no, no, no, no, no};
  const auto plain = measured(0.0);
  if (!plain) return std::nullopt;
  const Amplitudes whole = plain->amplitudes();
  if (std::abs(*gain) <= same_gain * std::max(std::abs(whole.largest), std::abs(whole.smallest))) return whole;
  const auto level = measured(*gain / plain->time());
  if (!level) return std::nullopt;
  const Amplitudes left = level->amplitudes();
  return Amplitudes{left.steady, left.effective, no, no, no};
}

}  // namespace saltus
