#include "saltus/analysis/branches/branch_stage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "saltus/analysis/branches/branch_closure.hpp"
#include "saltus/analysis/branches/partner_orbit.hpp"
#include "saltus/analysis/branches/touched_switch.hpp"
#include "saltus/numerics/decompositions.hpp"

namespace saltus {
namespace {

/// The tangent of a curve also where it turns round in the parameter, as it does where a slide along a switch vanishes.
Vector kernel_direction(const HybridOrbit& problem, const Vector& y) {
  const auto jet = problem.jet(y);
  if (!jet || !jet->jacobian.allFinite()) return parameter_direction(problem);
  const Matrix scaled = jet->jacobian * problem.scale().asDiagonal();
  return singular_factors(scaled).V.rightCols(1);
}

double apart(const HybridOrbit& problem, const Vector& a, const Vector& b) {
  return (a - b).cwiseQuotient(problem.scale()).norm();
}

}  // namespace

double smallest_brink(const HybridOrbit& problem, const Vector& y) {
  double smallest = 1e300;
  for (const Brink& brink : problem.report(y).brinks) smallest = std::min(smallest, brink.value);
  return smallest;
}

CurvePoint arrival(const Continuation& curve, double range) {
  CurvePoint last = curve.points.back();
  double& along = last.tangent[last.tangent.size() - 1];
  const auto is_apart = [&](const CurvePoint& earlier) {
    return std::abs(earlier.parameter() - last.parameter()) > 1e-7 * range;
  };
  const auto before = std::find_if(curve.points.rbegin(), curve.points.rend(), is_apart);
  if (before == curve.points.rend()) return last;
  along = std::copysign(std::max(std::abs(along), 1e-12), last.parameter() - before->parameter());
  return last;
}

StageFinder::StageFinder(const OrbitSystem& system, const ContinuationOptions& options)
    : system_(system), options_(options), parameter_scale_(Vector::Ones(1)) {
  const double range = options.upper - options.lower;
  if (range < 1e200) parameter_scale_[0] = range;
}

std::shared_ptr<const HybridOrbit> StageFinder::problem_of(const PlannedOrbit& orbit) const {
  return std::make_shared<const HybridOrbit>(system_, orbit, parameter_scale_);
}

std::optional<Vector> StageFinder::touching_orbit(const HybridOrbit& problem, const PlannedOrbit& orbit,
                                                  const Brink& brink) const {
  const std::map<Brink::Kind, Brink::Kind> vanishing = {{Brink::Kind::switch_order, Brink::Kind::switch_side},
                                                        {Brink::Kind::entry_flight, Brink::Kind::entry},
                                                        {Brink::Kind::slip_length, Brink::Kind::stick_weight},
                                                        {Brink::Kind::hop_length, Brink::Kind::force}};
  if (!vanishing.contains(brink.kind)) return std::nullopt;
  const Brink::Kind vanishes = vanishing.at(brink.kind);
  Vector y = problem.unknowns(orbit);
  const auto distance = [&](double p) -> std::optional<double> {
    y[y.size() - 1] = p;
    const Correction on = corrected(problem, y, parameter_direction(problem), options_, 12);
    if (!on.converged()) return std::nullopt;
    y = on.y;
    std::optional<double> nearest;
    for (const Brink& each : problem.report(y).brinks)
      if (each.kind == vanishes && each.index == brink.index && (!nearest || std::abs(each.value) < std::abs(*nearest)))
        nearest = each.value;
    return nearest;
  };
  double p = y[y.size() - 1];
  double last = p + 1e-6 * parameter_scale_[0];
  auto d_last = distance(last);
  auto d = distance(p);
  for (int count = 0; count < 12 && d && d_last && std::abs(*d) > 1e-13 && *d != *d_last; ++count) {
    const double next = p - *d * (p - last) / (*d - *d_last);
    last = std::exchange(p, next);
    d_last = std::exchange(d, distance(next));
  }
  // The parameter goes with the square of the duration of an excursion, but linearly with that of a flight before a slide. A hop is
  // lost from sight while it is rather long: its gap goes with the fourth power of its duration.
  const bool far = brink.kind == Brink::Kind::entry_flight || brink.kind == Brink::Kind::hop_length;
  const double near = far ? 1e-2 : 1e-4;
  const bool found = d && std::abs(*d) < 1e-11;
  return found && std::abs(p - orbit.varied.back()) < near * parameter_scale_[0] ? std::optional(y) : std::nullopt;
}

std::optional<Stage> StageFinder::real_half(const std::shared_ptr<const HybridOrbit>& problem,
                                            const PlannedOrbit& orbit, BranchPoint& point) const {
  const Vector given = problem->unknowns(orbit);
  Vector along = parameter_direction(*problem);
  Correction on = corrected(*problem, given, along, options_, 12);
  if (!on.converged()) {
    along = kernel_direction(*problem, given);
    on = corrected(*problem, given, along, options_, 12);
  }
  if (!on.converged()) return std::nullopt;
  if (point.multipliers.empty()) {  // the orbit without the impact of no speed has finite ones
    point.multipliers = problem->report(on.y).multipliers;
    point.multiplier_logs = problem->report(on.y).log_abs;
  }
  const auto tangent = curve_tangent(*problem, on.y, along);
  if (!tangent) return std::nullopt;
  for (const double step : {1e-3, 1e-4, 1e-2})
    for (const double sign : {1.0, -1.0}) {
      const Vector direction = sign * *tangent;
      const Vector guess = on.y + (step * direction).cwiseProduct(problem->scale());
      const Correction off = corrected(*problem, guess, direction, options_, 8);
      if (apart(*problem, off.y, on.y) > 2.0 * step) continue;
      if (!off.converged() || smallest_brink(*problem, off.y) <= 0.0 || !problem->contradiction(off.y).empty())
        continue;
      return Stage{problem, off.y, direction};
    }
  return std::nullopt;
}

std::optional<Stage> StageFinder::with_excursion(const std::shared_ptr<const HybridOrbit>& problem,
                                                 const PlannedOrbit& orbit, const BranchPoint& point) const {
  const auto excursion = shortest_excursion(orbit);
  if (!excursion) return std::nullopt;
  const Vector given = problem->unknowns(orbit);
  PlannedOrbit longer = orbit;
  longer.tau[*excursion] += 1.0;
  const Vector along = problem->unknowns(longer) - given;  // of the excursion's duration alone
  const auto lasting = [&](double part) {
    PlannedOrbit guess = orbit;
    guess.tau[*excursion] = part * problem->period(given);
    return corrected(*problem, problem->unknowns(guess), along, options_, 12);
  };
  const auto beside = [&](const Correction& on) { return std::abs(on.y[on.y.size() - 1] - point.parameter); };
  for (const double part : {1e-3, 3e-4, 3e-3}) {
    const Correction on = lasting(part);
    if (!on.converged() || smallest_brink(*problem, on.y) <= 0.0 || !problem->contradiction(on.y).empty()) continue;
    const Correction nearer = lasting(0.5 * part);
    if (!nearer.converged() || beside(nearer) > std::max(0.5 * beside(on), 1e-8 * range())) continue;
    return Stage{problem, on.y, along};
  }
  return std::nullopt;
}

std::optional<Stage> StageFinder::by_simulation(const HybridOrbit& problem, const CurvePoint& at,
                                                bool travels_up) const {
  for (const double step : {1e-5, 1e-4, 1e-3, 1e-2}) {
    const Vector guess = at.y + (step * at.tangent).cwiseProduct(problem.scale());
    const Correction further = corrected(problem, guess, at.tangent, options_, 8);
    if (!further.converged()) continue;
    const double p = further.y[further.y.size() - 1];
    if (auto stage = simulated(problem, at, problem.return_state(further.y), p, Sequence::other)) return stage;
  }
  const Vector x = problem.return_state(at.y);
  for (const double way : {1.0, -1.0})
    for (const double part : {1e-4, 1e-3, 5e-3, 1e-5, 1e-6}) {
      const double p = at.parameter() + way * (travels_up ? 1.0 : -1.0) * part * parameter_scale_[0];
      if (auto stage = simulated(problem, at, x, p, Sequence::other)) return stage;
    }
  return std::nullopt;
}

std::optional<Stage> StageFinder::with_same_sequence(const HybridOrbit& problem, const CurvePoint& at) const {
  const double way = at.tangent[at.tangent.size() - 1] > 0.0 ? 1.0 : -1.0;
  const Vector x = problem.return_state(at.y);
  for (const double part : {1e-5, 1e-4, 1e-3})
    if (auto stage = simulated(problem, at, x, at.parameter() + way * part * parameter_scale_[0], Sequence::same))
      return stage;
  return std::nullopt;
}

/// The orbit near the motion from x, if that has the wanted sequence and ends in the one at hand, and the direction away from that.
std::optional<Stage> StageFinder::simulated(const HybridOrbit& problem, const CurvePoint& at, const Vector& x, double p,
                                            Sequence wanted) const {
  if (p <= options_.lower || p >= options_.upper) return std::nullopt;
  const long returns = problem.plan().periods > 0 || !system_.place.section ? std::max<long>(problem.plan().periods, 1)
                                                                            : std::ssize(problem.return_states(at.y));
  const PlanReading read = read_plan(system_.kernels, system_.options, system_.rates, {p}, x, returns, system_.place);
  if (!read.orbit) return std::nullopt;
  if (is_same_sequence(read.orbit->plan, problem.plan()) != (wanted == Sequence::same)) return std::nullopt;
  const auto found = problem_of(*read.orbit);
  const Correction on = corrected(*found, found->unknowns(*read.orbit), parameter_direction(*found), options_, 20);
  if (!on.converged() || smallest_brink(*found, on.y) <= 0.0 || !found->contradiction(on.y).empty())
    return std::nullopt;
  const Stage stage{found, on.y, (p > at.parameter() ? 1.0 : -1.0) * parameter_direction(*found)};
  return ends_in(stage, problem, at.y, options_) ? std::optional(stage) : std::nullopt;
}

}  // namespace saltus
