#pragma once

#include <memory>

#include "saltus/analysis/branches/branch_closure.hpp"
#include "saltus/analysis/branches/branch_stage.hpp"
#include "saltus/analysis/branches/orbit_segments.hpp"
#include "saltus/analysis/orbits/hopf_point.hpp"

namespace saltus {

/// Follows a branch in one direction, over changes of the sequence.
class Leg {
 public:
  Leg(const OrbitSystem& system, const BranchOptions& options, Branch& branch)
      : system_(system),
        options_(options),
        branch_(branch),
        finder_(system, options.curve),
        watch_(options.curve.largest_step) {}

  /// Appends the points behind the start, which is not repeated.
  BranchEnd follow(Stage stage, std::vector<BranchPoint>& points);

  /// From a grazing or sliding orbit: its own sequence to one side, the other sequence to the other.
  void follow_both_sequences(const std::shared_ptr<const HybridOrbit>& problem, const Vector& y, SpecialKind kind,
                             BranchPoint& first, std::vector<BranchPoint>& own, std::vector<BranchPoint>& other);

  const StageFinder& finder() const { return finder_; }
  /// What lies behind the start of the next direction, in order, the start last.
  void has_passed(std::vector<BranchPoint> points) { passed_ = std::move(points); }

  /// The orbits at wanted values between a parameter, where the sequence changed or a branch was left, and the first orbit of a stage, which is not
  /// among the points.
  void add_wanted(const Stage& stage, double from, std::vector<BranchPoint>& points);

  std::size_t sequence_of(const OrbitPlan& plan);

  BranchPoint point_of(const HybridOrbit& problem, const Vector& y);

 private:
  /// The start of a leg as the place where its curve would close; none if the parameter stands still there.
  std::optional<BranchGate> gate_at(const Stage& stage) const;

  bool is_interrupted() const { return options_.curve.interrupted && options_.curve.interrupted(); }
  /// What is known of the last point is not certain: the motions that were to tell of it were interrupted.
  static BranchEnd without_last(std::vector<BranchPoint>& points);
  static BranchEnd interrupted_at(std::size_t count, std::vector<BranchPoint>& points);

  Continuation curve_of(const Stage& stage, const std::optional<BranchGate>& gate,
                        const std::vector<BranchPoint>& points);

  /// The points end at the first that --stop names; nothing behind it.
  std::optional<BranchEnd> stopped(std::vector<BranchPoint>& points) const;

  /// An orbit without events and forcing has shrunk into an equilibrium between the last point and this one, or lost its phase; else nothing.
  std::optional<Acceptance> shrinking(const HybridOrbit& problem, const Vector& y);
  /// The last orbit goes round the equilibrium.
  bool is_into(const HybridOrbit& problem, const HopfPoint& at) const;
  /// An orbit is wanted at a value of the parameter between that of the last one and this.
  bool is_wanted_before(double parameter) const;

  /// The event-driven motion has the last word on every point, except so near to a grazing that tolerance decides.
  Acceptance judged(const HybridOrbit& problem, const CurvePoint& point);
  /// The last orbit of a curve in other segments, in the same direction.
  std::optional<Stage> with_cuts(const Stage& stage, const Continuation& curve, std::size_t cuts) const;
  /// Where Newton's method fails, the same in shorter ones; nothing if that is no remedy.
  std::optional<Stage> cut_finer(const Stage& stage, const Continuation& curve) const;
  Acceptance followed_by_motion(const HybridOrbit& problem, const CurvePoint& point);
  double covered(double p) const;

  /// A point of the curve as an orbit; nothing if a special point turns out to be none.
  std::optional<BranchPoint> taken(const HybridOrbit& problem, const CurvePoint& at);

  /// A branch that meets another one may turn back in the parameter where they meet: that is no fold besides.
  void add(BranchPoint point, std::vector<BranchPoint>& points) const;

  /// Where the halves of the last orbit are one, it is the orbit of half the period, which doubles there: that orbit stands in its
  /// place, with the multiplier −1 found by Newton's method. Across the doubling a branch is symmetric, so that it also turns back
  /// there, which is no fold.
  BranchEnd birth(const HybridOrbit& problem, std::vector<BranchPoint>& points);

  /// The orbits shrink into an equilibrium: the last point, on the equilibrium itself.
  BranchEnd shrunk(const HybridOrbit& problem, std::vector<BranchPoint>& points);

  /// Goes over the point where a chatter is no longer completed; the end, if the branch ends there.
  std::optional<BranchEnd> over_lost_chatter(Stage& stage, const Continuation& curve, const CurvePoint& lost,
                                             std::vector<BranchPoint>& points);

  /// Where a curve cannot be followed further, but the orbits can.
  std::optional<Stage> over_stop(const Stage& stage, const Continuation& curve, std::vector<BranchPoint>& points);

  /// The stage beyond a special point that no test function told; nothing, and no point, if there is none or it is not as it should be.
  std::optional<Stage> over(const Stage& stage, const CurvePoint& at, SpecialKind kind, const Brink& brink,
                            std::vector<BranchPoint>& points, const std::function<bool(const BranchPoint&)>& fits);

  /// Where a flight between two slides along a contact vanishes: the orbit that slides on, and the point between.
  std::optional<Stage> over_hop(const Stage& stage, const Continuation& curve, std::vector<BranchPoint>& points);

  /// Where an impact loses its speed and has it again beyond. Points that lie as near to it as nothing are the point itself.
  std::optional<Stage> over_flat_impact(const Stage& stage, const Continuation& curve,
                                        std::vector<BranchPoint>& points);
  std::string flat_words(const Brink& impact) const;

  /// A test function that ends the curve vanished, but not what it stands for.
  BranchEnd unconfirmed_end() const;

  /// Why a curve ended early: what the event-driven motion met instead, or why the model has no meaning just beyond.
  std::string words_for(const HybridOrbit& problem, const Continuation& curve) const;

  /// The branch has led through the orbit of a stage already, in this direction or in the one that was followed before.
  bool was_passed(const Stage& stage, const std::vector<BranchPoint>& points) const;

  /// Where the branch goes behind a grazing or sliding point: the point is classified.
  std::optional<Stage> beyond(const Stage& stage, const CurvePoint& at, BranchPoint& point,
                              const std::vector<BranchPoint>& points);

  const OrbitSystem& system_;
  const BranchOptions& options_;
  Branch& branch_;
  StageFinder finder_;
  std::string contradiction_;
  std::vector<BranchPoint> passed_;
  Vector last_;  // the last point that was taken
  std::vector<std::optional<BranchPoint>>
      shown_;  // the points of the curve behind its first; none of what is no special point
  std::optional<HopfPoint> hopf_;
  double longest_path_ = 0.0;  // of an orbit without events and forcing, on the way so far
  int lengthening_ = 0;  // so many steps have only made the orbits longer
  CutWatch watch_;
  std::optional<std::size_t> cuts_;  // into how many segments the orbit had better be cut
};

}  // namespace saltus
