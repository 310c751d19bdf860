#pragma once

#include "saltus/analysis/branches/orbit_family.hpp"
#include "saltus/analysis/orbits/special_hopf.hpp"

namespace saltus {

/// Sees to it that a curve of orbits in two parameters ends where they shrink into an equilibrium.
class ShrinkingFamily {
 public:
  /// Of a point that is about to be taken: the orbits have become a point, or lost their phase, and the curve would be gone over again beyond; else nothing.
  std::optional<Acceptance> judged(const OrbitFamily& family, const Vector& y);

  /// Of a point at which the curve creeps: its orbits are small, and the equilibrium that they shrink into is found.
  bool nears_equilibrium(const OrbitFamily& family, const Vector& y);

  /// The end of a curve whose orbits had become small; nothing if they had not, or if it ended for another reason.
  std::optional<BranchEnd> ended(CurveEnd reason) const;
  /// Where they shrink to, if it was found.
  const std::optional<SpecialHopf>& hopf() const { return hopf_; }

 private:
  double longest_path_ = 0.0;
  bool is_small_ = false, has_shrunk_ = false;
  std::optional<SpecialHopf> hopf_;
};

/// The last point of such a curve, made of the last orbit.
BranchPoint shrunk_into(const SpecialHopf& hopf, const BranchPoint& last);

}  // namespace saltus
