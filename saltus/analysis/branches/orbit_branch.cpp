#include "saltus/analysis/branches/orbit_branch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/branch_closure.hpp"
#include "saltus/analysis/branches/branch_end.hpp"
#include "saltus/analysis/branches/branch_stage.hpp"
#include "saltus/analysis/branches/half_orbit.hpp"
#include "saltus/analysis/branches/lost_chatter.hpp"
#include "saltus/analysis/branches/orbit_segments.hpp"
#include "saltus/analysis/branches/partner_orbit.hpp"
#include "saltus/analysis/branches/sequence_change.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

bool lies_beyond(const CurvePoint& end, const CurvePoint& point) {
  return (point.parameter() - end.parameter()) * end.tangent[end.tangent.size() - 1] > 0.0;
}

/// Follows a branch in one direction, over changes of the sequence.
class Leg {
 public:
  Leg(const OrbitSystem& system, const BranchOptions& options, Branch& branch)
      : system_(system), options_(options), branch_(branch), finder_(system, options.curve) {}

  /// Appends the points behind the start, which is not repeated.
  BranchEnd follow(Stage stage, std::vector<BranchPoint>& points) {
    const std::optional<BranchGate> gate = gate_at(stage);
    const Stage first = stage;
    for (int change = 0; change <= options_.most_changes; ++change) {
      contradiction_.clear();
      const Continuation curve = curve_of(stage, gate, points.size());
      branch_.unexplained.insert(branch_.unexplained.end(), curve.unexplained.begin(), curve.unexplained.end());
      const auto lost = lost_chatter(*stage.problem, curve);
      for (std::size_t i = 1; i < curve.points.size(); ++i) {
        if (lost && lies_beyond(*lost, curve.points[i])) break;
        if (auto point = taken(*stage.problem, curve.points[i])) add(std::move(*point), points);
      }
      if (lost) {
        points.push_back(point_of(*stage.problem, lost->y));
        points.back().special = SpecialKind::sliding;
        points.back().brink = slide_of_chatter(*stage.problem, curve.points.back());
        const auto next = beyond(stage, *lost, points.back(), points);
        if (!next) return {CurveEnd::special, points.back().note};
        stage = *next;
        continue;
      }
      if (cuts_) {
        const auto cut = with_cuts(stage, curve.points.back());
        if (!cut) return {CurveEnd::no_convergence, "the orbit is too unstable to be followed"};
        stage = *cut;
        --change;
        continue;
      }
      if (hopf_) return shrunk(*stage.problem, points);
      if (const auto next = over_hop(stage, curve, points)) {
        stage = *next;
        continue;
      }
      if (curve.end == CurveEnd::closed) points.back() = point_of(*first.problem, first.y);
      if (curve.end != CurveEnd::special) return {curve.end, words_for(*stage.problem, curve)};
      if (points.empty() || points.back().special == SpecialKind::none) return unconfirmed_end();
      if (is_birth(*curve.points.back().zero_of)) return birth(*stage.problem, points);
      const auto next = beyond(stage, arrival(curve, finder_.range()), points.back(), points);
      if (!next) return {CurveEnd::special, points.back().note};
      if (was_here_before(points, finder_.problem_of(points.back().orbit)->sizes(), finder_.range()))
        return {CurveEnd::special, "back at an orbit that was passed before: more than two branches meet there"};
      stage = *next;
    }
    return {CurveEnd::most_points, "the sequence of events changes too often"};
  }

  /// From a grazing or sliding orbit: its own sequence to one side, the other sequence to the other.
  void follow_both_sequences(const std::shared_ptr<const HybridOrbit>& problem, const Vector& y, SpecialKind kind,
                             BranchPoint& first, std::vector<BranchPoint>& own, std::vector<BranchPoint>& other) {
    first.special = kind;
    for (const HybridOrbit::Test test : HybridOrbit::brink_tests) {
      const auto brink = problem->brink(y, test);
      const bool fits = special_kind_of(first_problem_test + test) == kind;
      if (brink && fits && (!first.brink || std::abs(brink->value) < std::abs(first.brink->value))) first.brink = brink;
    }
    const auto along = [&](const std::optional<Stage>& stage, std::vector<BranchPoint>& points) {
      if (!stage) {
        branch_.ends.push_back({CurveEnd::no_convergence, "no orbit beside the special point was found"});
        return;
      }
      points.push_back(point_of(*stage->problem, stage->y));
      branch_.ends.push_back(follow(*stage, points));
    };
    const std::optional<Stage> before = finder_.real_half(problem, problem->orbit(y), first);
    along(before, own);
    const bool up = before && before->y[before->y.size() - 1] < first.parameter;
    const CurvePoint at{y, (up ? 1.0 : -1.0) * parameter_direction(*problem), {}, {}};
    const bool closed = branch_.ends.back().reason == CurveEnd::closed;
    if (closed) branch_.ends.push_back(branch_.ends.back());
    else if (is_of_fewer_returns(first, first.returns.size())) branch_.ends.push_back({CurveEnd::special, first.note});
    else along(beyond({problem, y, at.tangent}, at, first, own), other);
  }

  const StageFinder& finder() const { return finder_; }
  /// What lies behind the start of the next direction, in order, the start last.
  void has_passed(std::vector<BranchPoint> points) { passed_ = std::move(points); }

  std::size_t sequence_of(const OrbitPlan& plan) {
    const std::string text = sequence_text(plan, options_.names);
    const auto found = std::find(branch_.sequences.begin(), branch_.sequences.end(), text);
    if (found != branch_.sequences.end()) return static_cast<std::size_t>(found - branch_.sequences.begin());
    branch_.sequences.push_back(text);
    return branch_.sequences.size() - 1;
  }

  BranchPoint point_of(const HybridOrbit& problem, const Vector& y) {
    BranchPoint point;
    point.orbit = problem.orbit(y);
    point.parameter = y[y.size() - 1];
    point.returns = problem.return_states(y);
    point.period = problem.period(y);
    point.drift = problem.report(y).drift;
    point.multipliers = problem.report(y).multipliers;
    point.sequence = point.sequence_beyond = sequence_of(problem.plan());
    return point;
  }

 private:
  /// The start of a leg as the place where its curve would close; none if the parameter stands still there.
  std::optional<BranchGate> gate_at(const Stage& stage) const {
    const auto tangent = curve_tangent(*stage.problem, stage.y, stage.direction);
    const double way = tangent ? (*tangent)[tangent->size() - 1] : 0.0;
    if (std::abs(way) < 1e-6) return std::nullopt;
    return BranchGate(system_, stage.problem->orbit(stage.y), way > 0.0 ? 1.0 : -1.0);
  }

  Continuation curve_of(const Stage& stage, const std::optional<BranchGate>& gate, std::size_t points) {
    ContinuationOptions way = options_.curve;
    way.ends_when_vertical = true;
    way.most_points = std::max<std::size_t>(way.most_points, points + 2) - points;
    last_ = stage.y;
    hopf_.reset();
    cuts_.reset();
    return followed(
        *stage.problem, stage.y, stage.direction, way,
        [&](const CurvePoint& point) { return judged(*stage.problem, point); },
        [&](const CurvePoint& from, const CurvePoint& to) {
          return gate ? gate->passed(*stage.problem, from, to, way) : std::nullopt;
        });
  }

  /// An orbit without events and forcing has shrunk into an equilibrium between the last point and this one, or lost its phase; else nothing.
  std::optional<Acceptance> shrinking(const HybridOrbit& problem, const Vector& y) {
    const PhaseState phase = problem.phase_state(y);
    if (phase.speed > 1e-3 && phase.cosine > 0.5) return std::nullopt;
    if (phase.speed <= 1e-3) hopf_ = hopf_near(system_, problem.orbit(last_), problem.sizes(), finder_.range());
    if (hopf_ && !is_into(problem, *hopf_)) hopf_.reset();
    return hopf_ ? Acceptance::stop : Acceptance::shorten;
  }
  /// The last orbit goes round the equilibrium.
  bool is_into(const HybridOrbit& problem, const HopfPoint& at) const {
    const Vector apart = (problem.orbit(last_).x.front() - at.x).cwiseQuotient(problem.sizes());
    return apart.norm() < problem.path_length(last_) &&
           std::abs(at.parameter - last_.tail(1)[0]) < 0.1 * finder_.range();
  }

  /// The event-driven motion has the last word on every point, except so near to a grazing that tolerance decides.
  Acceptance judged(const HybridOrbit& problem, const CurvePoint& point) {
    if (options_.progress) options_.progress(covered(point.parameter()));
    if (const auto answer = shrinking(problem, point.y)) return *answer;
    const Acceptance answer = followed_by_motion(problem, point);
    if (answer != Acceptance::take) return answer;
    cuts_ = better_cut(problem, point.y);
    if (cuts_) return Acceptance::stop;
    last_ = point.y;
    return answer;
  }
  /// The same orbit in shorter segments, in the same direction.
  std::optional<Stage> with_cuts(const Stage& stage, const CurvePoint& last) const {
    const auto orbit = cut_into(system_, stage.problem->orbit(last.y), *cuts_);
    if (!orbit) return std::nullopt;
    const auto problem = finder_.problem_of(*orbit);
    const Vector direction = with_other_cuts(*stage.problem, last.tangent, *problem);
    const Correction on = corrected(*problem, problem->unknowns(*orbit), direction, options_.curve, 12);
    if (!on.converged()) return std::nullopt;
    return Stage{problem, on.y, direction};
  }
  Acceptance followed_by_motion(const HybridOrbit& problem, const CurvePoint& point) {
    const double smallest = smallest_brink(problem, point.y);
    const std::string found = problem.contradiction(point.y);
    if (found.empty()) return Acceptance::take;
    if (std::abs(smallest) < 1e-6) return Acceptance::take;
    contradiction_ = found;
    return Acceptance::shorten;
  }
  double covered(double p) const {
    return std::clamp((p - options_.curve.lower) / (options_.curve.upper - options_.curve.lower), 0.0, 1.0);
  }

  /// A point of the curve as an orbit; nothing if a special point turns out to be none.
  std::optional<BranchPoint> taken(const HybridOrbit& problem, const CurvePoint& at) {
    BranchPoint point = point_of(problem, at.y);
    return at.zero_of ? confirmed(problem, at, std::move(point)) : std::optional(std::move(point));
  }

  /// A branch that meets another one may turn back in the parameter where they meet: that is no fold besides.
  void add(BranchPoint point, std::vector<BranchPoint>& points) const {
    const auto meets = [&](const BranchPoint& a, SpecialKind first, const BranchPoint& b, SpecialKind second) {
      return a.special == first && b.special == second && std::abs(a.parameter - b.parameter) < 1e-7 * finder_.range();
    };
    const BranchPoint* last = points.empty() ? nullptr : &points.back();
    if (last && meets(*last, SpecialKind::branch_point, point, SpecialKind::fold)) return;
    if (last && meets(*last, SpecialKind::fold, point, SpecialKind::branch_point)) points.pop_back();
    points.push_back(std::move(point));
  }

  /// Where the halves of the last orbit are one, it is the orbit of half the period, which doubles there: that orbit stands in its
  /// place, with the multiplier −1 found by Newton's method. Across the doubling a branch is symmetric, so that it also turns back
  /// there, which is no fold.
  BranchEnd birth(const HybridOrbit& problem, std::vector<BranchPoint>& points) {
    const PlannedOrbit met = points.back().orbit;
    const PlannedOrbit half = first_half(met);
    const auto half_problem = finder_.problem_of(half);
    const auto doubling_orbit = doubling_near(*half_problem, half, options_.curve);
    if (!doubling_orbit) {
      points.back().special = SpecialKind::none;
      return {CurveEnd::special, "its halves are one orbit of half the period, which doubles nowhere near"};
    }
    points.pop_back();
    const Vector end = problem.unknowns(met);
    const auto is_the_same = [&](const BranchPoint& point) {
      const bool turns = point.special == SpecialKind::fold || point.special == SpecialKind::branch_point;
      return turns && (problem.unknowns(point.orbit) - end).cwiseQuotient(problem.scale()).norm() < 1e-3;
    };
    while (!points.empty() && is_the_same(points.back())) points.pop_back();
    const Vector y = half_problem->unknowns(*doubling_orbit);
    BranchPoint point = point_of(*half_problem, y);
    point.special = SpecialKind::period_doubling;
    point.null_vector = eigenvector_near(half_problem->report(y).monodromy, -1.0);
    point.note = "the orbit of half the period, from which this branch comes";
    points.push_back(std::move(point));
    return {CurveEnd::special, points.back().note};
  }

  /// The orbits shrink into an equilibrium: the last point, on the equilibrium itself.
  BranchEnd shrunk(const HybridOrbit& problem, std::vector<BranchPoint>& points) {
    points.push_back(at_equilibrium(point_of(problem, last_), *hopf_));
    return {CurveEnd::hopf, points.back().note};
  }

  /// Where a curve ends because a flight between two slides along a contact vanishes: the orbit that slides on, and the point between.
  std::optional<Stage> over_hop(const Stage& stage, const Continuation& curve, std::vector<BranchPoint>& points) {
    if (curve.end != CurveEnd::no_convergence && curve.end != CurveEnd::refused) return std::nullopt;
    const Vector& y = curve.points.back().y;
    const auto hop = shortest_hop(*stage.problem, y);
    if (!hop) return std::nullopt;
    BranchPoint point = point_of(*stage.problem, y);
    point.special = SpecialKind::sliding;
    point.brink = hop;
    const std::vector<std::string> sequences = branch_.sequences;
    auto next = beyond(stage, arrival(curve, finder_.range()), point, points);
    const bool touches = point.orbit.plan.segments.size() < stage.problem->plan().segments.size();
    if (!next || !touches) {
      branch_.sequences = sequences;
      return std::nullopt;
    }
    points.push_back(std::move(point));
    return next;
  }

  /// A test function that ends the curve vanished, but not what it stands for.
  BranchEnd unconfirmed_end() const {
    return {CurveEnd::no_convergence, "its sequence of events seems to end, but nothing that would end it vanishes"};
  }

  /// Why a curve ended early: what the event-driven motion met instead, or why the model has no meaning just beyond.
  std::string words_for(const HybridOrbit& problem, const Continuation& curve) const {
    if (curve.end == CurveEnd::vertical) return vertical_words(problem, curve);
    if (!contradiction_.empty() || curve.end != CurveEnd::no_convergence) return contradiction_;
    const CurvePoint& last = curve.points.back();
    const double way = last.tangent[last.tangent.size() - 1] > 0.0 ? 1.0 : -1.0;
    const std::string found =
        system_.rates.at(std::vector<double>{last.parameter() + way * 1e-6 * finder_.range()}).problem;
    return found.empty() ? "" : fmt::format("beyond, {}", found);
  }

  /// The branch has led through the orbit of a stage already, in this direction or in the one that was followed before.
  bool was_passed(const Stage& stage, const std::vector<BranchPoint>& points) const {
    std::vector<BranchPoint> all = passed_;
    all.insert(all.end(), points.begin(), points.end());
    return lies_among(system_, finder_, all, stage.problem->orbit(stage.y), options_.curve);
  }

  /// Where the branch goes behind a grazing or sliding point: the point is classified.
  std::optional<Stage> beyond(const Stage& stage, const CurvePoint& at, BranchPoint& point,
                              const std::vector<BranchPoint>& points) {
    const bool travels_up = at.tangent[at.tangent.size() - 1] > 0.0;
    point.passage = Passage::disappears;
    if (!point.brink) return std::nullopt;
    const SequenceChange change = changed_sequence(*stage.problem, at.y, *point.brink, options_.names);
    point.note = change.words;
    if (is_of_fewer_returns(
            point, distinct_returns(stage.problem->return_states(stage.y), stage.problem->plan().translations)))
      return std::nullopt;
    std::optional<Stage> next;
    for (const std::optional<PlannedOrbit>& changed : {change.orbit, change.alone}) {
      if (next || !changed) continue;
      const auto problem = finder_.problem_of(*changed);
      PlannedOrbit orbit = *changed;
      if (const auto touching = finder_.touching_orbit(*problem, orbit, *point.brink)) {
        point.orbit = orbit = problem->orbit(*touching);
        point.parameter = touching->tail(1)[0];
        point.returns = problem->return_states(*touching);
      }
      next = change.returns ? finder_.with_excursion(problem, orbit, point) : finder_.real_half(problem, orbit, point);
    }
    if (!next) next = finder_.by_simulation(*stage.problem, at, travels_up);
    if (!next) {
      point.note += "; no orbit with another sequence was found";
      return std::nullopt;
    }
    const bool same_way = (next->y[next->y.size() - 1] > point.parameter) == travels_up;
    point.passage = same_way ? Passage::persists : Passage::folds_back;
    point.sequence_beyond = sequence_of(next->problem->plan());
    point.note += same_way ? "; the branch goes on with another sequence"
                           : "; the orbit with the other sequence lies on the same side, and both end here";
    if (!was_passed(*next, points)) return next;
    point.note += "; that orbit was passed before";
    return std::nullopt;
  }

  const OrbitSystem& system_;
  const BranchOptions& options_;
  Branch& branch_;
  StageFinder finder_;
  std::string contradiction_;
  std::vector<BranchPoint> passed_;
  Vector last_;  // the last point that was taken
  std::optional<HopfPoint> hopf_;
  std::optional<std::size_t> cuts_;  // into how many segments the orbit had better be cut
};

}  // namespace

Branch branch_through(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options) {
  BranchPoint start;
  start.orbit = orbit;
  return branch_through(system, start, options);
}

Branch branch_through(const OrbitSystem& system, const BranchPoint& start, const BranchOptions& options) {
  Branch branch;
  Leg leg(system, options, branch);
  const auto problem = leg.finder().problem_of(start.orbit);
  const Vector y = problem->unknowns(start.orbit);
  BranchPoint first = leg.point_of(*problem, y);
  std::vector<BranchPoint> down, up;
  if (start.special == SpecialKind::grazing || start.special == SpecialKind::sliding) {
    leg.follow_both_sequences(problem, y, start.special, first, down, up);
  } else {
    const auto half = [&](double sign, std::vector<BranchPoint>& points) {
      std::vector<BranchPoint> passed(down.rbegin(), down.rend());
      passed.push_back(first);
      leg.has_passed(std::move(passed));
      const Vector direction = sign * parameter_direction(*problem);
      branch.ends.push_back(leg.follow({problem, y, direction}, points));
    };
    if (options.direction != BranchOptions::Direction::up) half(-1.0, down);
    // A closed branch is not gone round a second time.
    const bool closed = !branch.ends.empty() && branch.ends.back().reason == CurveEnd::closed;
    if (closed) branch.ends.push_back(branch.ends.back());
    else if (options.direction != BranchOptions::Direction::down) half(1.0, up);
    if (start.special != SpecialKind::none) keep_label(start, leg.finder().range(), first, {&down, &up});
  }
  branch.points.assign(down.rbegin(), down.rend());
  branch.points.push_back(first);
  branch.points.insert(branch.points.end(), up.begin(), up.end());
  judge_stability(branch.points);
  number_labels(branch);
  return branch;
}

Branch switched_branch(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options) {
  Branch branch;
  Leg leg(system, options, branch);
  const bool doubles = at.special == SpecialKind::period_doubling;
  const PlannedOrbit orbit = doubles ? doubled(at.orbit) : at.orbit;
  const auto problem = leg.finder().problem_of(orbit);
  const Vector y = problem->unknowns(orbit);
  // The old branch's tangent, from a parameter step on the old problem, in the unknowns of the new one.
  const auto old = leg.finder().problem_of(at.orbit);
  const auto old_tangent = curve_tangent(*old, old->unknowns(at.orbit), parameter_direction(*old));
  Vector along = parameter_direction(*problem);
  if (doubles && old_tangent) {
    const Vector step = old_tangent->cwiseProduct(old->scale());
    const Index blocks = static_cast<Index>(at.orbit.x.size()) * (at.x().size() + 1);
    const Index lead = step.size() - 1 - blocks;
    along.head(lead) = step.head(lead);
    along.segment(lead, blocks) = along.segment(lead + blocks, blocks) = step.segment(lead, blocks);
    along[along.size() - 1] = step[step.size() - 1];
    along = along.cwiseQuotient(problem->scale()).normalized();
  }
  const Vector across = crossing_direction(*problem, y, along);
  std::vector<BranchPoint> halves[2];
  BranchPoint origin = at;
  origin.sequence = leg.sequence_of(at.orbit.plan);
  origin.special = SpecialKind::none;  // labels are numbered anew on this branch
  origin.label.clear();
  origin.note = fmt::format("{} of the branch that this one leaves", label_of(at.special));
  for (int side = 0; side < (doubles ? 1 : 2); ++side) {
    const Vector direction = (side == 0 ? 1.0 : -1.0) * across;
    BranchEnd end{CurveEnd::no_convergence, "no orbit beside the special point was found"};
    for (const double step : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-2}) {
      const Vector guess = y + (step * direction).cwiseProduct(problem->scale());
      const Correction off = corrected(*problem, guess, direction, options.curve, 12);
      // The parameter moves with the square of the step, in whatever unit; the orbit itself must stay near the direction.
      const Vector change = (off.y - guess).cwiseQuotient(problem->scale());
      const bool near =
          change.head(change.size() - 1).norm() <= 0.5 * step && std::abs(change[change.size() - 1]) <= 0.02;
      if (!off.converged() || !near) continue;
      if (!problem->contradiction(off.y).empty() || smallest_brink(*problem, off.y) <= 0.0) continue;
      halves[side].push_back(leg.point_of(*problem, off.y));
      end = leg.follow({problem, off.y, direction}, halves[side]);
      break;
    }
    branch.ends.push_back(end);
  }
  branch.points.assign(halves[1].rbegin(), halves[1].rend());
  if (!halves[0].empty() || !halves[1].empty()) branch.points.push_back(origin);
  branch.points.insert(branch.points.end(), halves[0].begin(), halves[0].end());
  judge_stability(branch.points);
  number_labels(branch);
  return branch;
}

}  // namespace saltus
