#pragma once
// Stick and slip in closed form: docs/method/dry_friction.md.

#include <cmath>
#include <numbers>

namespace saltus::test {

/// x'' + x = −F sign(v) + c v,  v = x' − b: slips for τ with x' = b V(t), then sticks for V'(τ).
struct StickSlip {
  double F = 1.0, c = 0.2, b = 0.5;

  double omega() const { return std::sqrt(1.0 - c * c / 4.0); }
  double V(double t) const {
    return std::exp(c * t / 2.0) * (std::cos(omega() * t) - c / (2.0 * omega()) * std::sin(omega() * t));
  }
  double dV(double t) const { return -std::exp(c * t / 2.0) * std::sin(omega() * t) / omega(); }
  /// V(τ) = 1, V' > 0.
  double slip_time() const {
    double below = std::numbers::pi / omega(), above = 2.0 * below;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (below + above);
      (V(middle) < 1.0 ? below : above) = middle;
    }
    return below;
  }
  double stick_time() const { return dV(slip_time()); }
  double period() const { return slip_time() + stick_time(); }
  /// x where it turns back: V = 0 for the first time.
  double turning_point() const {
    const double t = std::atan2(2.0 * omega(), c) / omega();
    return F - c * b - b * dV(t);
  }
  /// The speed of the belt at which the block is caught at x = −F: beyond, it overtakes the belt first.
  double overtaking() const { return 2.0 * F / stick_time(); }
};

/// x'' + 2ζx' + x = A cos ωt − F sign(x' − b).
struct DryFriction {
  double A = 1.4, omega = 0.7, F = 1.0, zeta = 0.0, b = 0.0;

  /// b = ζ = 0: below this A the mass sticks where it turns back (Den Hartog 1931).
  double sticking_begins() const {
    const double t = std::tan(std::numbers::pi / (2.0 * omega));
    return F * std::abs(1.0 - omega * omega) * std::sqrt(1.0 / std::pow(omega, 4) + t * t / (omega * omega));
  }
  /// b = ζ = 0: a slip with x' < 0 that leaves rest at t₀ and ends after θ: where it leaves and ends, and its speed at the end.
  struct Slip {
    double from, to, speed;
  };
  Slip slip(double t0, double theta) const {
    const double V = 1.0 / (1.0 - omega * omega);
    const double P = A * (1.0 - V) * std::cos(omega * t0), Q = A * V * omega * std::sin(omega * t0);
    const double t1 = t0 + theta;
    return {F + A * std::cos(omega * t0), F + P * std::cos(theta) + Q * std::sin(theta) + A * V * std::cos(omega * t1),
            -P * std::sin(theta) + Q * std::cos(theta) - A * V * omega * std::sin(omega * t1)};
  }
  /// b > 0: below this A the mass always slips, and does not reach the speed of the belt.
  double touching_begins() const { return b * std::hypot(1.0 - omega * omega, 2.0 * zeta * omega) / omega; }
};

}  // namespace saltus::test
