#pragma once

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

/// Into how many segments of equal duration an orbit without events had better be cut: over each of them disturbances grow by a hundred at
/// most. Nothing if they grow little enough as it is cut now, or if it has events. An orbit that has become much longer than the one by which its unknowns are
/// measured is cut anew as it is.
std::optional<std::size_t> better_cut(const HybridOrbit& problem, const Vector& y);

/// Into how many where it is followed with difficulty as it is cut: more, as long as disturbances grow over a segment at all. Nothing if they hardly do.
std::optional<std::size_t> finer_cut(const HybridOrbit& problem, const Vector& y);

/// When orbits along a curve had better be cut anew.
class CutWatch {
 public:
  explicit CutWatch(double largest_step) : largest_step_(largest_step) {}
  /// The next points have other unknowns than those before.
  void begin_again() { slow_steps_ = 0; }
  /// The last steps were short ones.
  bool creeps() const { return slow_steps_ >= many_slow_steps; }
  /// Of a point that is about to be taken, and the one before: how it had better be cut. `may_be_measured_anew`: also as it is.
  std::optional<std::size_t> wanted(const HybridOrbit& problem, const Vector& before, const Vector& y,
                                    bool may_be_measured_anew);

 private:
  double largest_step_;
  static constexpr int many_slow_steps = 8;
  int slow_steps_ = 0;
};

/// The same orbit, each of its turns cut into `count` segments of equal duration. Nothing if the motion leaves its domain.
std::optional<PlannedOrbit> cut_into(const OrbitSystem& system, const PlannedOrbit& orbit, std::size_t count);

/// A direction in the unknowns of an orbit, for the same orbit with other cuts: what the start, the durations and the parameters have in common.
Vector with_other_cuts(const HybridOrbit& from, const Vector& direction, const HybridOrbit& to);

}  // namespace saltus
