#pragma once

#include <optional>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// A switching surface s = 0 on which a motion comes to rest in finite time without switching: on both sides, as far as one can look, it is
/// approached with a speed |ṡ| = c |s|^r, 0 < r < 1, or on one of them with none at all, as for x′ = −|x|^0.6 sign x. Such a motion has arrived when
/// it is nearer than its tolerance; that it seems to pass from one side to the other there is an error of its steps. Returns r.
std::optional<double> root_of_rest(const Mechanism& mechanism, const Mode& mode, std::size_t which, double t,
                                   const Vector& x);

}  // namespace saltus
