#pragma once

#include <functional>
#include <optional>

#include "saltus/analysis/motions/amplitude.hpp"

namespace saltus {

/// What a quantity w gains when a translation that changes nothing else moves the state by δ: W with w(t, x + n δ) = w(t, x) + n W for
/// whole n and all x. Nothing if there is no such W, as of x² where x drifts.
std::optional<double> gain_along(const Mechanism& mechanism, double t, const Vector& x, const Vector& shift);

/// Does w change with a cyclic direction? Then only a motion that repeats has an amplitude of it.
bool follows_drift(const Mechanism& mechanism, double t, const Vector& x, const Matrix& cyclic);

/// How large w is on a motion that repeats, up to a translation δ, from once round it: what is left when the drift is taken off, w − W t/T.
/// Where the motion is along a drift says nothing, so that there is neither a mean nor an extreme then. Not numbers if w does not repeat.
/// `go_round` has one period followed from x at t, and says whether it came to its end; nothing: it did not.
std::optional<Amplitudes> amplitudes_of_period(const Kernels& kernels, const std::vector<double>& parameters,
                                               const ObservedQuantity& quantity, double t, const Vector& x,
                                               const Vector& shift, const std::function<bool(PathFollower&)>& go_round);

}  // namespace saltus
