#pragma once

#include <array>
#include <complex>
#include <optional>
#include <string_view>
#include <vector>

#include "saltus/analysis/hill/hill_equation.hpp"

namespace saltus {

/// What the stop x ≥ 0, ẋ⁺ = −ε ẋ⁻, makes of Hill's equation (Leine 2012, Theorem 2). In the long run a motion meets the
/// stop ρ times per period, so its size changes per period by the factor  |λ₁| e^{−aT/2} ε^ρ.
struct HillStability {
  double discriminant = 0.0;  // Δ = trace Φ_T
  double discriminant_excess = 0.0;  // Δ² − 4 = (y₁ − ẏ₂)² + 4 y₂ ẏ₁: keeps its digits near |Δ| = 2
  std::array<std::complex<double>, 2> multipliers;  // λ₁, λ₂ of Φ_T, |λ₁| ≥ |λ₂|; damping takes e^{−aT/2} from both
  long zeros = 0;  // n
  std::optional<long> m1;  // zeros per period of the growing solution; only if |Δ| > 2
  double impacts_per_period = 0.0;  // ρ: m₁, or the rotation number if |Δ| ≤ 2
  double log_growth = 0.0;  // ln |λ₁| − aT/2
  double critical_restitution = 0.0;  // ε_c: x = 0 is asymptotically stable for ε < ε_c; 0: for no ε
};

HillStability stability_of(const HillSolution& solution);

/// What x = 0 is without the stop: by |λ₁| e^{−aT/2} against 1. Where that is 1: stable if the multipliers are different, else on a
/// boundary of stability.
enum class HillFreeVerdict { stable, boundary, unstable };
HillFreeVerdict verdict_without_stop(const HillStability& stability);

/// The stability from an approximate discriminant, with n known and decay = aT/2.
HillStability stability_of(double discriminant, long zeros, double decay);

/// Factor by which a motion grows per period in the long run: e^{log_growth} ε^ρ. With ε = 0 and ρ > 0 it is 0.
double growth_per_period(const HillStability& stability, double restitution);

enum class HillVerdict { asymptotically_stable, marginal, unstable };
std::string_view name_of(HillVerdict verdict);
HillVerdict verdict_for(const HillStability& stability, double restitution);

/// The two halves D₁ (angle above θ_c) and D₂ of the states after an impact, x ≥ 0: in D₁ the stop is met n times in the
/// next period, in D₂ n + 1 times.
enum class HillCone { first, second };

/// An eigenvector of the period map, of unit length, with x ≥ 0.
struct HillDirection {
  double multiplier = 0.0;  // of e^{−aT/2} Φ_T
  Eigen::Vector2d v;
  double angle = 0.0;  // in (−π/2, π/2]
  HillCone cone = HillCone::first;
};

/// x(t + T) = A₁ x(t) in D₁, A₂ x(t) in D₂ (Leine 2012, eq. 38), of (x, ẋ) with damping and all:
///   A₁ = (−ε)ⁿ Φ,  A₂ = −ε A₁,  Φ = e^{−aT/2} S Φ_T S⁻¹,  S = [1 0; −a/2 1].
struct HillMap {
  Eigen::Matrix2d phi, A1, A2;
  double theta_c = 0.0;  // −arctan(y₁/y₂) for a = 0; −π/2 where y₂(T) = 0
  std::vector<HillDirection> directions;  // two if |Δ| > 2, else none

  HillCone cone_of(const Eigen::Vector2d& x) const;
  Eigen::Vector2d operator()(const Eigen::Vector2d& x) const;
};

HillMap poincare_map(const HillSolution& solution, double restitution);

/// q ↦ Δ − 1/q, the map of q = y₁(T) + y₂(T) tan θ over a period (eq. 40); its fixed points are λ₁ and λ₂.
inline double hill_angle_map(double discriminant, double q) { return discriminant - 1.0 / q; }

}  // namespace saltus
