#include "saltus/analysis/orbits/hopf_point.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "saltus/analysis/orbits/equilibrium.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int most_iterations = 40;

/// The eigenvalue nearest to iω.
std::complex<double> oscillating(const Equilibrium& at, double omega) {
  std::complex<double> best = at.eigenvalues[0];
  for (const std::complex<double>& each : at.eigenvalues)
    if (std::abs(each - std::complex<double>(0.0, omega)) < std::abs(best - std::complex<double>(0.0, omega)))
      best = each;
  return best;
}

}  // namespace

Vector mean_of(const OrbitSystem& system, const PlannedOrbit& orbit) {
  constexpr int count = 16;
  const ParameterPoint p = system.rates.at(orbit.varied);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  Vector x = orbit.x.front();
  Vector sum = Vector::Zero(x.size());
  const double step = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0) / count;
  for (int i = 0; i < count; ++i) {
    sum += x / count;
    const Segment piece = flow(i * step, x, orbit.plan.segments.front().mode, step, SegmentFlow::Watch::nothing);
    if (!piece.whole) return orbit.x.front();
    x = piece.x;
  }
  return sum;
}

HopfPoint hopf_point_of(const Vector& x, double parameter, const Eigen::VectorXcd& eigenvalues,
                        std::complex<double> critical) {
  HopfPoint point{x, parameter, critical.imag(), {}, {}};
  const double T = 2.0 * std::numbers::pi / critical.imag();
  bool left_out = false;
  for (const std::complex<double>& each : eigenvalues) {
    const bool trivial = !left_out && each == std::conj(critical);
    left_out = left_out || trivial;
    if (trivial) continue;
    point.multipliers.push_back(each == critical ? 1.0 : std::exp(each * T));
    point.multiplier_logs.push_back(each == critical ? 0.0 : each.real() * T);
  }
  return point;
}

std::optional<HopfPoint> hopf_near(const OrbitSystem& system, const PlannedOrbit& small, const Vector& sizes,
                                   double range) {
  const double omega = 2.0 * std::numbers::pi / std::accumulate(small.tau.begin(), small.tau.end(), 0.0);
  const auto equilibrium_at = [&](double p, const Vector& x) {
    std::vector<double> varied = small.varied;
    varied.back() = p;
    return equilibrium_near(system, small.plan.segments.front().start_mode(), varied, x, sizes);
  };
  double p_before = small.varied.back();
  auto before = equilibrium_at(p_before, mean_of(system, small));
  if (!before) return std::nullopt;
  double p = p_before + 1e-6 * range;
  std::optional<Equilibrium> now;
  for (int i = 0; i < most_iterations; ++i) {
    now = equilibrium_at(p, before->x);
    if (!now) return std::nullopt;
    const double growth = oscillating(*now, omega).real();
    const double change = -growth * (p - p_before) / (growth - oscillating(*before, omega).real());
    if (!std::isfinite(change) || std::abs(change) < 1e-14 * range) break;
    p_before = p;
    before = now;
    p += change;
    if (!(std::abs(p - small.varied.back()) < 0.1 * range)) return std::nullopt;
  }
  const std::complex<double> critical = oscillating(*now, omega);
  const double found = critical.imag();
  if (!(std::abs(critical.real()) < 1e-9 * omega) || !(std::abs(found - omega) < 0.1 * omega)) return std::nullopt;
  return hopf_point_of(now->x, p, now->eigenvalues, critical);
}

}  // namespace saltus
