#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "saltus/analysis/hill/hill_equation.hpp"

namespace saltus {

/// The stiffness as a Fourier series, in the time πt/T in which its period is π:
///   (T/π)² g = Σ g_k e^{2ik πt/T},  g_{−k} = conj(g_k).
struct HillFourier {
  std::vector<std::complex<double>> g;  // g₀, g₁, …

  std::complex<double> operator[](long k) const;
  double mean() const { return g.front().real(); }
};

/// g₀ … g_{count−1} by Gauss's quadrature on the pieces of g.
HillFourier fourier_of(const HillEquation& equation, std::span<const double> p, std::size_t count);

/// First-order averaging about the resonance ω (the whole number next to √g₀): only the ω-th harmonic of g acts,
///   Δ = 2 (−1)^ω cosh(π μ),  μ = √(|g_ω|² − (ω² − g₀)²) / (2ω);
/// for Mathieu's equation and ω = 1 this is Leine 2012, eq. 73. There m₁ = ω. decay = aT/2.
struct HillAveraging {
  long resonance = 0;   // ω; 0 if g₀ is so small or negative that there is no oscillation to average
  bool excited = false; // |g_ω| > 0: else there is no parametric term at first order
  double discriminant = 0.0;
  double critical_restitution = 1.0;
};
HillAveraging averaging(const HillFourier& fourier, double decay = 0.0);

/// Hill's determinant D(0) of a central block, and Δ = 2 − 4 D(0) sin²(½π√g₀) (Leine 2012, eqs. 59-61 with the sign of 82).
/// The row next to an even resonance g₀ = (2k)² is not divided by g₀ − 4k², which sin² takes over: the limit is finite.
/// `block` is odd.
double determinant_discriminant(const HillFourier& fourier, long block);

/// The same to second order in the harmonics, as eq. 84 is: D(0) ≈ 1 − Σ_{j<l} |g_{l−j}|² / ((g₀ − 4j²)(g₀ − 4l²)). Nothing at an
/// even resonance, where this has no limit.
std::optional<double> second_order_discriminant(const HillFourier& fourier, long block);

/// A block of 2K + 1 rows misses Δ by about C K⁻³: what the blocks of K and 2K rows beside the centre say about K = ∞.
double extrapolated_discriminant(const HillFourier& fourier, long half);

/// Harmonics that a block needs: g₀ … g_{block−1}.
inline std::size_t harmonics_of_block(long block) { return static_cast<std::size_t>(block); }

}  // namespace saltus
