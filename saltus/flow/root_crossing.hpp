#pragma once

#include <optional>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// A short way beside a switching surface on which forces have a root of its function s, as −√|s| sign s: ∂F/∂x is infinite there.
///
/// Motions that are only earlier or later know nothing of that. With
///   X = R + ẋ c,   c = (∂s/∂x X + ∂s/∂p)/ṡ,
/// R leaves s as it is, so that nothing steep acts on it:  Ṙ = ∂F/∂x R + ∂F/∂p − ∂F/∂t c  is bounded, and ẋ is known at both ends.
/// Over a time δ what is neglected is of the order δ^(1+r), r the root's exponent.
class RootCrossing {
 public:
  /// So long beside the time that the motion takes from event to event.
  static constexpr double part = 1e-8;

  RootCrossing(const Mechanism& mechanism, const Mode& mode, std::size_t which)
      : mechanism_(mechanism), mode_(mode), switch_(which) {}

  struct Place {
    double t;
    Vector x;
  };
  /// δ later, by the midpoint rule.
  Place later(const Place& from, double delta) const;
  /// When s = 0, about `guess` later; nothing if it is not met.
  std::optional<double> time_to_surface(const Place& from, double guess) const;
  /// X there, if it is X here. One of the places lies on the surface, the other one, `off`, does not.
  enum class Off { from, to };
  Matrix carried(const Place& from, const Place& to, Off off, const Matrix& X) const;

 private:
  Vector jet(const Place& at) const;
  Matrix column_rates(const Place& at, const Matrix& X) const;

  const Mechanism& mechanism_;
  const Mode& mode_;
  std::size_t switch_;
};

}  // namespace saltus
