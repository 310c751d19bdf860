// Where a curve cannot be followed further, but its orbits can: what a leg does there.

#include <fmt/format.h>

#include <cmath>

#include "saltus/analysis/branches/branch_leg.hpp"
#include "saltus/analysis/branches/lost_chatter.hpp"
#include "saltus/analysis/branches/sequence_change.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

std::optional<Stage> Leg::over_stop(const Stage& stage, const Continuation& curve, std::vector<BranchPoint>& points) {
  if (auto next = over_hop(stage, curve, points)) return next;
  if (auto next = over_flat_impact(stage, curve, points)) return next;
  const auto meeting = near_meeting(*stage.problem, curve);
  if (!meeting) return std::nullopt;
  CurvePoint at = arrival(curve, finder_.range());
  at.y = meeting->y;
  return over(stage, at, SpecialKind::grazing, meeting->brink, points, [](const BranchPoint&) { return true; });
}

std::optional<Stage> Leg::over(const Stage& stage, const CurvePoint& at, SpecialKind kind, const Brink& brink,
                               std::vector<BranchPoint>& points, const std::function<bool(const BranchPoint&)>& fits) {
  BranchPoint point = point_of(*stage.problem, at.y);
  point.special = kind;
  point.brink = brink;
  const std::vector<std::string> sequences = branch_.sequences;
  auto next = beyond(stage, at, point, points);
  if (!next || !fits(point)) {
    branch_.sequences = sequences;
    return std::nullopt;
  }
  points.push_back(std::move(point));
  return next;
}

std::optional<Stage> Leg::over_hop(const Stage& stage, const Continuation& curve, std::vector<BranchPoint>& points) {
  if (curve.end != CurveEnd::no_convergence && curve.end != CurveEnd::refused) return std::nullopt;
  const auto hop = shortest_hop(*stage.problem, curve.points.back().y);
  if (!hop) return std::nullopt;
  return over(stage, arrival(curve, finder_.range()), SpecialKind::sliding, *hop, points, [&](const BranchPoint& at) {
    return at.orbit.plan.segments.size() < stage.problem->plan().segments.size();
  });
}

std::optional<Stage> Leg::over_flat_impact(const Stage& stage, const Continuation& curve,
                                           std::vector<BranchPoint>& points) {
  const auto impact = flat_impact(*stage.problem, curve);
  if (!impact) return std::nullopt;
  const CurvePoint at = arrival(curve, finder_.range());
  auto next = finder_.with_same_sequence(*stage.problem, at);
  if (!next || was_passed(*next, points)) return std::nullopt;
  const auto is_there = [&](const BranchPoint& point) {
    return point.special == SpecialKind::none && std::abs(point.parameter - at.parameter()) < 1e-9 * finder_.range();
  };
  while (!points.empty() && is_there(points.back())) points.pop_back();
  points.push_back(point_of(*stage.problem, at.y));
  points.back().special = SpecialKind::grazing;
  points.back().passage = Passage::persists;
  points.back().brink = impact;
  points.back().note = flat_words(*impact) + "; the branch goes on with the same sequence";
  return next;
}

std::string Leg::flat_words(const Brink& impact) const {
  return fmt::format("an impact on '{}' loses its speed, at a zero of its gap of higher order",
                     options_.names.contacts.at(impact.index));
}

}  // namespace saltus
