#include "saltus/analysis/branches/orbit_segments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Kind = SegmentEnd::Kind;

constexpr double most_growth = 1e4;    // over one segment: then it is cut anew ...
constexpr double wanted_growth = 1e2;  // ... so that each has about this
constexpr std::size_t most_segments = 401;
constexpr double little_growth = 10.0;  // over a segment: shorter ones would be followed no better
constexpr double slow = 0.02;          // of the longest step: in many such steps the curve creeps
constexpr double much_longer = 1.5;  // than the orbit that the unknowns are measured by: then they are measured anew

/// Cuts are put anywhere in a motion without events that holds no contact and no switch.
bool can_be_cut(const OrbitPlan& plan) { return !plan.has_events() && !plan.segments.front().mode.is_masked(); }

}  // namespace

std::optional<std::size_t> better_cut(const HybridOrbit& problem, const Vector& y) {
  const OrbitPlan& plan = problem.plan();
  if (!can_be_cut(plan)) return std::nullopt;
  const std::size_t turns = runs_twice(plan) ? 2 : 1;
  const std::vector<double>& growth = problem.report(y).growth;
  const bool grows = !growth.empty() && *std::max_element(growth.begin(), growth.end()) > std::log(most_growth);
  // The unknowns are measured by the first orbit: of a much longer one every step would be short.
  const double measured = problem.units().t * static_cast<double>(plan.segments.size());
  const bool is_longer = plan.periods == 0 && problem.period(y) > much_longer * measured;
  if (!grows) return is_longer ? std::optional(plan.segments.size() / turns) : std::nullopt;
  double whole = 0.0;
  for (const double each : growth) whole += std::max(0.0, each);
  auto count = static_cast<std::size_t>(std::ceil(whole / std::log(wanted_growth) / static_cast<double>(turns)));
  // An odd number: halves of such an orbit are no orbits.
  count = std::min(count + (count % 2 == 0 ? 1 : 0), most_segments);
  if (count * turns > plan.segments.size()) return count;
  // All the growth lies in a short part of the orbit: segments are halved until it is shared out.
  const std::size_t more = 2 * (plan.segments.size() / turns) + 1;
  if (more <= most_segments) return more;
  return is_longer ? std::optional(plan.segments.size() / turns) : std::nullopt;
}

std::optional<std::size_t> finer_cut(const HybridOrbit& problem, const Vector& y) {
  const OrbitPlan& plan = problem.plan();
  // Of forced orbits a curve also fails where two branch points are one: it is to end there, in words.
  if (!can_be_cut(plan) || plan.periods > 0) return std::nullopt;
  const std::vector<double>& growth = problem.report(y).growth;
  if (growth.empty() || *std::max_element(growth.begin(), growth.end()) < std::log(little_growth)) return std::nullopt;
  const std::size_t more = 2 * (plan.segments.size() / (runs_twice(plan) ? 2 : 1)) + 1;
  return more <= most_segments ? std::optional(more) : std::nullopt;
}

std::optional<std::size_t> CutWatch::wanted(const HybridOrbit& problem, const Vector& before, const Vector& y,
                                            bool may_be_measured_anew) {
  auto cuts = better_cut(problem, y);
  const bool as_it_is = cuts && *cuts * (runs_twice(problem.plan()) ? 2 : 1) == problem.plan().segments.size();
  if (as_it_is && !may_be_measured_anew) cuts.reset();
  const double step = (y - before).cwiseQuotient(problem.scale()).norm();
  slow_steps_ = step < slow * largest_step_ ? slow_steps_ + 1 : 0;
  return cuts || !creeps() ? cuts : finer_cut(problem, y);
}

std::optional<PlannedOrbit> cut_into(const OrbitSystem& system, const PlannedOrbit& orbit, std::size_t count) {
  const std::size_t turns = runs_twice(orbit.plan) ? 2 : 1;
  const std::size_t m = orbit.x.size();
  const std::size_t all = count * turns;
  const double whole = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
  const ParameterPoint p = system.rates.at(orbit.varied);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  PlannedOrbit result = orbit;
  result.x.clear();
  result.tau.assign(all, whole / static_cast<double>(all));
  result.plan.segments.clear();
  const Mode& mode = orbit.plan.segments.front().mode;
  std::size_t i = 0;
  double t = 0.0;
  for (std::size_t k = 0; k < all; ++k) {
    // From the last of the old cuts before: an unstable motion is not followed for long. Turns are taken off where they were.
    const double wanted = whole * static_cast<double>(k) / static_cast<double>(all);
    for (; i + 1 < m && t + orbit.tau[i] <= wanted; ++i) {
      t += orbit.tau[i];
      result.plan.segments.back().shift += orbit.plan.segments[i].shift;
    }
    const Segment piece = flow(orbit.t + t, orbit.x[i], mode, wanted - t, SegmentFlow::Watch::nothing);
    if (!piece.whole) return std::nullopt;
    result.x.push_back(piece.x);
    const double part = static_cast<double>(k + 1) / static_cast<double>(all);
    const SegmentEnd end = orbit.plan.periods > 0
                               ? SegmentEnd{Kind::strobe, 0, static_cast<double>(orbit.plan.periods) * part}
                               : SegmentEnd{Kind::phase};
    result.plan.segments.push_back({mode, end, Vector::Zero(piece.x.size()), {}});
  }
  for (; i < m; ++i) result.plan.segments.back().shift += orbit.plan.segments[i].shift;
  share_out(result);
  return result;
}

Vector with_other_cuts(const HybridOrbit& from, const Vector& direction, const HybridOrbit& to) {
  const Vector moved = direction.cwiseProduct(from.scale());
  const PlannedOrbit change = from.orbit(moved);
  PlannedOrbit other = to.orbit(Vector::Zero(to.scale().size()));
  const double longer = std::accumulate(change.tau.begin(), change.tau.end(), 0.0);
  other.x.front() = change.x.front();
  for (double& tau : other.tau) tau = longer / static_cast<double>(other.tau.size());
  other.varied = change.varied;
  return to.unknowns(other).cwiseQuotient(to.scale()).normalized();
}

}  // namespace saltus
