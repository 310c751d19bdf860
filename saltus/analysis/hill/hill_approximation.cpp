#include "saltus/analysis/hill/hill_approximation.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace saltus {
namespace {

using std::numbers::pi;

/// Gauss's quadrature with five nodes on (−1, 1).
constexpr std::array<double, 5> gauss_nodes = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                               0.9061798459386640};
constexpr std::array<double, 5> weights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                           0.4786286704993665, 0.2369268850561891};

/// sin²(½πx)/x^r-like factor: sin²(½π√g₀) / (g₀ − 4k²)^r with r = 2 for k > 0, r = 1 for k = 0; finite everywhere.
double sine_over_resonance(double g0, long k) {
  if (g0 < 0.0) {  // only k = 0 is next to a negative g₀
    const double s = std::sinh(0.5 * pi * std::sqrt(-g0));
    return s * s / -g0;
  }
  const double x = std::sqrt(g0);
  const double detuning = 0.5 * pi * (x - 2.0 * static_cast<double>(k));
  const double sinc = detuning == 0.0 ? 1.0 : std::sin(detuning) / detuning;
  const double ratio = 0.5 * pi * sinc;  // sin(½π(x − 2k)) / (x − 2k)
  const double sum = x + 2.0 * static_cast<double>(k);
  return k == 0 ? ratio * ratio : ratio * ratio / (sum * sum);
}

/// k of the even resonance (2k)² next to g₀.
long nearest_even(double g0) { return g0 <= 0.0 ? 0 : std::lround(0.5 * std::sqrt(g0)); }

double divisor(double g0, long k) {
  const auto row = static_cast<double>(k);
  return g0 - 4.0 * row * row;
}

}  // namespace

std::complex<double> HillFourier::operator[](long k) const {
  const auto i = static_cast<std::size_t>(std::abs(k));
  if (i >= g.size()) return 0.0;
  return k < 0 ? std::conj(g[i]) : g[i];
}

HillFourier fourier_of(const HillEquation& equation, std::span<const double> p, std::size_t count) {
  const double T = equation.numbers(p).period;
  const std::vector<double> ends = equation.pieces(p);
  HillFourier result{std::vector<std::complex<double>>(count, 0.0)};
  // Panels short against the fastest harmonic: half a radian each, where five nodes give all digits.
  const double panels_per_period = std::max(128.0, 4.0 * pi * static_cast<double>(count));
  for (std::size_t piece = 0; piece + 1 < ends.size(); ++piece) {
    const double length = ends[piece + 1] - ends[piece];
    const long panels = std::max(1L, static_cast<long>(std::ceil(panels_per_period * length / T)));
    const double width = length / static_cast<double>(panels);
    for (long panel = 0; panel < panels; ++panel) {
      const double middle = ends[piece] + (static_cast<double>(panel) + 0.5) * width;
      for (std::size_t i = 0; i < gauss_nodes.size(); ++i) {
        const double t = middle + 0.5 * width * gauss_nodes[i];
        const double value = 0.5 * width * weights[i] * equation.stiffness(t, p);
        const std::complex<double> turn = std::polar(1.0, -2.0 * pi * t / T);
        std::complex<double> harmonic = 1.0;
        for (std::complex<double>& g : result.g) {
          g += value * harmonic;
          harmonic *= turn;
        }
      }
    }
  }
  for (std::complex<double>& g : result.g) g *= T / (pi * pi);  // (T/π)² / T
  return result;
}

HillAveraging averaging(const HillFourier& fourier, double decay) {
  HillAveraging result;
  const double g0 = fourier.mean();
  if (g0 > 0.0) result.resonance = std::lround(std::sqrt(g0));
  if (result.resonance == 0) return result;
  const double harmonic = std::abs(fourier[result.resonance]);
  double largest = std::abs(g0);
  for (const std::complex<double>& g : fourier.g) largest = std::max(largest, std::abs(g));
  result.excited = harmonic > 1e-12 * largest;  // what quadrature leaves of a harmonic that is not there is less
  if (!result.excited) return result;
  const auto omega = static_cast<double>(result.resonance);
  const double mu_squared = (harmonic * harmonic - std::pow(omega * omega - g0, 2)) / (4.0 * omega * omega);
  const double sign = result.resonance % 2 == 0 ? 1.0 : -1.0;
  result.discriminant =
      2.0 * sign * (mu_squared >= 0.0 ? std::cosh(pi * std::sqrt(mu_squared)) : std::cos(pi * std::sqrt(-mu_squared)));
  const double log_growth = pi * std::sqrt(std::max(0.0, mu_squared)) - decay;
  result.critical_restitution = std::min(1.0, std::exp(-log_growth / omega));  // m₁ = ω
  return result;
}

double determinant_discriminant(const HillFourier& fourier, long block) {
  assert(block >= 1 && block % 2 == 1);
  const double g0 = fourier.mean();
  const long resonant = nearest_even(g0);
  const long half = block / 2;
  Eigen::MatrixXcd H(block, block);
  double factor = sine_over_resonance(g0, resonant);
  for (long k = -half; k <= half; ++k) {
    const bool divided = std::abs(k) != resonant;
    for (long l = -half; l <= half; ++l)
      H(k + half, l + half) = k == l ? std::complex<double>(divided ? 1.0 : divisor(g0, k))
                                     : fourier[l - k] / (divided ? divisor(g0, k) : 1.0);
  }
  // A block too small to hold the resonant rows: they are rows of the identity, times what they were not divided by.
  if (resonant > half) factor *= std::pow(divisor(g0, resonant), 2);
  return 2.0 - 4.0 * factor * H.determinant().real();
}

std::optional<double> second_order_discriminant(const HillFourier& fourier, long block) {
  const double g0 = fourier.mean();
  const double from_resonance = std::abs(divisor(g0, nearest_even(g0)));
  if (from_resonance < 1e-6 * std::max(1.0, std::abs(g0))) return std::nullopt;
  const long half = block / 2;
  double D = 1.0;
  for (long j = -half; j <= half; ++j)
    for (long l = j + 1; l <= half; ++l) D -= std::norm(fourier[l - j]) / (divisor(g0, j) * divisor(g0, l));
  const double s2 =
      g0 >= 0.0 ? std::pow(std::sin(0.5 * pi * std::sqrt(g0)), 2) : -std::pow(std::sinh(0.5 * pi * std::sqrt(-g0)), 2);
  return 2.0 - 4.0 * D * s2;
}

double extrapolated_discriminant(const HillFourier& fourier, long half) {
  const double coarse = determinant_discriminant(fourier, 2 * half + 1);
  const double fine = determinant_discriminant(fourier, 4 * half + 1);
  return fine + (fine - coarse) / 7.0;
}

}  // namespace saltus
