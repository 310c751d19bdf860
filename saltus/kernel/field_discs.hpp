#pragma once

#include <vector>

#include "saltus/kernel/equations.hpp"
#include "saltus/kernel/program.hpp"

namespace saltus {

/// Bounds on complex discs of what moves a model, along a curve x(t): the rows of R = (M v̇ − f, ż − r) that may have features narrower
/// than a step shows. A model of low polynomials, sines and cosines has none of them, and no program.
struct FieldDiscs {
  /// Reads discs of t, x and, in the place of X, of ẋ. For each row: R_j, M_jj (1 for a first-order state), and what the weight of each
  /// switch adds to −R_j per unit; each a middle, a radius and whether it is analytic.
  Program program;
  std::vector<std::size_t> rows;
  std::size_t switches = 0;

  static constexpr std::size_t numbers = 3;
  std::size_t entries() const { return 2 + switches; }
  std::size_t residual(std::size_t k) const { return numbers * k * entries(); }
  std::size_t mass(std::size_t k) const { return residual(k) + numbers; }
  std::size_t push(std::size_t k, std::size_t s) const { return residual(k) + numbers * (2 + s); }
  std::size_t size() const { return numbers * rows.size() * entries(); }
};

FieldDiscs field_discs_of(const Equations& equations);

}  // namespace saltus
