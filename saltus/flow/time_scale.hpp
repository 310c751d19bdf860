#pragma once

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// The time in which a motion goes about, from where it stands: the longer of √(|q|/|a|) and |v|/|a|, or |q|/|v| where nothing
/// accelerates. |w|² = wᵀMw: in kinetic energy coordinates of all units add up, as they do not in a largest component. Without
/// coordinates |x|/|ẋ|. 0 where that does not tell, as at rest in the origin.
double time_scale(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode, const Vector& rate);

}  // namespace saltus
