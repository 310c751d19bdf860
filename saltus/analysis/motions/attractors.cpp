#include "saltus/analysis/motions/attractors.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/analysis/motions/signature.hpp"

namespace saltus {
namespace {

constexpr double same_point = 1e-4;  // relative to the sizes of the components
constexpr double same_rest = 1e-2;   // the size of a state at rest is a thousandth of the way to it
constexpr double irregular_doubt = 2e-3;  // of the largest: exponents that differ less are not told apart

/// Whether the last point of a is one of the last points of b.
bool same_orbit(const LyapunovSpectrum& a, const LyapunovSpectrum& b, const Translations& translations) {
  const std::size_t k = a.verdict.period;
  if (k != b.verdict.period || a.section_points.empty() || b.section_points.size() < k) return false;
  const StateSizes sizes = a.sizes.joined(b.sizes);
  return std::any_of(b.section_points.end() - static_cast<std::ptrdiff_t>(k), b.section_points.end(),
                     [&](const Vector& point) {
                       return state_distance(a.section_points.back(), point, translations, sizes) <= same_point;
                     });
}

bool same_averages(const LyapunovSpectrum& a, const LyapunovSpectrum& b) {
  double largest = 0.0;
  for (const double value : a.exponents.values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.exponents.values.size(); ++i) {
    const double x = a.exponents.values[i];
    const double y = b.exponents.values[i];
    if (std::isinf(x) != std::isinf(y)) return false;
    const double error = std::hypot(a.exponents.standard_errors[i], b.exponents.standard_errors[i]);
    if (!std::isinf(x) && std::abs(x - y) > std::max(6.0 * error, irregular_doubt * largest)) return false;
  }
  const double impacts = std::max(a.impacts_per_unit_time, b.impacts_per_unit_time);
  return std::abs(a.impacts_per_unit_time - b.impacts_per_unit_time) <= 0.2 * impacts;
}

bool same_attractor(const LyapunovSpectrum& a, const LyapunovSpectrum& b, const Translations& translations) {
  if (a.verdict.kind != b.verdict.kind) return false;
  if (a.verdict.kind == MotionKind::periodic) return same_orbit(a, b, translations);
  if (a.verdict.kind == MotionKind::equilibrium)
    return state_distance(a.end.x, b.end.x, translations, a.sizes.joined(b.sizes)) <= same_rest;
  // Exponents of mirror images are the same, and those of all tori where damping is constant: they lie in different places. A
  // basin tells them apart by the same rule.
  const bool has_places = !a.section_points.empty() && !b.section_points.empty();
  if (has_places && !same_attractor(signature_of(a, translations), signature_of(b, translations))) return false;
  return same_averages(a, b);
}

/// Uniform in [−1, 1); the standard distributions differ between libraries.
double symmetric(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0; }

}  // namespace

std::vector<Attractor> distinct_attractors(const std::vector<LyapunovSpectrum>& spectra,
                                           const Translations& translations) {
  std::vector<Attractor> attractors;
  for (std::size_t i = 0; i < spectra.size(); ++i) {
    if (spectra[i].outcome != Outcome::reached_end) continue;
    const auto known = std::find_if(attractors.begin(), attractors.end(), [&](const Attractor& attractor) {
      return same_attractor(spectra[i], spectra[attractor.representative], translations);
    });
    if (known != attractors.end()) known->starts.push_back(i);
    else attractors.push_back({i, {i}});
  }
  std::stable_sort(attractors.begin(), attractors.end(),
                   [](const Attractor& a, const Attractor& b) { return a.starts.size() > b.starts.size(); });
  return attractors;
}

std::vector<Vector> random_states(const Kernels& kernels, const std::vector<double>& parameters, const Vector& x,
                                  std::size_t count, double spread, std::uint64_t seed, const Vector& scale) {
  const Mechanism mechanism(kernels, parameters);
  const Mode mode(kernels.layout());
  std::mt19937_64 random(seed);
  std::vector<Vector> states = {x};
  constexpr int most_attempts = 1000;
  for (int attempt = 0; states.size() < count && attempt < most_attempts; ++attempt) {
    Vector moved = x;
    for (Eigen::Index i = 0; i < moved.size(); ++i) moved[i] += spread * scale[i] * symmetric(random);
    if (kernels.layout().contacts > 0 && !(mechanism.contact(0.0, moved, mode).h.minCoeff() > 0.0)) continue;
    states.push_back(std::move(moved));
    attempt = -1;
  }
  return states;
}

Vector spread_scale(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameters,
                    double period, const Vector& x) {
  constexpr long most_periods = 20;
  FlowOptions short_ones = options;
  short_ones.most_steps = 2000;
  FlowRun run;
  run.start = start_point(kernels, {}, x, LaneStepper::Carries::state);
  run.period = period;
  run.parameters = parameters;
  run.end = period > 0.0 ? Time{most_periods, 0.0} : Time{0, 1e30};
  run.keep_events = false;
  run.measure_range = true;
  StateRange range;
  range.include(x);
  range.include(flow(kernels, short_ones, run));
  Vector scale = range.widths().cwiseMax(x.cwiseAbs());
  for (double& component : scale)
    if (!(component > 0.0) || !std::isfinite(component)) component = 1.0;
  return scale;
}

}  // namespace saltus
