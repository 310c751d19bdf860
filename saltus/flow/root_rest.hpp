#pragma once

#include <optional>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// A switching surface s = 0 on which a motion comes to rest in finite time without switching: on both sides, as far as one can look, it is
/// approached with a speed |ṡ| = c |s|^r, 0 < r < 1, or on one of them with none at all, as for x′ = −|x|^0.6 sign x. It is reached
///   |s|/(|ṡ| (1 − r))
/// later, and not left again. Where one side is left with such a speed, the motion may stay as long as it likes before it goes there.
struct RootOfRest {
  double exponent;  // r
  bool is_left;
};
std::optional<RootOfRest> root_of_rest(const Mechanism& mechanism, const Mode& mode, std::size_t which, double t,
                                       const Vector& x);

/// The way to such a surface, as two instants of a motion tell of it: s > 0 falls with a speed c s^r.
struct RootApproach {
  double exponent;  // r
  double left;  // until s = 0
};
/// Nothing where the speed follows no such law: it hardly changes, or vanishes like s or faster.
std::optional<RootApproach> root_approach(double s_before, double rate_before, double s, double rate);

}  // namespace saltus
