#include "saltus/analysis/branches/shrunk_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/branches/branch_end.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double small_orbit = 1e-2;  // of the longest on the way: an equilibrium may be near
constexpr double rather_small = 0.05;  // beside an equilibrium equations are all but singular, and steps become short
constexpr double no_orbit = 1e-4;  // of the sizes: nothing is left of it
constexpr double indistinct = 1e-6;  // of the parameters' ranges: they do not tell the orbit from the equilibrium

/// What may stand at the end of a curve. In generic families folds end where the first coefficient vanishes, tori where a second pair or a zero comes to
/// the imaginary axis; where parts of a model do not feel each other, folds end at a zero, too.
std::vector<HopfCondition> conditions_of(const OrbitFamily& family) {
  if (family.level()) return {HopfCondition::level};
  switch (family.along()) {
    case SpecialKind::none: return {HopfCondition::frequency};
    case SpecialKind::fold: return {HopfCondition::no_cubic_growth, HopfCondition::zero_eigenvalue};
    case SpecialKind::branch_point: return {HopfCondition::zero_eigenvalue};
    case SpecialKind::torus: return {HopfCondition::second_pair, HopfCondition::zero_eigenvalue};
    case SpecialKind::period_doubling: return {HopfCondition::second_pair};
    default: return {};
  }
}

SpecialKind kind_of(HopfCondition condition) {
  switch (condition) {
    case HopfCondition::no_cubic_growth: return SpecialKind::generalized_hopf;
    case HopfCondition::zero_eigenvalue: return SpecialKind::zero_hopf;
    case HopfCondition::second_pair: return SpecialKind::double_hopf;
    case HopfCondition::frequency:
    case HopfCondition::level: return SpecialKind::hopf;
  }
  return SpecialKind::hopf;
}

std::string in_words(const SpecialHopf& hopf) {
  const auto besides = [&]() -> std::string_view {
    switch (hopf.condition) {
      case HopfCondition::no_cubic_growth: return " where the cubic coefficient of its Hopf bifurcation vanishes";
      case HopfCondition::zero_eigenvalue: return " with an eigenvalue 0 besides";
      case HopfCondition::second_pair: return " with a second pair of eigenvalues on the imaginary axis";
      case HopfCondition::frequency:
      case HopfCondition::level: return "";
    }
    return "";
  };
  return fmt::format("the orbits shrink into an equilibrium{}, frequency {:.10g}", besides(), hopf.point.frequency);
}

/// In units of the parameters' ranges.
double apart(const OrbitFamily& family, const SpecialHopf& hopf, const Vector& y) {
  const HybridOrbit& orbits = family.orbits();
  const std::vector<double> here = orbits.orbit(family.of_orbit(y)).varied;
  const Vector ranges = orbits.units().p;
  double largest = 0.0;
  for (std::size_t i = 0; i < here.size(); ++i)
    largest = std::max(largest, std::abs(here[i] - hopf.varied[i]) / ranges[index(i)]);
  return largest;
}

std::optional<SpecialHopf> hopf_near(const OrbitFamily& family, const Vector& y) {
  const HybridOrbit& orbits = family.orbits();
  const Vector of_orbit = family.of_orbit(y);
  const Vector ranges = orbits.units().p;
  const PlannedOrbit orbit = orbits.orbit(of_orbit);
  std::optional<SpecialHopf> best;
  for (const HopfCondition condition : conditions_of(family)) {
    const auto found = special_hopf_near(orbits.system(), orbit, orbits.sizes(), ranges, condition, family.level());
    if (!found) continue;
    const Vector away = (orbit.x.front() - found->point.x).cwiseQuotient(orbits.sizes());
    if (!(away.norm() < 10.0 * orbits.path_length(of_orbit)) || !(apart(family, *found, y) < 0.1)) continue;
    if (!best || apart(family, *found, y) < apart(family, *best, y)) best = found;
  }
  return best;
}

}  // namespace

std::optional<Acceptance> ShrinkingFamily::judged(const OrbitFamily& family, const Vector& y) {
  const HybridOrbit& orbits = family.orbits();
  const Vector of_orbit = family.of_orbit(y);
  if (orbits.plan().periods != 0) return std::nullopt;
  const PhaseState phase = orbits.phase_state(of_orbit);
  has_shrunk_ = !(phase.speed > 1e-3 && phase.cosine > 0.5);
  const double path = orbits.path_length(of_orbit);
  longest_path_ = std::max(longest_path_, path);
  is_small_ = path < small_orbit * longest_path_ || path < no_orbit;
  if (is_small_ && !has_shrunk_) hopf_ = hopf_near(family, y);
  if (has_shrunk_) return Acceptance::shorten;
  if (path < no_orbit) return Acceptance::stop;
  if (is_small_ && hopf_ && apart(family, *hopf_, y) < indistinct) return Acceptance::stop;
  return std::nullopt;
}

bool ShrinkingFamily::nears_equilibrium(const OrbitFamily& family, const Vector& y) {
  if (family.orbits().plan().periods != 0) return false;
  if (!(family.orbits().path_length(family.of_orbit(y)) < rather_small * longest_path_)) return false;
  hopf_ = hopf_near(family, y);
  is_small_ = hopf_.has_value();
  return is_small_;
}

std::optional<BranchEnd> ShrinkingFamily::ended(CurveEnd reason) const {
  const bool may_shrink = reason == CurveEnd::refused || reason == CurveEnd::interrupted ||
                          reason == CurveEnd::singular || reason == CurveEnd::no_convergence ||
                          reason == CurveEnd::special;
  if (!may_shrink) return std::nullopt;
  if (is_small_ && hopf_) return BranchEnd{CurveEnd::hopf, in_words(*hopf_), hopf_->point.frequency};
  if (!has_shrunk_ && reason != CurveEnd::interrupted) return std::nullopt;
  return BranchEnd{CurveEnd::hopf, "the orbits shrink into an equilibrium: a Hopf point that is special, too"};
}

BranchPoint shrunk_into(const SpecialHopf& hopf, const BranchPoint& last) {
  BranchPoint point = at_equilibrium(last, hopf.point);
  point.orbit.varied = hopf.varied;
  point.special = kind_of(hopf.condition);
  point.note = in_words(hopf);
  return point;
}

}  // namespace saltus
