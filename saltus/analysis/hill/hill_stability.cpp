#include "saltus/analysis/hill/hill_stability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace saltus {
namespace {

double alternating(long n) { return n % 2 == 0 ? 1.0 : -1.0; }

/// Δ² − 4, and the size below which rounding decides on which side of |Δ| = 2 a point stands.
struct Excess {
  double value, doubt;
};

/// (y₁ − ẏ₂)² + 4 y₂ ẏ₁ keeps its digits where y₂ or ẏ₁ is small, as at the boundaries of an even g; where Φ_T is large but
/// its trace is not, the plain difference is the better one.
Excess excess_of(const HillSolution& s) {
  const Eigen::Matrix2d& phi = s.monodromy;
  const double eps = std::numeric_limits<double>::epsilon();
  const double rounding = 16.0 * eps * (1.0 + s.frequency * s.period) * s.size;
  const double asymmetry = phi(0, 0) - phi(1, 1);
  const double by_product =
      rounding * (std::abs(asymmetry) + s.frequency * std::abs(phi(0, 1)) + std::abs(phi(1, 0)) / s.frequency);
  const double trace = phi.trace();
  const double by_trace = rounding * std::abs(trace);
  if (by_product <= 4.0 * by_trace) return {asymmetry * asymmetry + 4.0 * phi(0, 1) * phi(1, 0), by_product};
  return {(trace - 2.0) * (trace + 2.0), by_trace};
}

/// ε with  growth · ε^ρ = 1, within [0, 1].
double critical(double log_growth, double rho) {
  if (rho == 0.0) return log_growth < 0.0 ? 1.0 : 0.0;
  return std::min(1.0, std::exp(-log_growth / rho));
}

/// Theorem 2; decay = aT/2.
HillStability judged(double discriminant, const Excess& excess, long zeros, double decay) {
  HillStability result;
  result.zeros = zeros;
  result.discriminant = discriminant;
  result.discriminant_excess = excess.value;
  const double sign = discriminant < 0.0 ? -1.0 : 1.0;
  // Which of n and n + 1 zeros the eigensolutions have follows from the parity: λ₁ > 0 for an even number.
  const long m = alternating(zeros) * sign > 0.0 ? zeros : zeros + 1;
  double log_lambda = 0.0;
  if (excess.value > excess.doubt) {
    log_lambda = std::asinh(std::sqrt(excess.value) / 2.0);
    result.m1 = m;
    result.impacts_per_period = static_cast<double>(m);
    result.multipliers = {sign * std::exp(log_lambda), sign * std::exp(-log_lambda)};
  } else if (excess.value >= -excess.doubt) {
    result.impacts_per_period = static_cast<double>(m);
    result.multipliers = {sign, sign};
  } else {
    const double half = std::sqrt(-excess.value) / 2.0;
    const double turn = std::atan2(half, discriminant / 2.0);  // its cosine is Δ/2
    result.multipliers = {std::complex(discriminant / 2.0, half), std::complex(discriminant / 2.0, -half)};
    const double rest = alternating(zeros) > 0.0 ? turn : std::numbers::pi - turn;
    result.impacts_per_period = static_cast<double>(zeros) + rest / std::numbers::pi;
  }
  result.log_growth = log_lambda - decay;
  result.critical_restitution = critical(result.log_growth, result.impacts_per_period);
  return result;
}

/// The angle of (x, ẋ) turned so that x ≥ 0, in (−π/2, π/2].
double angle_of(const Eigen::Vector2d& v) { return std::atan2(v[1], v[0]); }

Eigen::Vector2d in_half_plane(Eigen::Vector2d v) {
  v.normalize();
  if (v[0] < 0.0 || (v[0] == 0.0 && v[1] < 0.0)) v = -v;
  return v;
}

/// (Φ − λ) v = 0 by the larger of the rows.
Eigen::Vector2d eigenvector(const Eigen::Matrix2d& phi, double lambda) {
  const Eigen::Vector2d first(phi(0, 1), lambda - phi(0, 0));
  const Eigen::Vector2d second(lambda - phi(1, 1), phi(1, 0));
  return in_half_plane(first.norm() >= second.norm() ? first : second);
}

}  // namespace

HillStability stability_of(const HillSolution& s) {
  return judged(s.monodromy.trace(), excess_of(s), s.zeros, 0.5 * s.damping * s.period);
}

HillStability stability_of(double discriminant, long zeros, double decay) {
  return judged(discriminant, {(discriminant - 2.0) * (discriminant + 2.0), 0.0}, zeros, decay);
}

HillFreeVerdict verdict_without_stop(const HillStability& stability) {
  if (stability.log_growth > 0.0) return HillFreeVerdict::unstable;
  const bool repeated = stability.multipliers[0] == stability.multipliers[1];
  return stability.log_growth == 0.0 && repeated ? HillFreeVerdict::boundary : HillFreeVerdict::stable;
}

double growth_per_period(const HillStability& stability, double restitution) {
  const double rho = stability.impacts_per_period;
  return std::exp(stability.log_growth) * (rho == 0.0 ? 1.0 : std::pow(restitution, rho));
}

std::string_view name_of(HillVerdict verdict) {
  switch (verdict) {
    case HillVerdict::asymptotically_stable: return "asymptotically stable";
    case HillVerdict::marginal: return "marginal";
    case HillVerdict::unstable: return "unstable";
  }
  return "";
}

HillVerdict verdict_for(const HillStability& stability, double restitution) {
  const double growth = growth_per_period(stability, restitution);
  if (growth < 1.0) return HillVerdict::asymptotically_stable;
  // On the boundary of the zeroth domain nothing meets the stop, and a solution grows like t (Leine 2012, Prop. 10).
  const bool grows_slowly = growth == 1.0 && !stability.m1 && stability.impacts_per_period == 0.0;
  return growth > 1.0 || grows_slowly ? HillVerdict::unstable : HillVerdict::marginal;
}

HillCone HillMap::cone_of(const Eigen::Vector2d& x) const {
  return angle_of(x) > theta_c ? HillCone::first : HillCone::second;
}

Eigen::Vector2d HillMap::operator()(const Eigen::Vector2d& x) const {
  return cone_of(x) == HillCone::first ? A1 * x : A2 * x;
}

HillMap poincare_map(const HillSolution& s, double restitution) {
  HillMap map;
  Eigen::Matrix2d S;
  S << 1.0, 0.0, -0.5 * s.damping, 1.0;
  map.phi = std::exp(-0.5 * s.damping * s.period) * (S * s.monodromy * S.inverse());
  map.A1 = std::pow(restitution, s.zeros) * alternating(s.zeros) * map.phi;
  map.A2 = -restitution * map.A1;
  // A zero of y₂ at the end: cot ψ(T) = +∞ (Leine 2012, remark on Proposition 3).
  map.theta_c = s.zero_at_end ? -std::numbers::pi / 2.0 : -std::atan(map.phi(0, 0) / map.phi(0, 1));
  const HillStability stability = stability_of(s);
  if (!stability.m1) return map;
  const double decay = std::exp(-0.5 * s.damping * s.period);
  for (const std::complex<double>& lambda : stability.multipliers) {
    HillDirection direction;
    direction.multiplier = decay * lambda.real();
    direction.v = eigenvector(map.phi, direction.multiplier);
    direction.angle = angle_of(direction.v);
    direction.cone = *stability.m1 == s.zeros ? HillCone::first : HillCone::second;  // eq. 42
    map.directions.push_back(direction);
  }
  return map;
}

}  // namespace saltus
