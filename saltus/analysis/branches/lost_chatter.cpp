#include "saltus/analysis/branches/lost_chatter.hpp"

#include <cmath>

#include "saltus/analysis/branches/chatter_limit.hpp"

namespace saltus {

std::optional<Brink> slide_of_chatter(const HybridOrbit& problem, const CurvePoint& at) {
  std::optional<Brink> shortest;
  for (const Brink& brink : problem.report(at.y).brinks)
    if (brink.kind == Brink::Kind::slide_length && problem.plan().segments[brink.segment].chatter &&
        (!shortest || brink.value < shortest->value))
      shortest = brink;
  return shortest;
}

std::optional<CurvePoint> lost_chatter(const HybridOrbit& problem, const Continuation& curve) {
  constexpr double near = 0.05;
  const bool early = curve.end == CurveEnd::no_convergence || curve.end == CurveEnd::refused;
  if (!early || curve.points.empty()) return std::nullopt;
  const CurvePoint& last = curve.points.back();
  const auto shortest = slide_of_chatter(problem, last);
  if (!shortest || shortest->value > near) return std::nullopt;
  const auto limit = chatter_limit(problem, last.y, shortest->segment);
  if (!limit) return std::nullopt;
  CurvePoint end = last;
  end.y = problem.unknowns(*limit);
  const Vector step = (end.y - last.y).cwiseQuotient(problem.scale());
  if (step.norm() > near) return std::nullopt;
  end.zero_of = first_problem_test + HybridOrbit::sliding_test;
  return end;
}

std::optional<Brink> shortest_hop(const HybridOrbit& problem, const Vector& y) {
  using Kind = SegmentEnd::Kind;
  const PlannedOrbit orbit = problem.orbit(y);
  const std::size_t m = orbit.x.size();
  const double T = problem.period(y);
  std::optional<Brink> shortest;
  for (std::size_t i = 0; m > 1 && i < m; ++i) {
    const SegmentEnd& before = orbit.plan.segments[(i + m - 1) % m].end;
    const SegmentPlan& plan = orbit.plan.segments[i];
    const SegmentPlan& next = orbit.plan.segments[(i + 1) % m];
    const bool hops = before.kind == Kind::release && plan.end == SegmentEnd{Kind::impact, before.index} &&
                      next.chatter == before.index;
    if (!hops || orbit.tau[i] > 0.02 * T) continue;
    if (!shortest || orbit.tau[i] / T < shortest->value)
      shortest = Brink{Brink::Kind::hop_length, i, before.index, 0.0, orbit.tau[i] / T};
  }
  return shortest;
}

namespace {

bool is_stuck(const Continuation& curve) {
  return curve.points.size() > 1 &&
         (curve.end == CurveEnd::no_convergence || curve.end == CurveEnd::refused || curve.end == CurveEnd::singular);
}

}  // namespace

std::optional<Brink> flat_impact(const HybridOrbit& problem, const Continuation& curve) {
  if (!is_stuck(curve)) return std::nullopt;
  const auto slowest = problem.brink(curve.points.back().y, HybridOrbit::speed_test);
  if (!slowest || slowest->kind != Brink::Kind::impact_speed) return std::nullopt;
  double fastest = 0.0;
  for (const CurvePoint& point : curve.points) {
    const double value = point.tests[first_problem_test + HybridOrbit::speed_test];
    if (value > fastest) fastest = value;
  }
  return std::abs(slowest->value) < 1e-6 * fastest ? slowest : std::nullopt;
}

std::optional<NearMeeting> near_meeting(const HybridOrbit& problem, const Continuation& curve) {
  if (!is_stuck(curve)) return std::nullopt;
  const CurvePoint& last = curve.points.back();
  const double T = problem.period(last.y);
  for (const Brink& brink : problem.report(last.y).brinks) {
    const std::size_t i = brink.segment;
    const double left = problem.orbit(last.y).tau[i];
    if (brink.kind != Brink::Kind::switch_order || std::abs(left) > 1e-6 * T) continue;
    const Vector change = last.tangent.cwiseProduct(problem.scale());
    const double part = -left / problem.orbit(change).tau[i];
    if (!(std::abs(part) < 1e-4)) continue;
    return NearMeeting{last.y + part * change, brink};
  }
  return std::nullopt;
}

}  // namespace saltus
