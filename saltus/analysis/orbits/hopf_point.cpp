#include "saltus/analysis/orbits/hopf_point.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int most_iterations = 40;

/// An equilibrium at a value of the parameter with the eigenvalues of its linearisation.
struct Equilibrium {
  Vector x;
  Eigen::VectorXcd eigenvalues;
};

class Equilibria {
 public:
  Equilibria(const OrbitSystem& system, const PlannedOrbit& small, Vector sizes)
      : system_(system), mode_(small.plan.segments.front().start_mode()), sizes_(std::move(sizes)) {}

  std::optional<Equilibrium> at(double p, Vector x) const {
    const ParameterPoint point = system_.rates.at(std::vector<double>{p});
    if (!point.problem.empty()) return std::nullopt;
    const Mechanism mechanism(system_.kernels, point.inputs);
    double before = 1e300;
    for (int i = 0; i < most_iterations; ++i) {
      const Vector rate = mechanism.field(0.0, x, mode_).rate;
      const Matrix A = jacobian(mechanism, x);
      if (!rate.allFinite() || !A.allFinite()) return std::nullopt;
      const LuFactors lu(A * sizes_.asDiagonal());
      if (!(lu.rcond() > 1e-15)) return std::nullopt;
      const Vector change = -lu.solve(rate);
      const double size = change.norm();
      if (!(size < 10.0)) return std::nullopt;
      x += change.cwiseProduct(sizes_);
      if (size < 1e-14 || (size < 1e-11 && size >= before))
        return Equilibrium{x, eigenvalues_of(jacobian(mechanism, x))};
      before = size;
    }
    return std::nullopt;
  }

 private:
  /// ∂F/∂x by central differences of fourth order: errors of about 1e-12 of its size.
  Matrix jacobian(const Mechanism& mechanism, const Vector& x) const {
    constexpr double step = 1e-3;
    const Index N = x.size();
    Matrix A(N, N);
    for (Index j = 0; j < N; ++j) {
      const auto moved = [&](double by) {
        return mechanism.field(0.0, x + by * step * sizes_[j] * Vector::Unit(N, j), mode_).rate;
      };
      A.col(j) = (8.0 * (moved(1.0) - moved(-1.0)) - (moved(2.0) - moved(-2.0))) / (12.0 * step * sizes_[j]);
    }
    return A;
  }

  const OrbitSystem& system_;
  Mode mode_;
  Vector sizes_;
};

/// The eigenvalue nearest to iω.
std::complex<double> oscillating(const Equilibrium& at, double omega) {
  std::complex<double> best = at.eigenvalues[0];
  for (const std::complex<double>& each : at.eigenvalues)
    if (std::abs(each - std::complex<double>(0.0, omega)) < std::abs(best - std::complex<double>(0.0, omega)))
      best = each;
  return best;
}

/// The mean of an orbit over time.
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

}  // namespace

std::optional<HopfPoint> hopf_near(const OrbitSystem& system, const PlannedOrbit& small, const Vector& sizes,
                                   double range) {
  const double omega = 2.0 * std::numbers::pi / std::accumulate(small.tau.begin(), small.tau.end(), 0.0);
  const Equilibria equilibria(system, small, sizes);
  double p_before = small.varied.back();
  auto before = equilibria.at(p_before, mean_of(system, small));
  if (!before) return std::nullopt;
  double p = p_before + 1e-6 * range;
  std::optional<Equilibrium> now;
  for (int i = 0; i < most_iterations; ++i) {
    now = equilibria.at(p, before->x);
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
  HopfPoint point{now->x, p, found, {}};
  bool left_out = false;
  for (const std::complex<double>& each : now->eigenvalues) {
    const bool trivial = !left_out && each == std::conj(critical);
    left_out = left_out || trivial;
    if (!trivial) point.multipliers.push_back(std::exp(each * (2.0 * std::numbers::pi / found)));
  }
  return point;
}

}  // namespace saltus
