#include <array>
#include <cmath>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/codimension_two.hpp"
#include "saltus/analysis/branches/orbit_family.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Orbits of one duration in two parameters: G = 0 and Σ τᵢ = T.
class OfOnePeriod : public OrbitFamily {
 public:
  OfOnePeriod(const HybridOrbit& orbits, const SecondBounds& second, double period, bool is_conservative)
      : orbits_(orbits), second_(second), period_(period), is_conservative_(is_conservative) {}

  const HybridOrbit& orbits() const override { return orbits_; }
  SpecialKind along() const override { return SpecialKind::none; }
  Vector scale() const override { return orbits_.scale(); }
  bool anchored_at(const Vector& y) const override { return orbits_.anchored_at(y); }
  Vector without_phase(const Vector& y, const Vector& tangent) const override {
    return orbits_.without_phase(y, tangent);
  }

  std::optional<Jet> jet(const Vector& y) const override {
    const auto base = orbits_.jet(y);
    if (!base) return std::nullopt;
    const Index n = base->residual.size();
    Jet whole{Vector(n + 1), Matrix::Zero(n + 1, y.size())};
    whole.residual << base->residual, orbits_.period(y) / period_ - 1.0;
    whole.jacobian.topRows(n) = base->jacobian;
    const Index N = index(orbits_.system().kernels.layout().N());
    const Index segments = index(orbits_.plan().segments.size());
    for (Index i = 0; i < segments; ++i) whole.jacobian(n, i * (N + 1) + N) = 1.0 / period_;
    return whole;
  }

  enum Test : std::size_t { lower_bound_test, upper_bound_test, brink_test, bifurcation_test };
  static constexpr std::array kinds = {SpecialKind::fold, SpecialKind::period_doubling, SpecialKind::torus};
  std::vector<double> tests(const Vector& y) const override {
    const double r = y[y.size() - 2];
    const auto brink = smallest(y);
    std::vector<double> values = {r - second_.lower, second_.upper - r, brink ? brink->value : 1.0};
    const std::vector<double> of_multipliers =
        codimension_tests(orbits_, y, SpecialKind::grazing, orbits_.report(y).multipliers);  // 1, −1 and pairs
    for (std::size_t k = 0; k < of_multipliers.size(); ++k)
      values.push_back(kinds.at(k) == SpecialKind::period_doubling ? of_multipliers[k]
                                                                   : or_rounding(of_multipliers[k]));
    return values;
  }
  bool ends_at(std::size_t test) const override { return test < bifurcation_test; }
  FamilyPoint met(const Vector& y, std::size_t test) const override {
    if (test <= upper_bound_test) return {.is_bound = true};
    if (test == brink_test) return lost_sequence(smallest(y).value_or(Brink{}));
    const SpecialKind kind = kinds.at(test - bifurcation_test);
    return fits_multipliers(kind, orbits_.report(y).multipliers) ? FamilyPoint{kind} : FamilyPoint{};
  }

 private:
  /// In a conservative system a multiplier is 1 and the others stand in pairs all along: zeros are rounding there.
  double or_rounding(double value) const {
    constexpr double rounding = 1e-6;  // of a double root 1
    return is_conservative_ || std::abs(value) < rounding ? std::nan("") : value;
  }

  std::optional<Brink> smallest(const Vector& y) const {
    std::optional<Brink> found;
    for (const Brink& brink : orbits_.report(y).brinks)
      if (!found || brink.value < found->value) found = brink;
    return found;
  }

  const HybridOrbit& orbits_;
  SecondBounds second_;
  double period_;
  bool is_conservative_;
};

}  // namespace

Branch period_curve(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options,
                    const SecondBounds& second) {
  if (orbit.plan.periods > 0) return without_curve("a forced orbit has the period of its forcing, whatever is varied");
  const HybridOrbit orbits(system, orbit, scales_of(options, second));
  const Vector guess = orbits.unknowns(orbit);
  const OfOnePeriod family(orbits, second, orbits.period(guess), options.curve.family);
  const Correction start = corrected(family, guess, Vector::Unit(guess.size(), guess.size() - 2), options.curve, 15);
  if (!start.converged())
    return without_curve("no orbit of this period is found: where one parameter is held the other does not change it");
  Branch branch = followed_family(family, start.y, "", options, [](const Vector&) { return std::string(); }, false);
  judge_stability(branch.points);
  return branch;
}

}  // namespace saltus
