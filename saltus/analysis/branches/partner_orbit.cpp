#include "saltus/analysis/branches/partner_orbit.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/analysis/branches/branch_closure.hpp"

namespace saltus {
namespace {

/// Every state of `some` has one of `others` near it.
double farthest(const std::vector<Vector>& some, const std::vector<Vector>& others, const Translations& translations,
                const Vector& sizes) {
  double farthest = 0.0;
  for (const Vector& x : some) {
    double nearest = 1e300;
    for (const Vector& z : others)
      nearest = std::min(nearest, translations.remainder(x - z).cwiseQuotient(sizes).cwiseAbs().maxCoeff());
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

bool is_real(const HybridOrbit& problem, const Vector& y) {
  return smallest_brink(problem, y) > 0.0 && problem.contradiction(y).empty();
}

}  // namespace

double distance_between(const HybridOrbit& a, const Vector& y_a, const HybridOrbit& b, const Vector& y_b) {
  const double T = a.period(y_a);
  const double longer = std::abs(b.period(y_b) - T) / T;
  const Translations& translations = a.plan().translations;
  const auto far = [&](const std::vector<Vector>& some, const std::vector<Vector>& others) {
    return farthest(some, others, translations, a.sizes());
  };
  if (a.plan().periods > 0 || a.system().place.section) {
    const std::vector<Vector> one = a.return_states(y_a), other = b.return_states(y_b);
    return std::max({longer, far(one, other), far(other, one)});
  }
  if (!a.plan().has_events() || !b.plan().has_events()) return longer;  // they are cut anywhere
  const std::vector<Vector> one = a.orbit(y_a).x, other = b.orbit(y_b).x;
  return std::max(longer, one.size() < other.size() ? far(one, other) : far(other, one));
}

bool ends_in(const Stage& stage, const HybridOrbit& problem, const Vector& y, const ContinuationOptions& options) {
  constexpr double unresolved = 1e-9;
  constexpr double like_a_root = 0.7;  // 0.5 (1 + 40 %)
  const HybridOrbit& other = *stage.problem;
  const double end = y[y.size() - 1];
  const double begin = stage.y[stage.y.size() - 1];
  Vector at = stage.y;
  for (const double part : {0.5, 0.25}) {
    at[at.size() - 1] = end + part * (begin - end);
    const Correction on = corrected(other, at, parameter_direction(other), options, 12);
    if (!on.converged() || !is_real(other, on.y)) return false;
    at = on.y;
  }
  const double far = distance_between(problem, y, other, stage.y);
  return distance_between(problem, y, other, at) < std::max(like_a_root * far, unresolved);
}

bool lies_among(const OrbitSystem& system, const StageFinder& finder, const std::vector<BranchPoint>& points,
                const PlannedOrbit& orbit, const ContinuationOptions& options) {
  const double p = orbit.varied.back();
  const auto has_its_plan = [&](const BranchPoint& point) {
    return point.orbit.x.size() == orbit.x.size() && is_same_sequence(point.orbit.plan, orbit.plan);
  };
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const BranchPoint& a = points[i];
    const BranchPoint& b = points[i + 1];
    if ((a.parameter - p) * (b.parameter - p) > 0.0 || !has_its_plan(a) || !has_its_plan(b)) continue;
    const auto problem = finder.problem_of(a.orbit);
    const double part = b.parameter == a.parameter ? 0.0 : (p - a.parameter) / (b.parameter - a.parameter);
    const Vector from = problem->unknowns(a.orbit);
    Vector guess = from + part * (problem->unknowns(b.orbit) - from);
    guess[guess.size() - 1] = p;
    const Correction there = corrected(*problem, guess, parameter_direction(*problem), options, 12);
    if (there.converged() && is_same_orbit(system, problem->orbit(there.y), orbit)) return true;
  }
  return false;
}

}  // namespace saltus
