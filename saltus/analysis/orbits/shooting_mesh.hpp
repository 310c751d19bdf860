#pragma once

#include <optional>

#include "saltus/analysis/orbits/shooting.hpp"

namespace saltus {

/// A mesh with values of its unknowns; or the arc that stopped on the way.
struct ShootingStart {
  ShootingMesh mesh;
  Vector u;
  std::optional<Arc> stopped;
};

/// Where to look for an orbit: a state, and for how long it is followed until it should be back.
struct OrbitGuess {
  ArcStart start;
  long periods = 1;  // forced: k forcing periods
  double duration = 0.0;  // autonomous: the period, roughly
};

/// Follows the guess for one period and cuts it into segments away from its events. It is closed up to one of
/// the translations.
ShootingStart shooting_start(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                             const OrbitGuess& guess, std::size_t segments, const Translations& translations);

/// The same orbit with its nodes moved away from its events, with the modes found there, and the phase condition renewed: between
/// steps of a continuation, or when the orbit has changed its modes during Newton's iteration. `value` belongs to `u`.
ShootingStart remeshed(const Shooting& shooting, const Vector& u, const ParameterPoint& p, const ShootingValue& value,
                       std::size_t segments);

}  // namespace saltus
