#pragma once

#include <optional>
#include <vector>

#include "saltus/flow/mechanism.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// A jump x⁺ = R(x⁻, t, p) with its derivatives, composed from the single impacts that make it.
struct Jump {
  Vector x;           // x⁺
  Matrix dR_dx;       // N × N
  Vector dR_dt;       // N
  Matrix dR_dp;       // N × varied
  Vector impulse;     // per contact, summed
  std::vector<std::size_t> struck;  // in order
};

/// The identity at x.
Jump no_jump(const Layout& layout, const Vector& x);

/// The jump followed by an impact of the masked contacts.
Jump followed_by(const Jump& jump, const Mechanism& mechanism, double t, const std::vector<char>& struck,
                 const std::vector<char>& elastic);

struct ImpactResolution {
  Jump jump;
  std::vector<std::size_t> ambiguous;  // contacts whose order decides; empty: determined
  double difference = 0.0;             // of v, between two orders
};

/// Contacts in `touching` that approach are struck: one after the other, the fastest first, until none approaches
/// (sequential), or together (moreau). docs/theory.md, "Impact".
ImpactResolution resolve_impacts(const Mechanism& mechanism, double t, const Vector& x,
                                 const std::vector<char>& touching, ImpactLaw law);

/// The speed below which γ of contact i counts as zero at this state: rounding relative to the speeds that make it up.
double rest_speed(const ContactValue& at, const Vector& x, std::size_t i);

/// A contact that has just been struck: γ⁺, ḧ of the free motion behind the impact, e.
struct Rebound {
  double speed;
  double acceleration;
  double restitution;

  /// A flight lower than the rounding of a gap of terms of this size cannot be followed, whatever the restitution.
  bool is_invisible(double size) const { return acceleration < 0.0 && speed * speed < -2e-15 * acceleration * size; }
  /// How long infinitely many more impacts take, if they are completed at once: the rebound is slow beside the fastest impact
  /// so far, and the change of the motion's coefficients over the rest of the chatter is below tolerance. The error of the
  /// completed state is of third order in the remaining time, which is compared with the time scale of the smooth
  /// motion, itself known from the step that a method of order 8 takes at this tolerance.
  std::optional<double> remaining(double fastest, double natural_step, double rtol) const;
};

/// 0 ≤ λ ⊥ G λ + b ≥ 0. The forces, or nothing if G restricted to the pressed contacts is singular.
std::optional<Vector> complementary_forces(const Matrix& delassus, const Vector& b);

}  // namespace saltus
