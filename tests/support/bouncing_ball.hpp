#pragma once
// The ball on a table A cos t under g = 1, bounce by bounce, from its release at A cos t = 1.

#include <cmath>
#include <numbers>

namespace saltus::test {

struct BouncingBall {
  using Real = long double;  // the last bounces are low: their gap is a difference of much larger terms
  Real A, e;

  Real release() const { return -std::acos(1 / A); }
  Real next_release() const { return release() + 2 * std::numbers::pi_v<Real>; }
  /// Over the table, s after it was left at t with the speed u; and how it changes.
  Real gap(Real s, Real u, Real t) const {
    const Real table =
        4 * std::sin(s / 2) * std::sin(s / 4) * std::cos(t + s / 4) + std::sin(t) * (2 * std::sin(s / 2) - s);
    return u * s - s * s / 2 + A * table;
  }
  Real rate(Real s, Real u, Real t) const { return u - s + 2 * A * std::sin(s / 2) * std::cos(t + s / 2); }
  /// How long the flight lasts that begins at t with the speed u.
  Real flight(Real t, Real u) const {
    // The ball falls towards the table with less than 1 + A: no flight is shorter than 2u/(1 + A).
    Real begin = u > 0 ? 1.9L * u / (1 + A) : 0.1L;
    Real end = begin;
    while (gap(end, u, t) > 0) end = 1.05L * (begin = end);
    for (int i = 0; i < 90; ++i) {
      const Real middle = (begin + end) / 2;
      (gap(middle, u, t) > 0 ? begin : end) = middle;
    }
    return (begin + end) / 2;
  }
  Real first_flight() const { return flight(release(), 0); }

  /// Behind an impact: when, rebound, what pulls the ball to the table.
  struct Bounce {
    Real t, u, pull;
  };
  Bounce next(const Bounce& at) const {
    const Real tau = flight(at.t, at.u);
    return {at.t + tau, -e * rate(tau, at.u, at.t), 1 - A * std::cos(at.t + tau)};
  }
  Bounce start() const { return {release(), 0, 0}; }

  /// When infinitely many impacts are over: the sum of flights, its rest by  2u/(|a|(1 − e)). Infinite if the table is faster.
  Real accumulation() const {
    Bounce at = start();
    for (int impacts = 0; impacts < 400; ++impacts) {
      at = next(at);
      if (at.u <= 1e-13L) return at.t + 2 * at.u / (at.pull * (1 - e));
    }
    return INFINITY;
  }

  /// Do the impacts accumulate before the next release? Decided by the speed beside the one that the pull takes away in the time left.
  bool comes_to_rest() const {
    Bounce at = start();
    for (int impacts = 0; impacts < 2000; ++impacts) {
      at = next(at);
      const Real left = next_release() - at.t;
      if (left <= 0 || (impacts > 2 && at.u > at.pull * left)) return false;
      if (at.u < 0.01L * at.pull * left) return true;
    }
    return false;
  }
};

/// The amplitude above which the bounces never come to rest before the next release, by halving.
inline double amplitude_without_rest(double e, double lower, double upper) {
  long double rests = lower, bounces = upper;
  for (int i = 0; i < 60; ++i) {
    const long double middle = (rests + bounces) / 2;
    (BouncingBall{middle, e}.comes_to_rest() ? rests : bounces) = middle;
  }
  return static_cast<double>(rests);
}

}  // namespace saltus::test
