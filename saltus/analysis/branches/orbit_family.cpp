#include "saltus/analysis/branches/orbit_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/branch_closure.hpp"
#include "saltus/analysis/branches/branch_end.hpp"
#include "saltus/analysis/branches/branch_stop.hpp"
#include "saltus/analysis/branches/orbit_segments.hpp"
#include "saltus/analysis/branches/shrunk_family.hpp"
#include "saltus/base/setting.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int many_lengthening = 12;
constexpr double still = 1e-6;  // of the parameters, along a step of length 1

/// The orbit with which one side of a family begins: a curve that passes it again, in the same direction, is closed.
class FamilyGate {
 public:
  FamilyGate(const OrbitFamily& family, const Vector& start, const Vector& direction)
      : orbit_(family.orbits().orbit(family.of_orbit(start))) {
    const auto tangent = curve_tangent(family, start, direction);
    if (!tangent) return;
    const Vector ways = tangent->tail(2);
    place_ = std::abs(ways[0]) > std::abs(ways[1]) ? 0 : 1;
    way_ = std::abs(ways[place_]) < 1e-6 ? 0.0 : ways[place_];
  }

  /// Whether the curve leaves it towards another value of a parameter: it may be passed again.
  bool stands() const { return way_ != 0.0; }

  std::optional<Vector> passed(const OrbitFamily& family, const CurvePoint& from, const CurvePoint& to,
                               const ContinuationOptions& options) const {
    const Index k = from.y.size() - 2 + place_;
    const double value = orbit_.varied[static_cast<std::size_t>(place_)];
    const double before = (value - from.y[k]) * way_, behind = (to.y[k] - value) * way_;
    if (!(before > 0.0) || !(behind >= 0.0)) return std::nullopt;
    const HybridOrbit& orbits = family.orbits();
    const OrbitSystem& system = orbits.system();
    // Cut anew, the first orbit has another last digit: the curve leaves it there and does not pass it.
    if (is_same_orbit(system, orbits.orbit(family.of_orbit(from.y)), orbit_)) return std::nullopt;
    Vector guess = from.y + before / (before + behind) * (to.y - from.y);
    guess[k] = value;
    const Correction there = corrected(family, guess, Vector::Unit(guess.size(), k), options, options.most_iterations);
    if (!there.converged()) return std::nullopt;
    return is_same_orbit(system, orbits.orbit(family.of_orbit(there.y)), orbit_) ? std::optional(there.y)
                                                                                 : std::nullopt;
  }

 private:
  PlannedOrbit orbit_;
  Index place_ = 0;  // among the varied parameters: the one that changes more
  double way_ = 0.0;  // in which direction; 0: neither changes
};

/// One family being followed to one side.
class FamilyFollower {
 public:
  FamilyFollower(std::shared_ptr<const OrbitFamily> family, const std::string& label, const BranchOptions& options,
                 const FamilyRefusal& refusal, bool changes_sequence)
      : family_(std::move(family)),
        label_(label),
        options_(options),
        refusal_(refusal),
        changes_sequence_(changes_sequence),
        watch_(options.curve.largest_step) {}

  BranchPoint point_of(const Vector& y) const {
    const HybridOrbit& orbits = family_->orbits();
    const Vector of_orbit = family_->of_orbit(y);
    BranchPoint point;
    point.orbit = orbits.orbit(of_orbit);
    point.parameter = y[y.size() - 1];
    point.returns = orbits.return_states(of_orbit);
    point.period = orbits.period(of_orbit);
    point.drift = orbits.report(of_orbit).drift;
    point.multipliers = family_->multipliers(y);
    point.multiplier_logs = orbits.report(of_orbit).log_abs;
    point.special = family_->along();
    point.label = label_;
    return point;
  }

  /// Appends the points behind the start, which is not repeated. Where the orbits are cut anew the curve goes on with other unknowns.
  BranchEnd follow(Vector start, Vector direction, std::vector<BranchPoint>& points) {
    const BranchPoint first = point_of(start);
    const FamilyGate gate(*family_, start, direction);
    for (;;) {
      // Also with its first unknowns: an orbit without forcing comes back with another phase, so that its unknowns are not those of the start.
      const Continuation curve = curve_from(start, direction, gate.stands() ? &gate : nullptr, points);
      if (is_interrupted()) return {CurveEnd::interrupted, ""};
      if (const auto met = met_stop(points, options_.stops)) {
        points.resize(met->point + 1);
        return {CurveEnd::stopped, said(fmt::format("stopped, as ⟨stop⟩ {} says", in_words(met->stop)))};
      }
      if (!cuts_) cuts_ = remedy(curve);
      const bool fails = curve.end == CurveEnd::no_convergence || curve.end == CurveEnd::singular;
      if (cuts_ && cut_anew(curve.points.back(), start, direction)) continue;
      if (fails) cuts_.reset();
      return end_of(curve, first, points);
    }
  }

 private:
  Continuation curve_from(const Vector& start, const Vector& direction, const FamilyGate* gate,
                          std::vector<BranchPoint>& points) {
    cuts_.reset();
    watch_.begin_again();
    has_left_ = false;
    last_ = start;
    ContinuationOptions way = options_.curve;
    way.most_points = std::max(way.most_points, points.size() + 2) - points.size();
    const auto shown = [&](const CurvePoint& at) {
      has_left_ = true;
      auto point = is_interrupted() ? std::nullopt : taken(at);
      if (!point || is_interrupted()) return false;  // motions that were to tell of it may have ended early
      points.push_back(std::move(*point));
      return met_stop(points, options_.stops).has_value();
    };
    const auto closing = [&, gate](const CurvePoint& from, const CurvePoint& to) {
      return gate->passed(*family_, from, to, options_.curve);
    };
    return followed(
        *family_, start, direction, way, [&](const CurvePoint& point) { return judged(point); },
        gate ? Closing(closing) : Closing(), shown);
  }

  Acceptance judged(const CurvePoint& point) {
    const Vector& y = point.y;
    if (options_.progress) options_.progress(0.5);
    refused_ = refusal_(*family_, y);
    leaves_ = !refused_.empty();
    if (leaves_) return Acceptance::shorten;
    if (const auto answer = shrinking_.judged(*family_, y)) return *answer;
    if (changes_sequence_) return Acceptance::take;
    refused_ = family_->orbits().contradiction(family_->of_orbit(y));
    if (!refused_.empty()) return Acceptance::shorten;
    cuts_ = watch_.wanted(family_->orbits(), family_->of_orbit(last_), family_->of_orbit(y), has_left_);
    if (cuts_ || (watch_.creeps() && shrinking_.nears_equilibrium(*family_, y))) return Acceptance::stop;
    last_ = y;
    return is_beside_saddles(point) ? Acceptance::stop : Acceptance::take;
  }

  /// For many steps the orbits have only become longer, and spend their time beside saddles.
  bool is_beside_saddles(const CurvePoint& point) {
    const HybridOrbit& orbits = family_->orbits();
    CurvePoint of_orbit{family_->of_orbit(point.y), family_->of_orbit(point.tangent), {}, {}};
    const bool stands_still = point.tangent.tail(2).norm() < still;  // the parameters do
    lengthening_ = stands_still && only_lengthens(orbits, of_orbit) ? lengthening_ + 1 : 0;
    if (lengthening_ < many_lengthening) return false;
    lengthening_ = 0;
    const BranchEnd end = long_family_end(orbits, {.points = {std::move(of_orbit)}});
    if (!end.saddles.empty()) long_end_ = end;
    return long_end_.has_value();
  }

  /// A point of the curve as an orbit; nothing if a special point turns out to be none.
  std::optional<BranchPoint> taken(const CurvePoint& at) const {
    BranchPoint point = point_of(at.y);
    if (at.mark) point.special = SpecialKind::wanted;
    if (!at.zero_of) return point;
    if (*at.zero_of < first_problem_test) return std::nullopt;  // the curve turns back in the parameter
    const FamilyPoint met = family_->met(at.y, *at.zero_of - first_problem_test);
    if (met.is_bound) return point;
    if (met.kind == SpecialKind::none) return std::nullopt;
    point.special = met.kind;
    point.note = met.words;
    return point;
  }

  /// Where Newton's method fails: into how many segments the orbits are cut to try again.
  std::optional<std::size_t> remedy(const Continuation& curve) const {
    const bool fails = curve.end == CurveEnd::no_convergence || curve.end == CurveEnd::singular;
    if (!fails || changes_sequence_ || curve.points.empty()) return std::nullopt;
    return finer_cut(family_->orbits(), family_->of_orbit(curve.points.back().y));
  }

  /// Goes over to other segments at the last point, in the same direction. False if the orbit cannot be cut so.
  bool cut_anew(const CurvePoint& last, Vector& start, Vector& direction) {
    const HybridOrbit& old = family_->orbits();
    const auto orbit = cut_into(old.system(), old.orbit(family_->of_orbit(last.y)), *cuts_);
    if (!orbit) return false;
    const auto orbits = std::make_shared<const HybridOrbit>(old.system(), *orbit, old.units().p);
    std::shared_ptr<const OrbitFamily> family = family_->over(orbits);
    const Vector along = family->with_orbit(with_other_cuts(old, family_->of_orbit(last.tangent), *orbits));
    const Vector guess = family->with_orbit(orbits->unknowns(*orbit));
    family->anchored_at(guess);
    const Correction on = corrected(*family, guess, along, options_.curve, 12);
    if (!on.converged()) return false;
    family_ = std::move(family);
    start = on.y;
    direction = along;
    return true;
  }

  BranchEnd end_of(const Continuation& curve, const BranchPoint& first, std::vector<BranchPoint>& points) {
    if (long_end_) return *long_end_;
    BranchEnd end{curve.end, ""};
    if (curve.end == CurveEnd::special) {
      const FamilyPoint met = family_->met(curve.points.back().y, *curve.points.back().zero_of - first_problem_test);
      end = met.is_bound ? BranchEnd{CurveEnd::bound, ""} : BranchEnd{CurveEnd::special, met.words};
    }
    if (cuts_) end = {CurveEnd::no_convergence, "the orbit is too unstable to be followed"};
    if (end.words.empty()) end.words = refused_;
    if (end.reason == CurveEnd::refused && leaves_) end.reason = CurveEnd::special;
    const auto hopf = cuts_ ? std::nullopt : shrinking_.ended(end.reason);
    if (hopf && shrinking_.hopf())
      points.push_back(shrunk_into(*shrinking_.hopf(), points.empty() ? first : points.back()));
    return hopf.value_or(end);
  }

  bool is_interrupted() const { return options_.curve.interrupted && options_.curve.interrupted(); }

  std::shared_ptr<const OrbitFamily> family_;
  const std::string& label_;
  const BranchOptions& options_;
  const FamilyRefusal& refusal_;
  bool changes_sequence_;
  CutWatch watch_;
  ShrinkingFamily shrinking_;
  std::optional<std::size_t> cuts_;  // into how many segments the orbits had better be cut
  Vector last_;  // the last point that was taken
  bool has_left_ = false;  // the start of the curve with these unknowns
  int lengthening_ = 0;  // so many steps have only made the orbits longer
  std::optional<BranchEnd> long_end_;
  std::string refused_;
  bool leaves_ = false;
};

/// Numbers what is met along the curve; its own orbits keep the label with which it began.
void number_met(Branch& branch) {
  std::map<SpecialKind, int> count;
  for (BranchPoint& point : branch.points)
    if (point.special != branch.along) point.label = numbered_label(point.special, ++count[point.special]);
}

}  // namespace

std::vector<std::complex<double>> OrbitFamily::multipliers(const Vector& y) const {
  return orbits().report(of_orbit(y)).multipliers;
}

FamilyPoint lost_sequence(const Brink& brink) {
  using Kind = Brink::Kind;
  switch (brink.kind) {
    case Kind::impact_speed:
    case Kind::blow_speed:
    case Kind::gap:
    case Kind::corner:
    case Kind::switch_side:
    case Kind::switch_order:
    case Kind::arrival: return {SpecialKind::grazing, "another event reaches zero speed, gap, force or length"};
    default: return {SpecialKind::sliding, "another event reaches zero speed, gap, force or length"};
  }
}

Branch followed_family(const std::shared_ptr<const OrbitFamily>& family, const Vector& start, const std::string& label,
                       const BranchOptions& options, const FamilyRefusal& refusal, bool changes_sequence) {
  Branch branch;
  branch.along = family->along();
  branch.sequences = {sequence_text(family->orbits().plan(), options.names)};
  const Vector hold = Vector::Unit(start.size(), start.size() - 2);
  const BranchPoint first = FamilyFollower(family, label, options, refusal, changes_sequence).point_of(start);
  std::vector<BranchPoint> halves[2];
  for (const int side : {0, 1}) {
    FamilyFollower follower(family, label, options, refusal, changes_sequence);
    branch.ends.push_back(follower.follow(start, (side == 0 ? -1.0 : 1.0) * hold, halves[side]));
    if (branch.ends.back().reason == CurveEnd::closed) {  // it is not gone round a second time
      branch.ends.push_back(branch.ends.back());
      break;
    }
  }
  branch.points.assign(halves[0].rbegin(), halves[0].rend());
  branch.points.push_back(first);
  branch.points.insert(branch.points.end(), halves[1].begin(), halves[1].end());
  number_met(branch);
  return branch;
}

Branch without_curve(const std::string& words) {
  Branch branch;
  branch.ends = {{CurveEnd::no_convergence, words}};
  return branch;
}

Vector scales_of(const BranchOptions& options, const SecondBounds& second) {
  Vector scales(2);
  scales << second.upper - second.lower, options.curve.upper - options.curve.lower;
  return scales;
}

}  // namespace saltus
