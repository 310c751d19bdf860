#pragma once

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// The slide that a chatter leads to, where it is shortest.
std::optional<Brink> slide_of_chatter(const HybridOrbit& problem, const CurvePoint& at);

/// Beyond the orbit on which a chatter is completed in the very instant in which its slide ends there are no equations to follow.
/// A curve that has come near it ends in it; it may have come a little too far, because the last impacts of a chatter are completed
/// together.
std::optional<CurvePoint> lost_chatter(const HybridOrbit& problem, const Continuation& curve);

/// The shortest flight between two slides along one contact that a chatter leads back to: it vanishes where the force in the slide touches zero. Nothing
/// if all are longer than a part of the duration.
std::optional<Brink> shortest_hop(const HybridOrbit& problem, const Vector& y);

/// An impact that has lost its speed where a curve could not be followed further: to a millionth of what it was along the curve. It does not vanish where the
/// gap has a zero of third order, before which and behind which it is met with speed.
std::optional<Brink> flat_impact(const HybridOrbit& problem, const Continuation& curve);

/// The point next to the end of a curve that could not be followed further where the segment between two events, a switch among them, becomes as short as
/// nothing: beyond, it would be followed backwards, which a fast decay does not allow. Along the tangent, of second order in what is left.
struct NearMeeting {
  Vector y;
  Brink brink;
};
std::optional<NearMeeting> near_meeting(const HybridOrbit& problem, const Continuation& curve);

}  // namespace saltus
