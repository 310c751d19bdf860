#include "saltus/analysis/branches/long_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int orbit_samples = 400;          // of an orbit, at equal times
constexpr double beside_equilibrium = 0.1;        // of the sizes: a state as near is beside an equilibrium
constexpr double all_but_rest = 0.02;  // of the mean speed
constexpr double share_of_period = 0.02;  // of the period that is spent there

/// The orbit at equal times.
std::vector<Vector> sampled_states(const OrbitSystem& system, const PlannedOrbit& orbit) {
  const ParameterPoint p = system.rates.at(orbit.varied);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  const double period = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
  std::vector<Vector> states;
  double t = orbit.t;
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    const int count = std::max(1, static_cast<int>(std::lround(orbit_samples * orbit.tau[i] / period)));
    Vector x = orbit.x[i];
    for (int k = 0; k < count; ++k) {
      states.push_back(x);
      const double step = orbit.tau[i] / count;
      const Segment piece = flow(t + k * step, x, orbit.plan.segments[i].mode, step, SegmentFlow::Watch::nothing);
      if (!piece.whole) return states;
      x = piece.x;
    }
    t += orbit.tau[i];
  }
  return states;
}

/// |ẋ| at states of an orbit without events, in units of the sizes.
std::vector<double> speeds_at(const OrbitSystem& system, const PlannedOrbit& orbit, const std::vector<Vector>& states,
                              const Vector& sizes) {
  const ParameterPoint p = system.rates.at(orbit.varied);
  const Mechanism mechanism(system.kernels, p.inputs);
  const Mode& mode = orbit.plan.segments.front().mode;
  std::vector<double> speeds;
  for (const Vector& x : states) speeds.push_back(mechanism.field(0.0, x, mode).rate.cwiseQuotient(sizes).norm());
  return speeds;
}

bool is_saddle(const Equilibrium& at) {
  const Vector growth = at.eigenvalues.real();
  return growth.minCoeff() < 0.0 && growth.maxCoeff() > 0.0;
}

/// κ with (1 − e^{−κb}) / (e^{κa} − 1) = ratio, for 0 < ratio < b/a: bisection, the left side falls with κ.
double approach_rate(double ratio, double a, double b) {
  double low = 1e-9 / (a + b), high = 300.0 / std::min(a, b);
  for (int k = 0; k < 200; ++k) {
    const double middle = std::sqrt(low * high);
    (-std::expm1(-middle * b) / std::expm1(middle * a) > ratio ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

bool nearly_rests(const OrbitSystem& system, const PlannedOrbit& orbit, const Vector& sizes) {
  const std::vector<double> speed = speeds_at(system, orbit, sampled_states(system, orbit), sizes);
  if (speed.empty()) return true;
  const double mean = std::accumulate(speed.begin(), speed.end(), 0.0) / static_cast<double>(speed.size());
  return *std::min_element(speed.begin(), speed.end()) < all_but_rest * mean;
}

std::vector<Equilibrium> saddles_beside(const OrbitSystem& system, const PlannedOrbit& orbit, const Vector& sizes) {
  const std::vector<Vector> states = sampled_states(system, orbit);
  if (states.size() < orbit_samples / 2) return {};
  const Mode& mode = orbit.plan.segments.front().mode;
  const Translations& translations = orbit.plan.translations;
  const std::vector<double> speed = speeds_at(system, orbit, states, sizes);
  const auto distance = [&](const Vector& a, const Vector& b) {
    return translations.remainder(a - b).cwiseQuotient(sizes).norm();
  };
  std::vector<Equilibrium> found;
  const std::size_t n = states.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!(speed[i] <= speed[(i + 1) % n] && speed[i] < speed[(i + n - 1) % n])) continue;
    const auto at = equilibrium_near(system, mode, orbit.varied, states[i], sizes);
    if (!at || !is_saddle(*at) || distance(at->x, states[i]) > beside_equilibrium) continue;
    const auto near = std::count_if(states.begin(), states.end(),
                                    [&](const Vector& x) { return distance(x, at->x) < beside_equilibrium; });
    if (static_cast<double>(near) < share_of_period * static_cast<double>(n)) continue;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const Equilibrium& other) { return distance(other.x, at->x) < 1e-6; });
    if (!known) found.push_back(*at);
  }
  return found;
}

ParameterLimit limit_of_parameter(const std::vector<PeriodAt>& points, double resolved) {
  const PeriodAt last = points.back();
  const auto left = [&](std::size_t i) { return std::abs(points[i].parameter - last.parameter); };
  // The last time that the parameter was as far away.
  const auto last_beyond = [&](double distance) {
    for (std::size_t i = points.size(); i-- > 0;)
      if (left(i) > distance) return std::optional(i);
    return std::optional<std::size_t>();
  };
  const auto second = last_beyond(30.0 * resolved);
  const auto first = second ? last_beyond(30.0 * left(*second)) : std::nullopt;
  if (!first) return {last.parameter, std::max(resolved, left(0))};
  const double a = points[*second].period - points[*first].period;
  const double b = last.period - points[*second].period;
  const double way = last.parameter - points[*first].parameter;
  bool swings = false;
  for (std::size_t i = *first; i + 1 < points.size(); ++i)
    swings = swings || (points[i + 1].parameter - points[i].parameter) * std::copysign(1.0, way) < -resolved;
  const double ratio =
      (last.parameter - points[*second].parameter) / (points[*second].parameter - points[*first].parameter);
  if (swings || !(a > 0.0 && b > 0.0 && ratio > 0.0 && ratio < b / a))
    return {last.parameter, std::max(resolved, left(*first))};
  const double rest = (last.parameter - points[*second].parameter) / std::expm1(approach_rate(ratio, a, b) * b);
  return {last.parameter + rest, std::abs(rest) + resolved};
}

}  // namespace saltus
