#include "saltus/analysis/branches/half_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// A point of a curve at a value of its parameter, with Π(1 + μ).
struct DoublingTest {
  Vector y;
  double value = 0.0;
};

std::optional<DoublingTest> doubling_test(const HybridOrbit& problem, Vector y, double parameter,
                                          const ContinuationOptions& options) {
  y[y.size() - 1] = parameter;
  const Correction on = corrected(problem, y, parameter_direction(problem), options, 12);
  if (!on.converged()) return std::nullopt;
  const double value = problem.tests(on.y)[HybridOrbit::period_doubling_test];
  if (!std::isfinite(value)) return std::nullopt;
  return DoublingTest{on.y, value};
}

}  // namespace

PlannedOrbit first_half(const PlannedOrbit& orbit) {
  PlannedOrbit half = orbit;
  const std::size_t m = orbit.x.size() / 2;
  half.plan.periods /= 2;
  half.plan.segments.resize(m);
  half.x.resize(m);
  half.tau.resize(m);
  // Half of all turns belong to it, wherever they were taken off.
  Vector turns = Vector::Zero(orbit.x.front().size());
  for (const SegmentPlan& segment : orbit.plan.segments) turns += 0.5 * segment.shift;
  for (const SegmentPlan& segment : half.plan.segments) turns -= segment.shift;
  half.plan.segments.back().shift += turns;
  share_out(half);
  return half;
}

std::size_t distinct_returns(const std::vector<Vector>& returns, const Vector& sizes,
                             const Translations& translations) {
  const std::size_t k = returns.size();
  const auto repeats_after = [&](std::size_t d) {
    for (std::size_t i = 0; i + d < k; ++i)
      if (translations.remainder(returns[i + d] - returns[i]).cwiseQuotient(sizes).cwiseAbs().maxCoeff() > 1e-4)
        return false;
    return true;
  };
  for (std::size_t d = 1; d < k; ++d)
    if (k % d == 0 && repeats_after(d)) return d;
  return k;
}

std::optional<OnceRound> once_round(const OrbitSystem& system, const PlannedOrbit& orbit) {
  const HybridOrbit problem(system, orbit, Vector::Ones(index(orbit.varied.size())));
  const std::vector<Vector> returns = problem.return_states(problem.unknowns(orbit));
  const Vector sizes = problem.sizes();
  Vector turns = Vector::Zero(sizes.size());
  for (const SegmentPlan& segment : orbit.plan.segments) turns += segment.shift.cwiseAbs();
  const std::size_t k = returns.size();
  const auto is_repeated_after = [&](std::size_t d) {
    for (std::size_t i = 0; i < k; ++i) {
      Vector apart = returns[(i + d) % k] - returns[i];
      for (Index j = 0; j < apart.size(); ++j)
        if (turns[j] > 0.0) apart[j] = std::remainder(apart[j], 2.0 * std::numbers::pi);
      if (apart.cwiseQuotient(sizes).cwiseAbs().maxCoeff() > 1e-7) return false;
    }
    return true;
  };
  for (std::size_t d = 1; d < k; ++d)
    if (k % d == 0 && is_repeated_after(d)) return OnceRound{returns.front(), static_cast<long>(d)};
  return std::nullopt;
}

std::optional<PlannedOrbit> doubling_near(const HybridOrbit& problem, const PlannedOrbit& guess,
                                          const ContinuationOptions& options) {
  const double scale = problem.scale()[problem.scale().size() - 1];
  const double start = guess.varied.back();
  auto before = doubling_test(problem, problem.unknowns(guess), start, options);
  if (!before) return std::nullopt;
  double p_before = start;
  double p = start + 1e-5 * scale;
  std::optional<DoublingTest> now;
  for (int i = 0; i < 20; ++i) {
    now = doubling_test(problem, before->y, p, options);
    if (!now) return std::nullopt;
    const double change = -now->value * (p - p_before) / (now->value - before->value);
    if (!std::isfinite(change) || std::abs(change) < 1e-13 * scale) break;
    p_before = p;
    before = now;
    p += change;
    if (std::abs(p - start) > 1e-3 * scale) return std::nullopt;
  }
  const auto is_minus_one = [](const std::complex<double>& mu) { return std::abs(mu + 1.0) < 1e-6; };
  const auto& multipliers = problem.report(now->y).multipliers;
  if (std::none_of(multipliers.begin(), multipliers.end(), is_minus_one)) return std::nullopt;
  return problem.orbit(now->y);
}

}  // namespace saltus
