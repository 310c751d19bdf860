#pragma once

#include <optional>

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// Impacts that accumulate where the contact is about to be left. Near the instant t* of release the free acceleration of the gap is
/// ḧ = −α s with the time s = t* − t that is left. A flight that begins with the speed u = w α s² lasts θ s, w = θ/2 − θ²/6, and the
/// next begins with
///     s⁺ = (1 − θ) s,    w⁺ = e (θ/2 − θ²/3) / (1 − θ)².
/// If w is small, it tends to zero: the chatter is completed while time is left. The fixed point w⁺ = w, which repels, is the border: all
/// impacts, and no time left (Dankowicz & Fotsch 2017, Procedia IUTAM 20, 18-25, after Nordmark and Kisitu).
struct ChatterBorder {
  double flight;  // θ, a flight beside the time that is left
  double speed;  // w = u / (|ḧ| s)
  double growth;  // dw⁺/dw > 1
};
ChatterBorder chatter_border(double restitution);

/// The orbit near y on which the chatter of segment i is completed in the very instant in which its slide ends, with the value of
/// the parameter. Its first impacts are written down one by one and the condition u = w |ḧ| s is put behind the last of them; with
/// their number the error falls like ((1 − θ)/growth)ⁿ, and is extrapolated to zero. Nothing if there is no such orbit nearby.
std::optional<PlannedOrbit> chatter_limit(const HybridOrbit& near, const Vector& y, std::size_t i);

}  // namespace saltus
