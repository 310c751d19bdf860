#pragma once

#include <span>
#include <vector>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/mode.hpp"
#include "saltus/flow/multiplier_loop.hpp"

namespace saltus {

/// Bounds of contact forces λ and of weights w along a curve, by inverse dynamics: with R = P u (`InverseDynamicsLayout`) and rows D,
/// fixed numbers with D P ≈ 1 in the middle of the box,
///   u = D R + (1 − D P) u,     u̇ = D (Ṙ − Ṗ u) + (1 − D P) u̇,
/// where the last terms are small. No M⁻¹ is enclosed. Where the curve does not keep a constraint c = 0 itself, because its step has not
/// seen what the constraint does, c/G is taken off, so that u is what would keep it; on a motion that changes nothing.
/// One multiplier alone is bounded in all lanes at once, several lane by lane.
class MultiplierBounds {
 public:
  MultiplierBounds(const Layout& layout, std::size_t width);

  /// Middle and radius; nothing is known where the radius is infinite.
  struct Box {
    double c, r;
  };
  struct Bound {
    Box value, rate;
    double reach;  // what the value changes by at most where v̇ and ż are off by δ
  };

  /// The multipliers of a mode: those of the contacts that are closed and of the switches that are slid along.
  void choose(const Mode& mode);
  std::span<const std::size_t> active() const { return active_; }
  /// Of all others nothing is known, in any lane.
  void forget();
  /// Bounds of the active ones from what the kernel wrote, entry k of lane l at [2k · width + l], its radius `width` behind it: in lane
  /// l; in all lanes, if they have one and the same.
  void solve_lane(const double* entries, std::size_t l);
  void solve_row(const double* entries);
  Bound operator()(std::size_t u, std::size_t l) const {
    const double* const at = bounds_.data() + u * MultiplierLoop::outputs * width_ + l;
    return {{at[0], at[width_]}, {at[2 * width_], at[3 * width_]}, at[4 * width_]};
  }

 private:
  double middle(std::size_t k) const { return entries_[2 * k * width_]; }
  double radius(std::size_t k) const { return entries_[(2 * k + 1) * width_]; }
  void write(std::size_t u, std::size_t l, const Bound& bound);
  bool invert();
  template <class Entry>
  Box by_rows(std::size_t i, const Entry& entry) const;
  void widen(Box& box, std::size_t i, const std::vector<double>& sizes) const;
  void without(Box& box, std::size_t i, std::size_t entry) const;
  bool bound_values();
  void bound_rates();
  void combine();
  bool settle(std::vector<double>& sizes);

  InverseDynamicsLayout at_;
  std::vector<std::size_t> active_;
  std::size_t width_;
  LaneArray bounds_;  // of each multiplier what `MultiplierLoop` writes
  LoopKernel loop_ = nullptr;
  std::vector<const double*> streams_;
  const double* entries_ = nullptr;  // of a lane
  std::vector<Bound> lane_bounds_;  // of the active ones in a lane
  std::vector<double> D_, left_, E_;  // D, the matrix it comes from, largest |1 − D P|
  std::vector<double> sizes_, rate_sizes_, next_;  // largest |u|, |u̇|
};

}  // namespace saltus
