#include "saltus/analysis/branches/same_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double beside = 0.01;        // of the sizes and of the period: where forces are compared; kinks show there
constexpr double same_force = 1e-12;  // of the forces

/// An event along an orbit, with the modes before and behind it.
struct Change {
  SegmentEnd end;
  Mode before, behind;
  double t = 0.0;
  Vector x;  // just behind it
};

bool is_plain(const OrbitPlan& plan) {
  return std::none_of(plan.segments.begin(), plan.segments.end(),
                      [](const SegmentPlan& segment) { return segment.mode.is_masked() || segment.chatter; });
}

/// Compares what modes do, not what they are called.
class Forces {
 public:
  Forces(const OrbitSystem& system, const PlannedOrbit& orbit, const Vector& sizes)
      : p_(system.rates.at(orbit.varied)),
        mechanism_(system.kernels, p_.inputs),
        sizes_(sizes),
        period_(std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0)) {}

  /// At a state and beside it in every component and in time, the same rates.
  bool agree(const Mode& a, const Mode& b, double t, const Vector& x) const {
    for (const double way : {-beside, 0.0, beside}) {
      if (!agree_at(a, b, t + way * period_, x)) return false;
      for (Index j = 0; way != 0.0 && j < x.size(); ++j)
        if (!agree_at(a, b, t, x + way * sizes_[j] * Vector::Unit(x.size(), j))) return false;
    }
    return true;
  }

  /// The events of an orbit at which something happens.
  std::vector<Change> changes(const PlannedOrbit& orbit) const {
    std::vector<Change> found;
    const std::size_t m = orbit.x.size();
    double t = orbit.t;
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t next = (i + 1) % m;
      t += orbit.tau[i];
      const SegmentPlan& segment = orbit.plan.segments[i];
      Change change{segment.end, segment.mode, orbit.plan.segments[next].start_mode(), t, orbit.x[next]};
      const bool only_switches = segment.end.kind == SegmentEnd::Kind::switched;
      if (!only_switches || !agree(change.before, change.behind, t, change.x)) found.push_back(std::move(change));
    }
    return found;
  }

  bool agree(const Change& a, const Change& b) const {
    const bool both_switch = a.end.kind == SegmentEnd::Kind::switched && b.end.kind == SegmentEnd::Kind::switched;
    return (both_switch || a.end == b.end) && agree(a.before, b.before, a.t, a.x) &&
           agree(a.behind, b.behind, a.t, a.x);
  }

 private:
  bool agree_at(const Mode& a, const Mode& b, double t, const Vector& x) const {
    const Vector one = mechanism_.field(t, x, a).rate, other = mechanism_.field(t, x, b).rate;
    return (one - other).norm() <= same_force * one.norm();
  }

  ParameterPoint p_;
  Mechanism mechanism_;
  const Vector& sizes_;
  double period_;
};

}  // namespace

bool is_same_motion(const OrbitSystem& system, const PlannedOrbit& one, const PlannedOrbit& other,
                    const Vector& sizes) {
  if (!is_plain(one.plan) || !is_plain(other.plan)) return false;
  const Forces forces(system, one, sizes);
  const std::vector<Change> a = forces.changes(one), b = forces.changes(other);
  if (a.size() != b.size()) return false;
  const Mode& any = one.plan.segments.front().mode;
  if (a.empty()) return forces.agree(any, other.plan.segments.front().mode, one.t, one.x.front());
  for (std::size_t turn = 0; turn < b.size(); ++turn) {
    bool agree = true;
    for (std::size_t k = 0; agree && k < a.size(); ++k) agree = forces.agree(a[k], b[(k + turn) % b.size()]);
    if (agree) return true;
  }
  return false;
}

}  // namespace saltus
