#include "saltus/analysis/branches/branch_closure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double same = 1e-6;  // differences in units of a component's range, of the duration, of the parameter

double duration_of(const PlannedOrbit& orbit) { return std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0); }

/// States along an orbit, evenly spread over each segment; those of a chatter are left out.
std::vector<Vector> states_along(const OrbitSystem& system, const PlannedOrbit& orbit, int count) {
  const ParameterPoint p = system.rates.at(orbit.varied);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  std::vector<Vector> states;
  double t = orbit.t;
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    Vector x = orbit.x[i];
    states.push_back(x);
    const double step = orbit.tau[i] / count;
    for (int k = 0; k < count && !orbit.plan.segments[i].chatter; ++k) {
      const Segment piece = flow(t + k * step, x, orbit.plan.segments[i].mode, step, SegmentFlow::Watch::nothing);
      if (!piece.whole) break;
      x = piece.x;
      states.push_back(x);
    }
    t += orbit.tau[i];
  }
  return states;
}

/// How far each component moves; of one that stands still what rounding leaves of its value.
Vector ranges_of(const std::vector<Vector>& states) {
  Vector least = states.front(), most = states.front(), size = Vector::Zero(least.size());
  for (const Vector& x : states) {
    least = least.cwiseMin(x);
    most = most.cwiseMax(x);
    size = size.cwiseMax(x.cwiseAbs());
  }
  return (most - least).cwiseMax(1e-6 * size).cwiseMax(1e-300);
}

/// Components that are turned back somewhere: angles.
std::vector<char> turning(const PlannedOrbit& orbit) {
  std::vector<char> angles(static_cast<std::size_t>(orbit.x.front().size()), 0);
  for (const SegmentPlan& segment : orbit.plan.segments)
    for (Index j = 0; j < segment.shift.size(); ++j)
      if (segment.shift[j] != 0.0) angles[static_cast<std::size_t>(j)] = 1;
  return angles;
}

bool is_near(const Vector& a, const Vector& b, const Vector& ranges, const std::vector<char>& angles) {
  Vector apart = a - b;
  for (Index j = 0; j < apart.size(); ++j)
    if (angles[static_cast<std::size_t>(j)]) apart[j] = std::remainder(apart[j], 2.0 * std::numbers::pi);
  return (apart.cwiseQuotient(ranges)).cwiseAbs().maxCoeff() < same;
}

/// Segment i of a is segment i + turn of b, for all i.
bool agree(const PlannedOrbit& a, const PlannedOrbit& b, std::size_t turn, const Vector& ranges, double forcing) {
  const std::size_t m = a.x.size();
  const double whole = duration_of(a);
  const std::vector<char> angles = turning(a);
  double t = b.t;
  for (std::size_t i = 0; i < turn; ++i) t += b.tau[i];
  if (forcing > 0.0 && std::abs(std::remainder(t - a.t, forcing)) > same * forcing) return false;
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t j = (i + turn) % m;
    const SegmentPlan& one = a.plan.segments[i];
    const SegmentPlan& other = b.plan.segments[j];
    if (one.end.kind != other.end.kind || one.end.index != other.end.index || !(one.mode == other.mode)) return false;
    if (std::abs(a.tau[i] - b.tau[j]) > same * whole || !is_near(a.x[i], b.x[j], ranges, angles)) return false;
  }
  return true;
}

/// Where an orbit without events and forcing passes a state, it passes it at some time: the point nearest to it lies on it.
bool passes(const OrbitSystem& system, const PlannedOrbit& orbit, const Vector& x, const Vector& ranges,
            const std::vector<Vector>& states) {
  const std::vector<char> angles = turning(orbit);
  const auto distance = [&](const Vector& state) { return (state - x).cwiseQuotient(ranges).norm(); };
  Vector nearest = *std::min_element(states.begin(), states.end(),
                                     [&](const Vector& a, const Vector& b) { return distance(a) < distance(b); });
  const ParameterPoint p = system.rates.at(orbit.varied);
  const Mode& mode = orbit.plan.segments.front().mode;
  const Mechanism mechanism(system.kernels, p.inputs);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  for (int i = 0; i < 8; ++i) {
    const Vector rate = mechanism.field(0.0, nearest, mode).rate.cwiseQuotient(ranges);
    const double ahead = rate.dot((x - nearest).cwiseQuotient(ranges)) / rate.squaredNorm();
    if (!std::isfinite(ahead) || std::abs(ahead) > 0.1 * duration_of(orbit)) return false;
    const Segment piece = flow(0.0, nearest, mode, ahead, SegmentFlow::Watch::nothing);
    if (!piece.whole) return false;
    nearest = piece.x;
  }
  return is_near(nearest, x, ranges, angles);
}

}  // namespace

bool is_same_sequence(const OrbitPlan& a, const OrbitPlan& b) {
  const std::size_t m = a.segments.size();
  const bool smooth = !a.has_events() && !b.has_events();  // wherever it is cut
  if (smooth && a.segments.front().mode == b.segments.front().mode) return true;
  if (m != b.segments.size()) return false;
  for (std::size_t turn = 0; turn < m; ++turn) {
    bool fits = true;
    for (std::size_t i = 0; i < m && fits; ++i) {
      const SegmentPlan& one = a.segments[i];
      const SegmentPlan& other = b.segments[(i + turn) % m];
      fits = one.end.kind == other.end.kind && one.end.index == other.end.index && one.mode == other.mode;
    }
    if (fits) return true;
  }
  return false;
}

bool is_same_orbit(const OrbitSystem& system, const PlannedOrbit& a, const PlannedOrbit& b) {
  const double whole = duration_of(a);
  if (a.plan.periods != b.plan.periods || !is_same_sequence(a.plan, b.plan)) return false;
  if (!(std::abs(whole - duration_of(b)) < same * whole)) return false;
  for (std::size_t i = 0; i < a.varied.size(); ++i)
    if (std::abs(a.varied[i] - b.varied[i]) > same * std::max(std::abs(a.varied[i]), std::abs(b.varied[i])))
      return false;
  const bool has_phase = a.plan.segments.back().end.kind == SegmentEnd::Kind::phase;
  const std::vector<Vector> states = states_along(system, a, has_phase ? 200 : 16);
  const Vector ranges = ranges_of(states);
  if (has_phase) return passes(system, a, b.x.front(), ranges, states);
  if (!a.plan.has_events()) return is_near(a.x.front(), b.x.front(), ranges, turning(a));
  const double forcing = a.plan.periods > 0 ? whole / static_cast<double>(a.plan.periods) : 0.0;
  for (std::size_t turn = 0; turn < a.x.size(); ++turn)
    if (agree(a, b, turn, ranges, forcing)) return true;
  return false;
}

std::optional<Vector> BranchGate::passed(const HybridOrbit& problem, const CurvePoint& from, const CurvePoint& to,
                                         const ContinuationOptions& options) const {
  const double gate = orbit_.varied.back();
  const double before = (from.parameter() - gate) * way_;
  const double after = (to.parameter() - gate) * way_;
  if (!(before < 0.0 && after >= 0.0) || !is_same_sequence(problem.plan(), orbit_.plan)) return std::nullopt;
  // Cut anew, the first orbit has another last digit: the curve leaves the gate there and does not pass it.
  if (is_same_orbit(system_, problem.orbit(from.y), orbit_)) return std::nullopt;
  Vector guess = from.y + before / (before - after) * (to.y - from.y);
  guess[guess.size() - 1] = gate;
  const Correction there = corrected(problem, guess, parameter_direction(problem), options, options.most_iterations);
  if (!there.converged() || !is_same_orbit(system_, problem.orbit(there.y), orbit_)) return std::nullopt;
  Vector y = there.y;
  y[y.size() - 1] = gate;
  return y;
}

}  // namespace saltus
