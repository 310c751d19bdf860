#include "saltus/analysis/orbit_branch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "saltus/analysis/branch_stage.hpp"
#include "saltus/analysis/half_orbit.hpp"
#include "saltus/analysis/lost_chatter.hpp"
#include "saltus/analysis/sequence_change.hpp"
#include "saltus/flow/decompositions.hpp"
#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

constexpr std::size_t doubling = first_problem_test + HybridOrbit::period_doubling_test;
constexpr std::size_t torus = first_problem_test + HybridOrbit::torus_test;
constexpr std::size_t halves = first_problem_test + HybridOrbit::halves_test;
constexpr std::size_t first_brink = first_problem_test + HybridOrbit::first_brink_test;

/// The eigenvector of the monodromy matrix whose multiplier is nearest to a number.
Eigen::VectorXcd eigenvector_near(const Matrix& monodromy, std::complex<double> wanted) {
  if (!monodromy.allFinite()) return {};
  const Eigenpairs pairs = eigenpairs_of(monodromy);
  Index best = 0;
  for (Index i = 1; i < monodromy.rows(); ++i)
    if (std::abs(pairs.values[i] - wanted) < std::abs(pairs.values[best] - wanted)) best = i;
  return pairs.vectors.col(best);
}

/// The complex pair nearest to the unit circle; nothing if the pair whose product is 1 is real.
std::optional<std::complex<double>> unit_pair(const std::vector<std::complex<double>>& multipliers) {
  std::optional<std::complex<double>> best;
  for (const auto& mu : multipliers)
    if (mu.imag() > 1e-7 && (!best || std::abs(std::abs(mu) - 1.0) < std::abs(std::abs(*best) - 1.0))) best = mu;
  return best && std::abs(std::abs(*best) - 1.0) < 1e-5 ? best : std::nullopt;
}

SpecialKind kind_of(std::size_t test) {
  if (test == fold_test) return SpecialKind::fold;
  if (test == branch_point_test) return SpecialKind::branch_point;
  if (test == doubling || test == halves) return SpecialKind::period_doubling;
  if (test == torus) return SpecialKind::torus;
  return test == first_brink + 2 ? SpecialKind::sliding : SpecialKind::grazing;
}

/// A segment beyond a switch and back, or a slide along one, that lasts next to nothing. Its duration goes with the square root of its
/// depth: where it vanishes, the curve of the equations turns round, which neither branches nor folds the orbits.
bool has_short_excursion(const BranchPoint& point) {
  const std::vector<SegmentPlan>& segments = point.orbit.plan.segments;
  const std::size_t m = segments.size();
  for (std::size_t i = 0; m > 1 && i < m; ++i) {
    const SegmentEnd& before = segments[(i + m - 1) % m].end;
    const bool slides = before.kind == SegmentEnd::Kind::weight_low || before.kind == SegmentEnd::Kind::weight_high;
    const bool returns = (before.kind == SegmentEnd::Kind::switched && before == segments[i].end) ||
                         (slides && segments[i].end == SegmentEnd{SegmentEnd::Kind::switched, before.index}) ||
                         is_touching_stick(point.orbit.plan, i);
    if (returns && std::abs(point.orbit.tau[i]) < 1e-3 * point.period) return true;
  }
  return false;
}

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
    for (int change = 0; change <= options_.most_changes; ++change) {
      contradiction_.clear();
      ContinuationOptions way = options_.curve;
      way.ends_when_vertical = true;
      const Continuation curve = followed(*stage.problem, stage.y, stage.direction, way,
                                          [&](const CurvePoint& point) { return judged(*stage.problem, point); });
      branch_.unexplained.insert(branch_.unexplained.end(), curve.unexplained.begin(), curve.unexplained.end());
      const auto lost = lost_chatter(*stage.problem, curve);
      for (std::size_t i = 1; i < curve.points.size(); ++i) {
        if (lost && lies_beyond(*lost, curve.points[i])) break;
        if (auto point = taken(*stage.problem, curve.points[i])) points.push_back(std::move(*point));
      }
      if (lost) {
        points.push_back(*taken(*stage.problem, *lost));
        points.back().brink = slide_of_chatter(*stage.problem, curve.points.back());
        const auto next = beyond(stage, *lost, points.back());
        if (!next) return {CurveEnd::special, points.back().note};
        stage = *next;
        continue;
      }
      if (curve.end != CurveEnd::special) return {curve.end, words_for(curve)};
      if (curve.points.back().zero_of == halves) return birth(*stage.problem, points);
      const auto next = beyond(stage, arrival(curve, points.back()), points.back());
      if (!next) return {CurveEnd::special, points.back().note};
      if (was_here_before(points)) return {CurveEnd::closed, ""};
      stage = *next;
    }
    return {CurveEnd::most_points, "the sequence of events changes too often"};
  }

  /// From a grazing or sliding orbit: its own sequence to one side, the other sequence to the other.
  void follow_both_sequences(const std::shared_ptr<const HybridOrbit>& problem, const Vector& y, SpecialKind kind,
                             BranchPoint& first, std::vector<BranchPoint>& own, std::vector<BranchPoint>& other) {
    first.special = kind;
    first.stable = false;
    for (std::size_t test = HybridOrbit::first_brink_test;
         test < HybridOrbit::first_brink_test + HybridOrbit::brink_tests; ++test) {
      const auto brink = problem->brink(y, test);
      const bool fits = kind_of(first_problem_test + test) == kind;
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
    if (is_of_fewer_returns(first, first.returns.size())) branch_.ends.push_back({CurveEnd::special, first.note});
    else along(beyond({problem, y, at.tangent}, at, first), other);
  }

  const StageFinder& finder() const { return finder_; }

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
    point.stable = !point.multipliers.empty() && is_stable(point.multipliers);
    point.sequence = point.sequence_beyond = sequence_of(problem.plan());
    return point;
  }

 private:
  /// The event-driven motion has the last word on every point, except so near to a grazing that tolerance decides.
  Acceptance judged(const HybridOrbit& problem, const CurvePoint& point) {
    if (options_.progress) options_.progress(covered(point.parameter()));
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
    if (!at.zero_of) return point;
    point.special = kind_of(*at.zero_of);
    const bool singular = point.special == SpecialKind::fold || point.special == SpecialKind::branch_point;
    if (singular && has_short_excursion(point)) return std::nullopt;
    const Matrix& monodromy = problem.report(at.y).monodromy;
    const Index N = point.x().size();
    switch (point.special) {
      case SpecialKind::fold: point.null_vector = eigenvector_near(monodromy, 1.0); break;
      case SpecialKind::branch_point: {
        const Vector direction = crossing_direction(problem, at.y, at.tangent).cwiseProduct(problem.scale());
        const Index first = at.y.size() - 1 - static_cast<Index>(point.orbit.x.size()) * (N + 1);
        point.null_vector = direction.segment(first, N).cast<std::complex<double>>();
        break;
      }
      case SpecialKind::period_doubling: point.null_vector = eigenvector_near(monodromy, -1.0); break;
      case SpecialKind::torus: {
        const auto pair = unit_pair(point.multipliers);
        if (!pair) return std::nullopt;  // two real multipliers whose product is 1
        point.null_vector = eigenvector_near(monodromy, *pair);
        point.note = fmt::format("rotation by {:.6g} of a turn", std::arg(*pair) / (2.0 * std::acos(-1.0)));
        break;
      }
      default: break;
    }
    point.stable = false;  // a multiplier lies on the unit circle
    if (*at.zero_of >= first_brink) {
      point.brink = problem.brink(at.y, *at.zero_of - first_problem_test);
      if (point.brink && point.brink->kind == Brink::Kind::impact_speed) point.multipliers.clear();  // infinite
    }
    return point;
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
    point.stable = false;
    point.note = "the orbit of half the period, from which this branch comes";
    points.push_back(std::move(point));
    return {CurveEnd::special, points.back().note};
  }

  /// Why a curve ended early: what the event-driven motion met instead, or why the model has no meaning just beyond.
  std::string words_for(const Continuation& curve) const {
    if (!contradiction_.empty() || curve.end != CurveEnd::no_convergence) return contradiction_;
    const CurvePoint& last = curve.points.back();
    const double way = last.tangent[last.tangent.size() - 1] > 0.0 ? 1.0 : -1.0;
    const std::string problem =
        system_.rates.at(std::vector<double>{last.parameter() + way * 1e-6 * finder_.range()}).problem;
    return problem.empty() ? "" : fmt::format("beyond, {}", problem);
  }

  /// Where the sequence of an orbit of k returns ends it may be the one orbit of fewer returns that loses its sequence there, too: the
  /// note says so.
  static bool is_of_fewer_returns(BranchPoint& point, std::size_t k) {
    const std::size_t repeats = distinct_returns(point.returns, point.orbit.plan.translations);
    if (repeats >= k) return false;
    point.passage = Passage::disappears;
    point.note += fmt::format("{}here it is the orbit of {} {}, in which this branch ends",
                              point.note.empty() ? "" : "; ", repeats, repeats == 1 ? "return" : "returns");
    return true;
  }

  /// The last point of a curve with the direction in which the orbits came to it. Where an excursion or a slide vanishes the tangent
  /// does not know: the parameter goes with the square of its duration. So it does with the speed of an impact that vanishes where
  /// the orbit forgets perturbations within a period.
  CurvePoint arrival(const Continuation& curve, const BranchPoint& point) const {
    CurvePoint last = curve.points.back();
    double& along = last.tangent[last.tangent.size() - 1];
    const auto is = [&](Brink::Kind kind) { return point.brink && point.brink->kind == kind; };
    const bool slow = is(Brink::Kind::impact_speed) && std::abs(along) < 1e-3;
    if (!slow && !is(Brink::Kind::switch_order) && !is(Brink::Kind::entry_flight) && !is(Brink::Kind::slip_length) &&
        !is(Brink::Kind::arrival))
      return last;
    const auto is_apart = [&](const CurvePoint& earlier) {
      return std::abs(earlier.parameter() - last.parameter()) > 1e-5 * finder_.range();
    };
    const auto before = std::find_if(curve.points.rbegin(), curve.points.rend(), is_apart);
    if (before == curve.points.rend()) return last;
    along = std::copysign(std::max(std::abs(along), 1e-12), last.parameter() - before->parameter());
    return last;
  }

  /// The last point, where the sequence changes, is one that the leg has passed before: the branch is closed.
  bool was_here_before(const std::vector<BranchPoint>& points) const {
    const BranchPoint& last = points.back();
    const double size = 1.0 + last.x().cwiseAbs().maxCoeff();
    return std::any_of(points.begin(), points.end() - 1, [&](const BranchPoint& earlier) {
      if (earlier.special != last.special || earlier.passage == Passage::none) return false;
      if (std::abs(earlier.parameter - last.parameter) > 1e-7 * finder_.range()) return false;
      return std::any_of(earlier.returns.begin(), earlier.returns.end(), [&](const Vector& x) {
        return x.size() == last.x().size() && (x - last.x()).cwiseAbs().maxCoeff() < 1e-6 * size;
      });
    });
  }

  /// Where the branch goes behind a grazing or sliding point: the point is classified.
  std::optional<Stage> beyond(const Stage& stage, const CurvePoint& at, BranchPoint& point) {
    const bool travels_up = at.tangent[at.tangent.size() - 1] > 0.0;
    point.passage = Passage::disappears;
    if (!point.brink) return std::nullopt;
    const SequenceChange change = changed_sequence(*stage.problem, at.y, *point.brink, options_.names);
    point.note = change.words;
    if (is_of_fewer_returns(
            point, distinct_returns(stage.problem->return_states(stage.y), stage.problem->plan().translations)))
      return std::nullopt;
    std::optional<Stage> next;
    if (change.orbit) {
      const auto problem = finder_.problem_of(*change.orbit);
      PlannedOrbit orbit = *change.orbit;
      if (const auto touching = finder_.touching_orbit(*problem, orbit, *point.brink)) {
        point.orbit = orbit = problem->orbit(*touching);
        point.parameter = touching->tail(1)[0];
        point.returns = problem->return_states(*touching);
      }
      next = finder_.real_half(problem, orbit, point);
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
    return next;
  }

  const OrbitSystem& system_;
  const BranchOptions& options_;
  Branch& branch_;
  StageFinder finder_;
  std::string contradiction_;
};

/// Numbers the special points of each kind along the branch.
void number_labels(Branch& branch) {
  std::map<std::string, int> count;
  for (BranchPoint& point : branch.points) {
    if (point.special == SpecialKind::none) continue;
    const std::string kind(label_of(point.special));
    point.label = fmt::format("{}{}", kind, ++count[kind]);
  }
}

/// The start is a special point: it is marked as one, and not found a second time beside itself.
void keep_label(const BranchPoint& start, double range, BranchPoint& first,
                const std::vector<std::vector<BranchPoint>*>& legs) {
  first.special = start.special;
  first.note = start.note;
  first.null_vector = start.null_vector;
  first.stable = false;
  for (std::vector<BranchPoint>* points : legs)
    if (!points->empty() && points->front().special == start.special &&
        std::abs(points->front().parameter - first.parameter) < 1e-7 * range)
      points->erase(points->begin());
}

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
  if (!halves[0].empty()) origin.stable = halves[0].front().stable;
  if (!halves[0].empty() || !halves[1].empty()) branch.points.push_back(origin);
  branch.points.insert(branch.points.end(), halves[0].begin(), halves[0].end());
  number_labels(branch);
  return branch;
}

}  // namespace saltus
