#pragma once

#include <optional>
#include <vector>

#include "saltus/flow/mechanism.hpp"
#include "saltus/flow/stop.hpp"
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
  double log_contraction = 0.0;     // ln |det S| of the struck, one by one: ln e + ln |∂γ⁺/∂γ⁻|
};

/// The identity at x.
Jump no_jump(const Layout& layout, const Vector& x);

/// The jump followed by an impact of the masked contacts.
Jump followed_by(const Jump& jump, const Mechanism& mechanism, double t, const std::vector<char>& struck,
                 const std::vector<char>& elastic);

struct ImpactResolution {
  Jump jump;
  /// Why there is none: the order of the contacts decides, they exclude each other, or one has no restitution between 0 and 1.
  std::optional<Stop> stop = {};
};

/// Contacts in `touching` that approach are struck: one after the other, the fastest first, until none approaches
/// (sequential), or together (moreau). docs/theory.md, "Impact".
ImpactResolution resolve_impacts(const Mechanism& mechanism, double t, const Vector& x,
                                 const std::vector<char>& touching, ImpactLaw law);

/// The speed below which γ of contact i counts as zero at this state: rounding relative to the speeds that make it up.
double rest_speed(const ContactValue& at, const Vector& x, std::size_t i);
/// The same behind impacts: what an impulse has stopped is at rest to the rounding of the speeds before it.
double rest_speed(const ContactValue& at, const Vector& x_minus, const Vector& x, std::size_t i);

}  // namespace saltus
