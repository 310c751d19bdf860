#pragma once
// One-impact orbits of examples/impact_oscillator.toml in closed form: docs/method/impact_oscillator.md.

#include <Eigen/LU>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <vector>

namespace saltus::test {

/// x'' + 2 zeta x' + x = F cos(omega t), x ≤ sigma, v⁺ = −e v⁻. Orbits with one impact in k forcing periods; their impact
/// speed w = v⁻ solves  (α² + β²/ω²) w² − 2 α σ w + σ² − R² = 0.
struct ImpactOscillator {
  double zeta = 0.05, F = 1.0, omega = 2.0, sigma = 0.0, e = 0.8;
  int k = 1;

  double T() const { return 2.0 * std::numbers::pi / omega; }
  /// R: the amplitude without impacts, and the place of the stop that it grazes.
  double amplitude() const { return F / std::sqrt(D()); }
  double particular(double t) const { return A() * std::cos(omega * t) + B() * std::sin(omega * t); }
  double particular_rate(double t) const { return omega * (B() * std::cos(omega * t) - A() * std::sin(omega * t)); }

  /// Φ(t): free oscillation of (x, v).
  Eigen::Matrix2d free(double t) const {
    const double wd = std::sqrt(1.0 - zeta * zeta);
    const double c = std::cos(wd * t), s = std::sin(wd * t) / wd;
    Eigen::Matrix2d phi;
    phi << c + zeta * s, s, -s, c - zeta * s;
    return std::exp(-zeta * t) * phi;
  }

  /// (α, β): σ − x_p = α w and x_p' = β w at the impact.
  Eigen::Vector2d slopes() const {
    const Eigen::Matrix2d phi = free(k * T());
    Eigen::Matrix2d system;
    system << 1.0 - phi(0, 0), phi(0, 1), -phi(1, 0), phi(1, 1) - 1.0;
    return system.inverse() * Eigen::Vector2d(-e * phi(0, 1), -1.0 - e * phi(1, 1));
  }

  /// Impact speeds of all one-impact orbits, the larger first; only positive ones.
  std::vector<double> speeds() const {
    const Eigen::Vector2d s = slopes();
    const double a = quadratic(s), b = s[0] * sigma, c = (sigma - amplitude()) * (sigma + amplitude());
    const double root = b * b - a * c;
    if (root < 0.0) return {};
    const double q = b + (b >= 0.0 ? 1.0 : -1.0) * std::sqrt(root);  // without cancellation
    std::vector<double> found = {q / a, q != 0.0 ? c / q : 0.0};
    if (found[0] < found[1]) std::swap(found[0], found[1]);
    std::erase_if(found, [](double w) { return !(w > 0.0); });
    return found;
  }

  /// The instant of the impact within a forcing period, [0, T).
  double instant(double w) const {
    const Eigen::Vector2d s = slopes();
    const double a = sigma - s[0] * w, b = s[1] * w / omega;
    const double angle = std::atan2(B() * a - A() * b, A() * a + B() * b);
    return (angle < 0.0 ? angle + 2.0 * std::numbers::pi : angle) / omega;
  }

  /// (x, v) at a time after the impact, before the next.
  Eigen::Vector2d state(double w, double after) const {
    const double t = instant(w);
    const Eigen::Vector2d deviation(sigma - particular(t), -e * w - particular_rate(t));
    return free(after) * deviation + Eigen::Vector2d(particular(t + after), particular_rate(t + after));
  }
  /// (x, v) on the strobe t = 0 (mod T), the first after the impact.
  Eigen::Vector2d strobe(double w) const { return state(w, T() - instant(w)); }

  /// Largest x − sigma between two impacts, from `steps` samples: an orbit is real only if it is negative.
  double penetration(double w, int steps = 4000) const {
    double worst = -1e300;
    for (int j = 20; j <= steps - 20; ++j) worst = std::max(worst, state(w, k * T() * j / steps)[0] - sigma);
    return worst;
  }

  /// trace and determinant of the map over k periods:  tr = −e tr Φ + Φ₁₂ (1 + e) (−ω² σ/w − (1 − ω²) α + 2 ζ β).
  double trace(double w) const { return trace_at(sigma / w); }
  double determinant() const { return e * e * std::exp(-2.0 * zeta * k * T()); }
  std::vector<std::complex<double>> multipliers(double w) const {
    const std::complex<double> half = 0.5 * trace(w);
    const std::complex<double> root = std::sqrt(half * half - determinant());
    return {half + root, half - root};
  }

  /// Places of the stop at which a multiplier is −1 (period doubling) and +1 (fold), and the impact speeds there.
  struct Place {
    double sigma, w;
  };
  std::optional<Place> period_doubling() const { return place_of(-1.0 - determinant()); }
  std::optional<Place> fold() const { return place_of(1.0 + determinant()); }

  /// With e = 0: where the force on the stop vanishes in the instant of the impact, F cos ωt = σ. Beyond, a slide follows the impact.
  Place slide_of_no_length() const {
    const Eigen::Vector2d s = slopes();
    return place_at((2.0 * zeta * s[1] - (1.0 - omega * omega) * s[0]) / (omega * omega));
  }

 private:
  double D() const {
    const double a = 1.0 - omega * omega, b = 2.0 * zeta * omega;
    return a * a + b * b;
  }
  double A() const { return F * (1.0 - omega * omega) / D(); }
  double B() const { return F * 2.0 * zeta * omega / D(); }
  double quadratic(const Eigen::Vector2d& s) const { return s[0] * s[0] + s[1] * s[1] / (omega * omega); }
  double trace_at(double ratio) const {
    const Eigen::Matrix2d phi = free(k * T());
    const Eigen::Vector2d s = slopes();
    return -e * phi.trace() +
           phi(0, 1) * (1.0 + e) * (-omega * omega * ratio - (1.0 - omega * omega) * s[0] + 2.0 * zeta * s[1]);
  }
  /// tr is linear in σ/w; with that ratio κ the quadratic equation gives w = R / √((κ − α)² + β²/ω²).
  std::optional<Place> place_of(double wanted) const {
    const double slope = trace_at(1.0) - trace_at(0.0);
    const double ratio = (wanted - trace_at(0.0)) / slope;
    if (!std::isfinite(ratio)) return std::nullopt;
    return place_at(ratio);
  }
  Place place_at(double ratio) const {
    const Eigen::Vector2d s = slopes();
    const double w = amplitude() / std::hypot(ratio - s[0], s[1] / omega);
    return {ratio * w, w};
  }
};

}  // namespace saltus::test
