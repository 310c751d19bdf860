#include "saltus/analysis/branches/orbit_family.hpp"

#include <fmt/format.h>

#include <map>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/branch_end.hpp"
#include "saltus/analysis/branches/branch_stop.hpp"
#include "saltus/analysis/branches/shrunk_family.hpp"
#include "saltus/base/setting.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// One family being followed to both sides.
class FamilyFollower {
 public:
  FamilyFollower(const OrbitFamily& family, const std::string& label, const BranchOptions& options)
      : family_(family), label_(label), options_(options) {}

  BranchPoint point_of(const Vector& y) const {
    const HybridOrbit& orbits = family_.orbits();
    const Vector of_orbit = family_.of_orbit(y);
    BranchPoint point;
    point.orbit = orbits.orbit(of_orbit);
    point.parameter = y[y.size() - 1];
    point.returns = orbits.return_states(of_orbit);
    point.period = orbits.period(of_orbit);
    point.drift = orbits.report(of_orbit).drift;
    point.multipliers = family_.multipliers(y);
    point.multiplier_logs = orbits.report(of_orbit).log_abs;
    point.special = family_.along();
    point.label = label_;
    return point;
  }

  /// A point of the curve as an orbit; nothing if a special point turns out to be none.
  std::optional<BranchPoint> taken(const CurvePoint& at) const {
    BranchPoint point = point_of(at.y);
    if (at.mark) point.special = SpecialKind::wanted;
    if (!at.zero_of) return point;
    if (*at.zero_of < first_problem_test) return std::nullopt;  // the curve turns back in the parameter
    const FamilyPoint met = family_.met(at.y, *at.zero_of - first_problem_test);
    if (met.is_bound) return point;
    if (met.kind == SpecialKind::none) return std::nullopt;
    point.special = met.kind;
    point.note = met.words;
    return point;
  }

  BranchEnd follow(const Vector& start, const Vector& direction,
                   const std::function<Acceptance(const CurvePoint&)>& accept, const std::string& refused,
                   std::vector<BranchPoint>& points) const {
    const auto shown = [&](const CurvePoint& at) {
      auto point = is_interrupted() ? std::nullopt : taken(at);
      if (!point || is_interrupted()) return false;  // motions that were to tell of it may have ended early
      points.push_back(std::move(*point));
      return met_stop(points, options_.stops).has_value();
    };
    const Continuation curve = followed(family_, start, direction, options_.curve, accept, {}, shown);
    if (is_interrupted()) return {CurveEnd::interrupted, ""};
    if (const auto met = met_stop(points, options_.stops)) {
      points.resize(met->point + 1);
      return {CurveEnd::stopped, said(fmt::format("stopped, as ⟨stop⟩ {} says", in_words(met->stop)))};
    }
    if (curve.end != CurveEnd::special) return {curve.end, refused};
    const FamilyPoint met = family_.met(curve.points.back().y, *curve.points.back().zero_of - first_problem_test);
    if (met.is_bound) return {CurveEnd::bound, ""};
    return {CurveEnd::special, met.words};
  }

  bool is_interrupted() const { return options_.curve.interrupted && options_.curve.interrupted(); }

 private:
  const OrbitFamily& family_;
  const std::string& label_;
  const BranchOptions& options_;
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

Branch followed_family(const OrbitFamily& family, const Vector& start, const std::string& label,
                       const BranchOptions& options, const std::function<std::string(const Vector& y)>& refusal,
                       bool changes_sequence) {
  const FamilyFollower follower(family, label, options);
  Branch branch;
  branch.along = family.along();
  branch.sequences = {sequence_text(family.orbits().plan(), options.names)};
  const Vector hold = Vector::Unit(start.size(), start.size() - 2);
  const BranchPoint first = follower.point_of(start);
  std::vector<BranchPoint> halves[2];
  for (const int side : {0, 1}) {
    std::string refused;
    bool leaves = false;
    ShrinkingFamily shrinking(family);
    const auto accept = [&](const CurvePoint& point) {
      if (options.progress) options.progress(0.5);
      refused = refusal(point.y);
      leaves = !refused.empty();
      if (leaves) return Acceptance::shorten;
      if (const auto answer = shrinking.judged(point.y)) return *answer;
      if (!changes_sequence) refused = family.orbits().contradiction(family.of_orbit(point.y));
      return refused.empty() ? Acceptance::take : Acceptance::shorten;
    };
    BranchEnd end = follower.follow(start, (side == 0 ? -1.0 : 1.0) * hold, accept, "", halves[side]);
    if (end.words.empty()) end.words = refused;
    if (end.reason == CurveEnd::refused && leaves) end.reason = CurveEnd::special;
    const auto hopf = follower.is_interrupted() ? std::nullopt : shrinking.ended(end.reason);
    if (hopf) end = *hopf;
    if (hopf && shrinking.hopf())
      halves[side].push_back(shrunk_into(*shrinking.hopf(), halves[side].empty() ? first : halves[side].back()));
    branch.ends.push_back(end);
    if (end.reason == CurveEnd::closed) {  // it is not gone round a second time
      branch.ends.push_back(end);
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
