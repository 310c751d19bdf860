#pragma once

#include "saltus/analysis/orbits/orbit_piece.hpp"

namespace saltus {

/// Shows an orbit segment by segment, each from its own start in its own mode: the orbit that was computed, not the motion from one of
/// its points, which leaves an unstable orbit and may take another way where the orbit touches something. False: a segment is not
/// whole.
bool follow_orbit(const OrbitSystem& system, const PlannedOrbit& orbit, PathFollower& follower);

}  // namespace saltus
