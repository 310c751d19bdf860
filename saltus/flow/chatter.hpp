#pragma once

#include <optional>

#include "saltus/flow/flow_options.hpp"
#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// A contact that has just been struck: γ⁺, ḧ of the free motion behind the impact, e.
struct Rebound {
  double speed;
  double acceleration;
  double restitution;

  /// A flight lower than the rounding of a gap of terms of this size cannot be followed, whatever the restitution.
  bool is_invisible(double size) const { return acceleration < 0.0 && speed * speed < -2e-15 * acceleration * size; }
  /// How long infinitely many more impacts take to first order, 2γ⁺/(|ḧ|(1 − e)), if the rebound is slow beside the fastest impact so far,
  /// and terms of third order in that time are below tolerance. They are compared with the time scale of the smooth motion,
  /// itself known from the step that a method of order 8 takes at this tolerance.
  std::optional<double> remaining(double fastest, double natural_step, double rtol) const;
};

/// Where a chatter may be completed, and how well it must be known when it ends.
struct ChatterLimits {
  double fastest;  // impact so far
  double natural_step;
  double rtol;
  double rounding = 0.0;  // of the gap

  /// The time over which the smooth motion changes its coefficients.
  double time_scale() const;
  /// Of the time at which the impacts accumulate: rebounds of speed u are known to rounding/u, and lower ones less well.
  double tolerance(double u) const;
};

/// How long the infinitely many impacts last that follow an impact on `contact` at once, the state just behind it being x; nothing if
/// they cannot be completed yet. What is neglected is bounded by the tolerance.
///
/// Without switches near by the series is summed to second order in the time,
///   u⁺ = e u (1 − ⅔ b u/a²),   T = 2u/|a| + 4/3 b u²/|a|³,   a⁺ = a + (2b/|a| + (1 + e) ∂a/∂γ) u,   b = ȧ,
/// the rest being of third order. A restitution that depends on the speed is taken flight by flight, e of the speed at which each ends.
/// Switches that the impacts themselves throw to one side and the forces bring back, as friction between
/// the bodies does, change the ratio of the speeds at every scale: then the flights are followed with the forces held, side by side,
/// until their ratio stands, and again with the forces of the end; the two must agree.
std::optional<double> chatter_time(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode,
                                   std::size_t contact, const ChatterLimits& limits);

}  // namespace saltus
