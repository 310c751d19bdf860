#pragma once

#include <cstddef>
#include <vector>

#include "saltus/flow/mode.hpp"
#include "saltus/kernel/inverse_dynamics.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// Closed contacts beside a hold, over part of a step: Σ α_σ R_σ = P λ with the sides' R in boxes. In the directions across P zero must lie in
/// the hull of the R_σ; and where P and the directions in which the sides differ are independent, D with D P = 1 that is zero along these
/// directions tells λ = D R_σ of every side alike: it must stay positive.
class HeldPushes {
 public:
  void begin(const Mode& mode, std::size_t rows, std::size_t sides);
  /// What the kernel of `inverse_dynamics_bounds` wrote for a side.
  void take(std::size_t side, const InverseDynamicsLayout& at, const double* out);

  /// R of all sides, the columns of `points`, with one radius for each row; both are told in `unit`, and leave with one row less for each
  /// contact. False: a force may vanish, or nothing is known of it.
  bool take_off(const Vector& unit, Matrix& points, Vector& radius) const;

  const std::vector<std::size_t>& contacts() const { return contacts_; }

 private:
  struct Scaled {
    Matrix push, spread;  // columns of length 1
    Matrix off;  // of λ, by side: what a polynomial that leaves the contact lacks
    Vector off_radius;
  };
  Scaled scaled(const Vector& unit) const;
  bool press(const Scaled& by, const Matrix& points, const Vector& radius) const;

  std::vector<std::size_t> contacts_;  // closed
  Matrix push_, spread_;  // P of the first side, and how far those of all sides are from it
  Matrix off_, off_radius_;  // ḧ/G of each side: what it lacks of λ
};

}  // namespace saltus
