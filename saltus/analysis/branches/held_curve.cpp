// Curves of orbits without forcing that have something in common: their duration, or the level of a quantity that their motions keep.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "saltus/analysis/branches/branch_check.hpp"
#include "saltus/analysis/branches/codimension_two.hpp"
#include "saltus/analysis/branches/orbit_family.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Orbits in two parameters, G = 0 with one condition more.
class HeldOrbits : public OrbitFamily {
 public:
  HeldOrbits(std::shared_ptr<const HybridOrbit> orbits, const SecondBounds& second, bool is_conservative)
      : owned_(std::move(orbits)), second_(second), is_conservative_(is_conservative) {}

  const HybridOrbit& orbits() const override { return *owned_; }
  SpecialKind along() const override { return SpecialKind::none; }
  Vector scale() const override { return owned_->scale(); }
  bool anchored_at(const Vector& y) const override { return owned_->anchored_at(y); }
  Vector without_phase(const Vector& y, const Vector& tangent) const override {
    return owned_->without_phase(y, tangent);
  }

  std::optional<Jet> jet(const Vector& y) const override {
    const auto base = owned_->jet(y);
    if (!base) return std::nullopt;
    const Index n = base->residual.size();
    const auto [value, slope] = condition(y);
    Jet whole{Vector(n + 1), Matrix(n + 1, y.size())};
    whole.residual << base->residual, value;
    whole.jacobian << base->jacobian, slope.transpose();
    return whole;
  }

  enum Test : std::size_t { lower_bound_test, upper_bound_test, brink_test, bifurcation_test };
  static constexpr std::array kinds = {SpecialKind::fold, SpecialKind::period_doubling, SpecialKind::torus};
  std::vector<double> tests(const Vector& y) const override {
    const double r = y[y.size() - 2];
    const auto brink = smallest(y);
    std::vector<double> values = {r - second_.lower, second_.upper - r, brink ? brink->value : 1.0};
    const std::vector<double> of_multipliers =
        codimension_tests(*owned_, y, SpecialKind::grazing, owned_->report(y).multipliers);  // 1, −1 and pairs
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
    return fits_multipliers(kind, owned_->report(y).multipliers) ? FamilyPoint{kind} : FamilyPoint{};
  }

 protected:
  const SecondBounds& second() const { return second_; }
  bool is_conservative() const { return is_conservative_; }
  /// What vanishes besides G, with its derivative.
  virtual std::pair<double, Vector> condition(const Vector& y) const = 0;

 private:
  /// In a conservative system a multiplier is 1 and the others stand in pairs all along: zeros are rounding there.
  double or_rounding(double value) const {
    constexpr double rounding = 1e-6;  // of a double root 1
    return is_conservative_ || std::abs(value) < rounding ? std::nan("") : value;
  }

  std::optional<Brink> smallest(const Vector& y) const {
    std::optional<Brink> found;
    for (const Brink& brink : owned_->report(y).brinks)
      if (!found || brink.value < found->value) found = brink;
    return found;
  }

  std::shared_ptr<const HybridOrbit> owned_;
  SecondBounds second_;
  bool is_conservative_;
};

/// Σ τᵢ = T.
class OfOnePeriod : public HeldOrbits {
 public:
  OfOnePeriod(std::shared_ptr<const HybridOrbit> orbits, const SecondBounds& second, bool is_conservative,
              double period)
      : HeldOrbits(std::move(orbits), second, is_conservative), period_(period) {}

  std::unique_ptr<OrbitFamily> over(const std::shared_ptr<const HybridOrbit>& other) const override {
    return std::make_unique<OfOnePeriod>(other, second(), is_conservative(), period_);
  }

 private:
  std::pair<double, Vector> condition(const Vector& y) const override {
    Vector slope = Vector::Zero(y.size());
    const Index N = index(orbits().system().kernels.layout().N());
    const Index segments = index(orbits().plan().segments.size());
    for (Index i = 0; i < segments; ++i) slope[i * (N + 1) + N] = 1.0 / period_;
    return {orbits().period(y) / period_ - 1.0, slope};
  }

  double period_;
};

/// One of the surfaces of the kernels at a state, with its derivatives.
EventRow level_at(const OrbitSystem& system, const std::vector<double>& varied, std::size_t surface, const Vector& x) {
  const ParameterPoint p = system.rates.at(varied);
  const Mechanism mechanism(system.kernels, p.inputs);
  const Layout& layout = system.kernels.layout();
  const EventValue at = mechanism.events(0.0, x, Vector::Zero(x.size()));
  return event_row(mechanism.jets(0.0, x), layout.surface_jet(surface),
                   at.value[index(layout.contacts + layout.switches + surface)], x.size());
}

/// What the quantity changes by along an orbit at most, and what it is counted in: what it changes by with each component.
struct Spread {
  double least = 1e300, most = -1e300, unit = 0.0;
  bool is_kept() const { return most - least <= 1e-8 * unit; }
};

Spread spread_along(const HybridOrbit& orbits, const Vector& y, std::size_t surface) {
  const PlannedOrbit now = orbits.orbit(y);
  const OrbitSystem& system = orbits.system();
  SegmentFlow flow(system.kernels, system.options, system.rates.at(now.varied).inputs, LaneStepper::Carries::state);
  Spread spread;
  double t = now.t;
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    for (const double part : {0.0, 0.24, 0.53, 0.79}) {
      const Segment piece =
          flow(t, now.x[i], now.plan.segments[i].mode, part * now.tau[i], SegmentFlow::Watch::nothing);
      const Vector& x = part == 0.0 ? now.x[i] : piece.x;
      if (part > 0.0 && !piece.whole) continue;
      const EventRow row = level_at(system, now.varied, surface, x);
      spread.least = std::min(spread.least, row.value);
      spread.most = std::max(spread.most, row.value);
      spread.unit = std::max(spread.unit, row.dx.cwiseAbs().dot(orbits.sizes()));
    }
    t += now.tau[i];
  }
  return spread;
}

/// E(X₁, p) = the level.
class OnOneLevel : public HeldOrbits {
 public:
  OnOneLevel(std::shared_ptr<const HybridOrbit> orbits, const SecondBounds& second, std::size_t surface, double level,
             double unit)
      : HeldOrbits(std::move(orbits), second, true), surface_(surface), level_(level), unit_(unit) {}

  std::unique_ptr<OrbitFamily> over(const std::shared_ptr<const HybridOrbit>& other) const override {
    return std::make_unique<OnOneLevel>(other, second(), surface_, level_, unit_);
  }
  LevelFunction level() const override {
    return [this](const Vector& x, const std::vector<double>& varied) {
      return (level_at(orbits().system(), varied, surface_, x).value - level_) / unit_;
    };
  }

 private:
  std::pair<double, Vector> condition(const Vector& y) const override {
    const PlannedOrbit now = orbits().orbit(y);
    const EventRow row = level_at(orbits().system(), now.varied, surface_, now.x.front());
    return {(row.value - level_) / unit_, orbits().slope_at_start(0, row, 0.0) / unit_};
  }

  std::size_t surface_;
  double level_, unit_;
};

/// The orbit on the wanted level, by Newton's method from level to level at one value of the second parameter. Else the orbit on the last level that was
/// reached.
struct Reached {
  Vector y;
  double level;
};
Reached toward_level(const std::shared_ptr<const HybridOrbit>& orbits, const Vector& start, const SecondBounds& second,
                     const HeldLevel& held, double first, double unit, const ContinuationOptions& options) {
  constexpr double far = 0.3;  // in the unknowns: a longer way may lead to another orbit
  Reached at{start, first};
  const double wanted = held.level.value_or(first);
  const Vector hold = Vector::Unit(start.size(), start.size() - 2);
  for (double step = 0.125; step > 1e-4;) {
    const double next = at.level + step * (wanted - first);
    const bool last = std::abs(next - first) >= std::abs(wanted - first);
    const OnOneLevel family(orbits, second, held.surface, last ? wanted : next, unit);
    const Correction on = corrected(family, at.y, hold, options, 12);
    const bool near = on.converged() && (on.y - at.y).cwiseQuotient(orbits->scale()).norm() < far;
    if (!near || orbits->phase_state(on.y).cosine < 0.5 || !orbits->contradiction(on.y).empty()) {
      step *= 0.5;
      continue;
    }
    at = {on.y, last ? wanted : next};
    orbits->anchored_at(at.y);
    if (last) return at;
    step *= 1.5;
  }
  return at;
}

}  // namespace

Branch period_curve(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options,
                    const SecondBounds& second) {
  if (orbit.plan.periods > 0) return without_curve("a forced orbit has the period of its forcing, whatever is varied");
  const auto orbits = std::make_shared<const HybridOrbit>(system, orbit, scales_of(options, second));
  const Vector guess = orbits->unknowns(orbit);
  const double period = orbits->period(guess);
  const auto family = std::make_shared<const OfOnePeriod>(orbits, second, options.curve.family, period);
  const Correction start = corrected(*family, guess, Vector::Unit(guess.size(), guess.size() - 2), options.curve, 15);
  if (!start.converged())
    return without_curve("no orbit of this period is found: where one parameter is held the other does not change it");
  const auto none = [](const OrbitFamily&, const Vector&) { return std::string(); };
  Branch branch = followed_family(family, start.y, "", options, none, false);
  branch.held = period;
  judge_stability(branch.points);
  if (options.curve.family) judge_family(branch.points);
  return branch;
}

Branch level_curve(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options,
                   const SecondBounds& second, const HeldLevel& held) {
  if (orbit.plan.periods > 0) return without_curve("a forced motion keeps no quantity of the state alone");
  const auto orbits = std::make_shared<const HybridOrbit>(system, orbit, scales_of(options, second));
  const Vector guess = orbits->unknowns(orbit);
  const auto unkept = [held](const HybridOrbit& each, const Vector& y) -> std::string {
    const Spread spread = spread_along(each, y, held.surface);
    if (spread.is_kept()) return "";
    return fmt::format("'{}' changes along the orbit, from {:.10g} to {:.10g}: its motion does not keep it", held.name,
                       spread.least, spread.most);
  };
  if (const std::string words = unkept(*orbits, guess); !words.empty()) return without_curve(words);
  const Spread spread = spread_along(*orbits, guess, held.surface);
  if (!(spread.unit > 0.0)) return without_curve(fmt::format("'{}' does not depend on the state", held.name));
  const Reached start = toward_level(orbits, guess, second, held, spread.most, spread.unit, options.curve);
  if (start.level != held.level.value_or(spread.most))
    return without_curve(
        fmt::format("no orbit with {} = {:.10g} is found: from that of the first orbit, {:.10g}, they lead to {:.10g}",
                    held.name, *held.level, spread.most, start.level));
  const auto family = std::make_shared<const OnOneLevel>(orbits, second, held.surface, start.level, spread.unit);
  const auto refusal = [&](const OrbitFamily& each, const Vector& y) { return unkept(each.orbits(), y); };
  Branch branch = followed_family(family, start.y, "", options, refusal, false);
  branch.held = start.level;
  judge_stability(branch.points);
  judge_family(branch.points);
  return branch;
}

}  // namespace saltus
