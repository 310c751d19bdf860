#pragma once

#include <span>
#include <vector>

#include "saltus/flow/mode.hpp"
#include "saltus/kernel/inverse_dynamics.hpp"

namespace saltus {

/// Bounds of contact forces λ and of weights w along a curve, by inverse dynamics: with R = P u (`InverseDynamicsLayout`) and rows D,
/// fixed numbers with D P ≈ 1 in the middle of the box,
///   u = D R + (1 − D P) u,     u̇ = D (Ṙ − Ṗ u) + (1 − D P) u̇,
/// where the last terms are small. No M⁻¹ is enclosed. Where the curve does not keep a constraint c = 0 itself, because its step has not
/// seen what the constraint does, c/G is taken off, so that u is what would keep it; on a motion that changes nothing.
class MultiplierBounds {
 public:
  explicit MultiplierBounds(const Layout& layout);

  /// Middle and radius; nothing is known where the radius is infinite.
  struct Box {
    double c, r;
  };
  struct Bound {
    Box value, rate;
    double reach;  // what the value changes by at most where v̇ and ż are off by δ
  };

  /// Those of the contacts that are closed and of the switches that are slid along.
  void choose(const Mode& mode);
  /// Bounds of all multipliers, from what the kernel wrote for one lane: entry k at [2k · stride], its radius behind it.
  std::span<const Bound> solve(const double* entries, std::size_t stride);

 private:
  double middle(std::size_t k) const { return entries_[2 * k * stride_]; }
  double radius(std::size_t k) const { return entries_[(2 * k + 1) * stride_]; }
  bool invert();
  void combine();
  bool settle(std::vector<double>& sizes);

  InverseDynamicsLayout at_;
  std::vector<std::size_t> active_;
  std::vector<Bound> bounds_;
  const double* entries_ = nullptr;
  std::size_t stride_ = 1;
  std::vector<double> D_, left_, E_;  // D, the matrix it comes from, largest |1 − D P|
  std::vector<double> sizes_, rate_sizes_, next_;  // largest |u|, |u̇|
};

}  // namespace saltus
