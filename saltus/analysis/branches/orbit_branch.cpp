#include "saltus/analysis/branches/orbit_branch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/branch_end.hpp"
#include "saltus/analysis/branches/branch_leg.hpp"
#include "saltus/analysis/curves/curve_marks.hpp"
#include "saltus/analysis/orbits/critical_multipliers.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

namespace {

/// The direction of a family of orbits at one value of the parameter: upwards they last longer.
Vector along_family(const HybridOrbit& problem, const Vector& y) {
  const Vector along = along_curve(problem, y);
  const PlannedOrbit change = problem.orbit(along.cwiseProduct(problem.scale()));
  return std::accumulate(change.tau.begin(), change.tau.end(), 0.0) < 0.0 ? -along : along;
}

/// Upwards in the parameter; in a fold, where the parameter stands still, along the curve.
Vector first_direction(const HybridOrbit& problem, const Vector& y, SpecialKind start, bool is_family) {
  if (is_family) return along_family(problem, y);
  return start == SpecialKind::fold ? along_curve(problem, y) : parameter_direction(problem);
}

Branch judged(Branch branch, const BranchOptions& options) {
  judge_stability(branch.points);
  if (options.curve.family) judge_family(branch.points);
  number_labels(branch);
  return branch;
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
  if (start.special == SpecialKind::none && mark_at(y, options.curve.marks)) first.special = SpecialKind::wanted;
  const Vector along = first_direction(*problem, y, start.special, options.curve.family);
  std::vector<BranchPoint> down, up;
  if (start.special == SpecialKind::grazing || start.special == SpecialKind::sliding) {
    leg.follow_both_sequences(problem, y, start.special, first, down, up);
  } else {
    const auto half = [&](double sign, std::vector<BranchPoint>& points) {
      std::vector<BranchPoint> passed(down.rbegin(), down.rend());
      passed.push_back(first);
      leg.has_passed(std::move(passed));
      branch.ends.push_back(leg.follow({problem, y, sign * along}, points));
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
  return judged(std::move(branch), options);
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
  if (count_of_multiplier(old->report(old->unknowns(at.orbit)).multipliers, doubles ? -1.0 : 1.0) > 1) {
    branch.ends.push_back({CurveEnd::no_convergence,
                           "several multipliers pass together: which orbits leave here is not decided by them"});
    return branch;
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
    problem->anchored_at(y);  // the first half has taken the phase with it
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
      leg.add_wanted({problem, off.y, direction}, at.parameter, halves[side]);
      halves[side].push_back(leg.point_of(*problem, off.y));
      end = leg.follow({problem, off.y, direction}, halves[side]);
      break;
    }
    const bool interrupted = options.curve.interrupted && options.curve.interrupted();
    branch.ends.push_back(interrupted ? BranchEnd{CurveEnd::interrupted, ""} : end);
  }
  branch.points.assign(halves[1].rbegin(), halves[1].rend());
  if (!halves[0].empty() || !halves[1].empty()) branch.points.push_back(origin);
  branch.points.insert(branch.points.end(), halves[0].begin(), halves[0].end());
  return judged(std::move(branch), options);
}

}  // namespace saltus
