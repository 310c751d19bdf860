#include "saltus/analysis/branches/branch_leg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/branch_end.hpp"
#include "saltus/analysis/branches/branch_stop.hpp"
#include "saltus/analysis/branches/half_orbit.hpp"
#include "saltus/analysis/branches/lost_chatter.hpp"
#include "saltus/analysis/branches/orbit_segments.hpp"
#include "saltus/analysis/branches/partner_orbit.hpp"
#include "saltus/analysis/branches/same_motion.hpp"
#include "saltus/analysis/branches/sequence_change.hpp"
#include "saltus/base/setting.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int most_lengthening = 12;  // steps of a family along which its orbits only become longer
constexpr double small_orbit = 1e-2;  // of the longest on the way: an equilibrium may be near

bool lies_beyond(const CurvePoint& end, const CurvePoint& point) {
  return (point.parameter() - end.parameter()) * end.tangent[end.tangent.size() - 1] > 0.0;
}

/// Found as a special point of the same kind at the same value of the parameter.
bool is_listed(const BranchPoint& start, const std::vector<BranchPoint>& points, double range) {
  return std::any_of(points.begin(), points.end(), [&](const BranchPoint& point) {
    return point.special == start.special && std::abs(point.parameter - start.parameter) < 1e-7 * range;
  });
}

}  // namespace

BranchEnd Leg::follow(Stage stage, std::vector<BranchPoint>& points) {
  const std::optional<BranchGate> gate = gate_at(stage);
  const Stage first = stage;
  longest_path_ = 0.0;
  for (int change = 0; change <= options_.most_changes; ++change) {
    contradiction_.clear();
    if (change > 0) add_wanted(stage, points.back().parameter, points);
    if (const auto end = stopped(points)) return *end;
    const Continuation curve = curve_of(stage, gate, points);
    branch_.unexplained.insert(branch_.unexplained.end(), curve.unexplained.begin(), curve.unexplained.end());
    const auto lost = is_interrupted() ? std::nullopt : lost_chatter(*stage.problem, curve);
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      if (lost && lies_beyond(*lost, curve.points[i + 1])) break;
      if (shown_[i]) add(std::move(*shown_[i]), points);
    }
    if (is_interrupted()) return {CurveEnd::interrupted, ""};
    if (lost) {
      if (auto end = over_lost_chatter(stage, curve, *lost, points)) return *std::move(end);
      continue;
    }
    if (const auto end = curve.end != CurveEnd::special ? stopped(points) : std::nullopt) return *end;
    if (cuts_) {
      const auto cut = with_cuts(stage, curve, *cuts_);
      if (is_interrupted()) return {CurveEnd::interrupted, ""};
      if (!cut) return {CurveEnd::no_convergence, "the orbit is too unstable to be followed"};
      stage = *cut;
      --change;
      continue;
    }
    if (hopf_) return shrunk(*stage.problem, points);
    if (lengthening_ > most_lengthening) return long_family_end(*stage.problem, curve);
    const std::size_t before = points.size();
    if (const auto next = over_stop(stage, curve, points)) {
      stage = *next;
      continue;
    }
    if (is_interrupted()) return interrupted_at(std::min(points.size(), before), points);
    if (const auto finer = cut_finer(stage, curve)) {
      stage = *finer;
      --change;
      continue;
    }
    if (curve.end == CurveEnd::closed) points.back() = point_of(*first.problem, first.y);
    if (curve.end == CurveEnd::vertical) return long_period_end(*stage.problem, curve, points, finder_.range());
    if (curve.end != CurveEnd::special) return {curve.end, words_for(*stage.problem, curve)};
    if (points.empty() || is_ordinary(points.back().special)) return unconfirmed_end();
    if (is_birth(*curve.points.back().zero_of)) {
      const BranchEnd end = birth(*stage.problem, points);
      return is_interrupted() ? without_last(points) : end;
    }
    const auto next = beyond(stage, arrival(curve, finder_.range()), points.back(), points);
    if (is_interrupted()) return without_last(points);
    if (const auto end = stopped(points)) return *end;
    if (!next) return {CurveEnd::special, points.back().note};
    if (was_here_before(points, finder_.problem_of(points.back().orbit)->sizes(), finder_.range()))
      return {CurveEnd::special, "back at an orbit that was passed before: more than two branches meet there"};
    stage = *next;
  }
  return {CurveEnd::most_points, "the sequence of events changes too often"};
}

std::optional<BranchEnd> Leg::over_lost_chatter(Stage& stage, const Continuation& curve, const CurvePoint& lost,
                                                std::vector<BranchPoint>& points) {
  points.push_back(point_of(*stage.problem, lost.y));
  points.back().special = SpecialKind::sliding;
  points.back().brink = slide_of_chatter(*stage.problem, curve.points.back());
  const auto next = beyond(stage, lost, points.back(), points);
  if (is_interrupted()) return without_last(points);
  if (!next) return BranchEnd{CurveEnd::special, points.back().note};
  stage = *next;
  return std::nullopt;
}

BranchEnd Leg::interrupted_at(std::size_t count, std::vector<BranchPoint>& points) {
  points.resize(count);
  return {CurveEnd::interrupted, ""};
}

BranchEnd Leg::without_last(std::vector<BranchPoint>& points) {
  return interrupted_at(points.empty() ? 0 : points.size() - 1, points);
}

void Leg::follow_both_sequences(const std::shared_ptr<const HybridOrbit>& problem, const Vector& y, SpecialKind kind,
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
  if (is_interrupted()) {
    branch_.ends.assign(2, {CurveEnd::interrupted, ""});
    return;
  }
  const bool up = before && before->y[before->y.size() - 1] < first.parameter;
  const CurvePoint at{y, (up ? 1.0 : -1.0) * parameter_direction(*problem), {}, {}};
  const bool closed = branch_.ends.back().reason == CurveEnd::closed;
  // The start was come to from the other side: it is listed there, with what happens.
  if (closed && is_listed(first, own, finder_.range())) first.special = SpecialKind::none;
  if (closed) branch_.ends.push_back(branch_.ends.back());
  else if (is_of_fewer_returns(first, first.returns.size(), problem->sizes()))
    branch_.ends.push_back({CurveEnd::special, first.note});
  else along(beyond({problem, y, at.tangent}, at, first, own), other);
}

std::size_t Leg::sequence_of(const OrbitPlan& plan) {
  const std::string text = sequence_text(plan, options_.names);
  const auto found = std::find(branch_.sequences.begin(), branch_.sequences.end(), text);
  if (found != branch_.sequences.end()) return static_cast<std::size_t>(found - branch_.sequences.begin());
  branch_.sequences.push_back(text);
  return branch_.sequences.size() - 1;
}

BranchPoint Leg::point_of(const HybridOrbit& problem, const Vector& y) {
  BranchPoint point;
  point.orbit = problem.orbit(y);
  point.parameter = y[y.size() - 1];
  point.returns = problem.return_states(y);
  point.period = problem.period(y);
  point.drift = problem.report(y).drift;
  point.multipliers = problem.report(y).multipliers;
  point.multiplier_logs = problem.report(y).log_abs;
  point.sequence = point.sequence_beyond = sequence_of(problem.plan());
  return point;
}

std::optional<BranchGate> Leg::gate_at(const Stage& stage) const {
  const auto tangent = curve_tangent(*stage.problem, stage.y, stage.direction);
  const double way = tangent ? (*tangent)[tangent->size() - 1] : 0.0;
  if (std::abs(way) < 1e-6) return std::nullopt;
  return BranchGate(system_, stage.problem->orbit(stage.y), way > 0.0 ? 1.0 : -1.0);
}

Continuation Leg::curve_of(const Stage& stage, const std::optional<BranchGate>& gate,
                           const std::vector<BranchPoint>& points) {
  ContinuationOptions way = options_.curve;
  if (!way.family)
    way.ends_when_vertical = [&](const Vector& y) { return stands_still(*stage.problem, y, options_.longest); };
  lengthening_ = 0;
  way.most_points = std::max<std::size_t>(way.most_points, points.size() + 2) - points.size();
  last_ = stage.y;
  hopf_.reset();
  cuts_.reset();
  watch_.begin_again();
  shown_.clear();
  return followed(
      *stage.problem, stage.y, stage.direction, way,
      [&](const CurvePoint& point) { return judged(*stage.problem, point); },
      [&](const CurvePoint& from, const CurvePoint& to) {
        return gate ? gate->passed(*stage.problem, from, to, way) : std::nullopt;
      },
      [&, all = points](const CurvePoint& point) mutable {
        shown_.push_back(taken(*stage.problem, point));
        if (is_interrupted()) shown_.back().reset();  // motions that were to tell of it may have ended early
        if (options_.stops.empty() || !shown_.back() || !(point.zero_of || point.mark)) return false;
        add(*shown_.back(), all);
        return met_stop(all, options_.stops).has_value();
      });
}

std::optional<BranchEnd> Leg::stopped(std::vector<BranchPoint>& points) const {
  const auto met = met_stop(points, options_.stops);
  if (!met) return std::nullopt;
  points.resize(met->point + 1);
  return BranchEnd{CurveEnd::stopped, said(fmt::format("stopped, as ⟨stop⟩ {} says", in_words(met->stop)))};
}

std::optional<Acceptance> Leg::shrinking(const HybridOrbit& problem, const Vector& y) {
  const PhaseState phase = problem.phase_state(y);
  const bool goes_on = phase.speed > 1e-3 && phase.cosine > 0.5;
  const bool may_shrink = problem.plan().segments.back().end.kind == SegmentEnd::Kind::phase && !options_.curve.family;
  const double path = may_shrink ? problem.path_length(y) : 0.0;
  longest_path_ = std::max(longest_path_, path);
  const bool is_small = may_shrink && path < small_orbit * longest_path_;
  if (goes_on && !is_small) return std::nullopt;
  if (is_small || phase.speed <= 1e-3)
    hopf_ = hopf_near(system_, problem.orbit(last_), problem.sizes(), finder_.range());
  if (hopf_ && !is_into(problem, *hopf_)) hopf_.reset();
  // So near to the equilibrium that the parameter tells nothing between: rounding errors would only be followed.
  if (goes_on && hopf_ && std::abs(hopf_->parameter - y.tail(1)[0]) > 1e-8 * finder_.range()) hopf_.reset();
  // A step from a large orbit passes over what lies between it and the equilibrium, as a fold does beside a Hopf bifurcation that nearly degenerates.
  const double least = hopf_ && is_wanted_before(hopf_->parameter) ? small_orbit * small_orbit : small_orbit;
  if (!goes_on && hopf_ && problem.path_length(last_) > least * longest_path_) return Acceptance::shorten;
  if (goes_on && !hopf_) return std::nullopt;
  return hopf_ ? Acceptance::stop : Acceptance::shorten;
}

bool Leg::is_into(const HybridOrbit& problem, const HopfPoint& at) const {
  const Vector apart = (problem.orbit(last_).x.front() - at.x).cwiseQuotient(problem.sizes());
  return apart.norm() < 10.0 * problem.path_length(last_) &&
         std::abs(at.parameter - last_.tail(1)[0]) < 0.1 * finder_.range();
}

Acceptance Leg::judged(const HybridOrbit& problem, const CurvePoint& point) {
  if (options_.progress) options_.progress(covered(point.parameter()));
  if (const auto answer = shrinking(problem, point.y)) return *answer;
  const Acceptance answer = followed_by_motion(problem, point);
  if (answer != Acceptance::take) return answer;
  // Measured anew at its start, nothing would have changed; and one orbit of a family at one value cannot be solved for alone.
  cuts_ = watch_.wanted(problem, last_, point.y, !shown_.empty() && !options_.curve.family);
  if (cuts_) return Acceptance::stop;
  lengthening_ = options_.curve.family && only_lengthens(problem, point) ? lengthening_ + 1 : 0;
  if (lengthening_ > most_lengthening) return Acceptance::stop;
  last_ = point.y;
  return answer;
}

std::optional<Stage> Leg::with_cuts(const Stage& stage, const Continuation& curve, std::size_t cuts) const {
  const Vector y = curve.points.empty() ? stage.y : curve.points.back().y;
  const Vector along = curve.points.empty() ? stage.direction : curve.points.back().tangent;
  const auto orbit = cut_into(system_, stage.problem->orbit(y), cuts);
  if (!orbit) return std::nullopt;
  const auto problem = finder_.problem_of(*orbit);
  const Vector direction = with_other_cuts(*stage.problem, along, *problem);
  const Correction on = corrected(*problem, problem->unknowns(*orbit), direction, options_.curve, 12);
  if (!on.converged()) return std::nullopt;
  return Stage{problem, on.y, direction};
}

std::optional<Stage> Leg::cut_finer(const Stage& stage, const Continuation& curve) const {
  if (curve.end != CurveEnd::no_convergence && curve.end != CurveEnd::singular) return std::nullopt;
  const auto cuts = finer_cut(*stage.problem, curve.points.empty() ? stage.y : curve.points.back().y);
  return cuts ? with_cuts(stage, curve, *cuts) : std::nullopt;
}

Acceptance Leg::followed_by_motion(const HybridOrbit& problem, const CurvePoint& point) {
  const double smallest = smallest_brink(problem, point.y);
  const std::string found = problem.contradiction(point.y);
  if (found.empty()) return Acceptance::take;
  if (std::abs(smallest) < 1e-6) return Acceptance::take;
  contradiction_ = found;
  return Acceptance::shorten;
}

double Leg::covered(double p) const {
  return std::clamp((p - options_.curve.lower) / (options_.curve.upper - options_.curve.lower), 0.0, 1.0);
}

std::optional<BranchPoint> Leg::taken(const HybridOrbit& problem, const CurvePoint& at) {
  BranchPoint point = point_of(problem, at.y);
  if (at.mark) point.special = SpecialKind::wanted;
  // The multipliers of a conservative system stand in pairs: those on the circle stay there.
  const bool of_pairs = at.zero_of && special_kind_of(*at.zero_of) == SpecialKind::torus;
  if (options_.curve.family && of_pairs) return std::nullopt;
  return at.zero_of ? confirmed(problem, at, std::move(point), options_.curve) : std::optional(std::move(point));
}

void Leg::add(BranchPoint point, std::vector<BranchPoint>& points) const {
  const auto meets = [&](const BranchPoint& a, SpecialKind first, const BranchPoint& b, SpecialKind second) {
    return a.special == first && b.special == second && std::abs(a.parameter - b.parameter) < 1e-9 * finder_.range();
  };
  const BranchPoint* last = points.empty() ? nullptr : &points.back();
  if (last && meets(*last, SpecialKind::branch_point, point, SpecialKind::fold)) return;
  if (last && meets(*last, SpecialKind::fold, point, SpecialKind::branch_point)) points.pop_back();
  points.push_back(std::move(point));
}

BranchEnd Leg::birth(const HybridOrbit& problem, std::vector<BranchPoint>& points) {
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

BranchEnd Leg::shrunk(const HybridOrbit& problem, std::vector<BranchPoint>& points) {
  points.push_back(at_equilibrium(point_of(problem, last_), *hopf_));
  return {CurveEnd::hopf, points.back().note, hopf_->frequency};
}

BranchEnd Leg::unconfirmed_end() const {
  return {CurveEnd::no_convergence, "its sequence of events seems to end, but nothing that would end it vanishes"};
}

std::string Leg::words_for(const HybridOrbit& problem, const Continuation& curve) const {
  if (const auto impact = flat_impact(problem, curve)) return flat_words(*impact);
  if (!contradiction_.empty() || curve.end != CurveEnd::no_convergence) return contradiction_;
  const CurvePoint& last = curve.points.back();
  const double way = last.tangent[last.tangent.size() - 1] > 0.0 ? 1.0 : -1.0;
  const std::string found =
      system_.rates.at(std::vector<double>{last.parameter() + way * 1e-6 * finder_.range()}).problem;
  return found.empty() ? "" : fmt::format("beyond, {}", found);
}

bool Leg::was_passed(const Stage& stage, const std::vector<BranchPoint>& points) const {
  std::vector<BranchPoint> all = passed_;
  all.insert(all.end(), points.begin(), points.end());
  return lies_among(system_, finder_, all, stage.problem->orbit(stage.y), options_.curve);
}

std::optional<Stage> Leg::beyond(const Stage& stage, const CurvePoint& at, BranchPoint& point,
                                 const std::vector<BranchPoint>& points) {
  const bool travels_up = at.tangent[at.tangent.size() - 1] > 0.0;
  point.passage = Passage::disappears;
  if (!point.brink) return std::nullopt;
  const SequenceChange change = changed_sequence(*stage.problem, at.y, *point.brink, options_.names);
  point.note = change.words;
  const Vector sizes = stage.problem->sizes();
  const Translations& translations = stage.problem->plan().translations;
  if (is_of_fewer_returns(point, distinct_returns(stage.problem->return_states(stage.y), sizes, translations), sizes))
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
  if (was_passed(*next, points)) {
    point.note += "; that orbit was passed before";
    return std::nullopt;
  }
  if (same_way && is_same_motion(system_, stage.problem->orbit(at.y), next->problem->orbit(next->y), sizes)) {
    point.special = SpecialKind::none;
    point.passage = Passage::none;
    point.brink.reset();
    point.note.clear();
  }
  return next;
}

}  // namespace saltus
