#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/analysis/branches/codimension_two.hpp"
#include "saltus/analysis/branches/orbit_family.hpp"
#include "saltus/analysis/branches/sequence_change.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double no_value = 1e-7;  // of a speed, gap, force or duration that vanishes on a stored orbit

/// What vanishes on a grazing or sliding orbit, all of it: of a symmetric one each half has its own.
struct Vanishing {
  bool of_impact = false;     // the speed of the impact that ends `segment`
  std::size_t segment = 0;
  std::vector<Brink> brinks;  // else these; the first of them is the condition
};

bool is_minimum(Brink::Kind kind) {
  return kind == Brink::Kind::gap || kind == Brink::Kind::force || kind == Brink::Kind::switch_side ||
         kind == Brink::Kind::stick_weight;
}

bool is_of_contact(Brink::Kind kind) {
  return kind == Brink::Kind::gap || kind == Brink::Kind::force || kind == Brink::Kind::impact_speed ||
         kind == Brink::Kind::corner || kind == Brink::Kind::slide_length || kind == Brink::Kind::departure;
}

/// Both belong to one contact, or to one switch.
bool has_same_owner(const Brink& a, const Brink& b) {
  return a.index == b.index && is_of_contact(a.kind) == is_of_contact(b.kind);
}

bool has_same_place(const Brink& a, const Brink& b) {
  return a.kind == b.kind && a.segment == b.segment && a.index == b.index;
}

/// Orbits with two varied parameters and one more condition: that they are special.
class SpecialProblem : public OrbitFamily {
 public:
  SpecialProblem(std::shared_ptr<const HybridOrbit> orbits, SpecialKind kind, Vanishing vanishing,
                 const SecondBounds& second, const EventNames& names)
      : owned_(std::move(orbits)),
        orbits_(*owned_),
        kind_(kind),
        vanishing_(std::move(vanishing)),
        second_(second),
        names_(names),
        met_kinds_(codimension_kinds(kind)) {}

  const HybridOrbit& orbits() const override { return orbits_; }
  std::unique_ptr<OrbitFamily> over(const std::shared_ptr<const HybridOrbit>& orbits) const override {
    return std::make_unique<SpecialProblem>(orbits, kind_, vanishing_, second_, names_);
  }
  SpecialKind along() const override { return kind_; }

  Vector scale() const override { return orbits_.scale(); }
  bool anchored_at(const Vector& y) const override { return orbits_.anchored_at(y); }
  Vector without_phase(const Vector& y, const Vector& tangent) const override {
    return orbits_.without_phase(y, tangent);
  }

  std::optional<Jet> jet(const Vector& y) const override {
    auto base = orbits_.jet(y);
    if (!base) return std::nullopt;
    const Index n = base->residual.size();
    Jet whole{Vector(n + 1), Matrix(n + 1, y.size())};
    whole.residual.head(n) = base->residual;
    whole.jacobian.topRows(n) = base->jacobian;
    const auto [value, slope] = condition(y);
    whole.residual[n] = value;
    whole.jacobian.row(n) = slope.transpose();
    return whole;
  }

  /// The first parameter inside its bounds, then what else may end the sequence, then what makes points of codimension two.
  enum Test : std::size_t { lower_bound_test, upper_bound_test, brink_test, codimension_test };
  std::vector<double> tests(const Vector& y) const override {
    const double r = y[y.size() - 2];
    const auto brink = other_brink(y);
    std::vector<double> values = {r - second_.lower, second_.upper - r, brink ? brink->value : 1.0};
    for (const double value : codimension_tests(orbits_, y, kind_, telling_multipliers(y))) values.push_back(value);
    return values;
  }
  bool ends_at(std::size_t test) const override {
    if (test < codimension_test) return true;
    const std::size_t k = test - codimension_test;
    return k < met_kinds_.size() && ends_curve(kind_, met_kinds_[k]);
  }

  FamilyPoint met(const Vector& y, std::size_t test) const override {
    if (test <= upper_bound_test) return {.is_bound = true};
    if (test == brink_test) return lost_sequence(other_brink(y).value_or(Brink{}));
    const SpecialKind kind = met_kinds_.at(test - codimension_test);
    if (!fits_multipliers(kind, telling_multipliers(y))) return {};
    return {kind, codimension_words(kind_, kind)};
  }

  std::vector<std::complex<double>> multipliers(const Vector& y) const override {
    return kind_ == SpecialKind::grazing ? std::vector<std::complex<double>>{} : orbits_.report(y).multipliers;
  }

 private:
  /// What vanishes at the special point itself: the impact's speed, and the gap's minimum that falls together with the impact; so a flight
  /// that leaves a switch without speed has a minimum of no depth there.
  bool is_own(const Brink& brink) const {
    const bool no_depth = is_minimum(brink.kind) && std::abs(brink.value) < no_value;
    if (!vanishing_.of_impact)
      return std::any_of(vanishing_.brinks.begin(), vanishing_.brinks.end(), [&](const Brink& own) {
        return no_depth ? has_same_owner(own, brink) : !is_minimum(brink.kind) && has_same_place(own, brink);
      });
    if (brink.kind == Brink::Kind::impact_speed) return brink.segment == vanishing_.segment;
    const bool same = brink.index == orbits_.plan().segments[vanishing_.segment].end.index;
    return brink.kind == Brink::Kind::gap && same && no_depth;
  }

  /// What else is nearest to ending the sequence, if it is near.
  std::optional<Brink> other_brink(const Vector& y) const {
    std::optional<Brink> smallest;
    for (const Brink& brink : orbits_.report(y).brinks)
      if (!is_own(brink) && brink.value < 1.0 && (!smallest || brink.value < smallest->value)) smallest = brink;
    return smallest;
  }

  /// Those of the orbit; where an impact without speed makes them infinite, of the orbit without the impact.
  std::vector<std::complex<double>> telling_multipliers(const Vector& y) const {
    if (kind_ != SpecialKind::grazing) return orbits_.report(y).multipliers;
    if (!vanishing_.of_impact) return {};
    const std::size_t contact = orbits_.plan().segments[vanishing_.segment].end.index;
    const Brink impact{Brink::Kind::impact_speed, vanishing_.segment, contact};
    const auto without = changed_sequence(orbits_, y, impact, names_).orbit;
    if (!without) return {};
    const HybridOrbit other(orbits_.system(), *without, orbits_.units().p);
    return other.report(other.unknowns(*without)).multipliers;
  }

  /// The brink that is the condition; of several minima in one place the one next to zero.
  double brink_value(const Vector& y) const {
    double value = std::nan("");
    for (const Brink& brink : orbits_.report(y).brinks)
      if (has_same_place(brink, vanishing_.brinks.front()) && !(std::abs(brink.value) > std::abs(value)))
        value = brink.value;
    return value;
  }

  double defining(const Vector& y) const {
    if (!vanishing_.brinks.empty()) return brink_value(y);
    if (kind_ == SpecialKind::fold) {
      const auto jet = orbits_.jet(y);
      if (!jet) return std::nan("");
      const Index n = jet->residual.size();
      // A border of fixed vectors would have poles along the curve, beside which Newton's method needs ever shorter steps.
      const Matrix A = jet->jacobian.leftCols(n) * orbits_.scale().head(n).asDiagonal();
      return LuFactors(A).signed_distance_from_singular();
    }
    std::complex<double> product = 1.0;
    const auto& mu = orbits_.report(y).multipliers;
    for (std::size_t i = 0; i < mu.size(); ++i) {
      if (kind_ == SpecialKind::period_doubling) product *= 1.0 + mu[i];
      else
        for (std::size_t j = 0; j < i; ++j) product *= 1.0 - mu[i] * mu[j];
    }
    return product.real();
  }

  /// The condition and its derivative: exact for the speed of an impact, else central differences of exact quantities.
  std::pair<double, Vector> condition(const Vector& y) const {
    if (vanishing_.of_impact) return orbits_.approach(y, vanishing_.segment);
    const double value = defining(y);
    Vector slope(y.size());
    for (Index j = 0; j < y.size(); ++j) {
      const double h = 1e-5 * scale()[j];
      slope[j] =
          (defining(y + h * Vector::Unit(y.size(), j)) - defining(y - h * Vector::Unit(y.size(), j))) / (2.0 * h);
    }
    return {value, slope};
  }

  std::shared_ptr<const HybridOrbit> owned_;
  const HybridOrbit& orbits_;
  SpecialKind kind_;
  Vanishing vanishing_;
  SecondBounds second_;
  const EventNames& names_;
  std::vector<SpecialKind> met_kinds_;
};

/// The contact that is grazed. An impact without speed comes first: beside it its own gap has a dip of no depth.
std::optional<Brink> grazed_contact(const HybridOrbit& problem, const Vector& y) {
  std::optional<Brink> slowest;
  std::optional<Brink> lowest;
  const auto keep_smaller = [](std::optional<Brink>& best, const Brink& brink) {
    if (!best || std::abs(brink.value) < std::abs(best->value)) best = brink;
  };
  for (const Brink& brink : problem.report(y).brinks) {
    if (brink.kind == Brink::Kind::impact_speed) keep_smaller(slowest, brink);
    if (brink.kind == Brink::Kind::gap) keep_smaller(lowest, brink);
  }
  if (slowest && (std::abs(slowest->value) <= no_value || !lowest)) return slowest;
  if (slowest && std::abs(slowest->value) < std::abs(lowest->value)) return slowest;
  return lowest;
}

/// What vanishes on an orbit that grazes a contact. The orbit is written with the impact, at speed zero: its approach speed is a smooth
/// function, the dip of a gap would be a minimum. Nothing if no contact is grazed.
std::optional<Vanishing> vanishing_contact(const OrbitSystem& system, const BranchPoint& at, const Vector& scales,
                                           const EventNames& names, PlannedOrbit& orbit) {
  const HybridOrbit first(system, orbit, scales);
  const Vector y = first.unknowns(orbit);
  const auto brink = at.brink ? at.brink : grazed_contact(first, y);
  if (!brink || (brink->kind != Brink::Kind::gap && brink->kind != Brink::Kind::impact_speed)) return std::nullopt;
  if (!at.brink && std::abs(brink->value) > 10.0 * no_value) return std::nullopt;
  if (brink->kind == Brink::Kind::impact_speed) return Vanishing{true, brink->segment, {}};
  const SequenceChange change = changed_sequence(first, y, *brink, names);
  if (change.orbit) orbit = *change.orbit;
  const HybridOrbit other(system, orbit, scales);
  const auto again = grazed_contact(other, other.unknowns(orbit));
  return Vanishing{true, again ? again->segment : 0, {}};
}

/// Everything else that vanishes on an orbit: what is no minimum first.
Vanishing vanishing_brinks(const HybridOrbit& problem, const Vector& y) {
  Vanishing all;
  for (const Brink& brink : problem.report(y).brinks)
    if (std::abs(brink.value) < no_value) all.brinks.push_back(brink);
  std::stable_partition(all.brinks.begin(), all.brinks.end(), [](const Brink& b) { return !is_minimum(b.kind); });
  return all;
}

}  // namespace

Branch special_curve(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options,
                     const SecondBounds& second) {
  if (at.special == SpecialKind::branch_point) return branch_point_curve(system, at, options, second);
  const bool changes_sequence = at.special == SpecialKind::grazing || at.special == SpecialKind::sliding;
  if (!changes_sequence && at.special != SpecialKind::fold && at.special != SpecialKind::period_doubling &&
      at.special != SpecialKind::torus)
    return without_curve("curves are followed from LP, BP, PD, NS, GR and SL");
  const Vector scales = scales_of(options, second);
  PlannedOrbit orbit = at.orbit;
  std::optional<Vanishing> contact;
  if (at.special == SpecialKind::grazing) contact = vanishing_contact(system, at, scales, options.names, orbit);
  const auto orbits = std::make_shared<const HybridOrbit>(system, orbit, scales);
  const Vector guess = orbits->unknowns(orbit);
  Vanishing vanishing = contact.value_or(Vanishing{});
  if (changes_sequence && !contact) {
    vanishing = vanishing_brinks(*orbits, guess);
    if (vanishing.brinks.empty())
      return without_curve("nothing that a curve could be followed by vanishes on this orbit");
  }
  const auto problem = std::make_shared<const SpecialProblem>(orbits, at.special, vanishing, second, options.names);
  const Vector hold = Vector::Unit(guess.size(), guess.size() - 2);
  const Correction start = corrected(*problem, guess, hold, options.curve, 15);
  if (!start.converged()) return without_curve("the special point itself is not a solution of its defining equations");
  const auto refusal = [&](const OrbitFamily& family, const Vector& y) -> std::string {
    if (at.special != SpecialKind::torus || std::abs(sum_of_pair(family.orbits().report(y).multipliers)) < 2.0)
      return "";
    return "two real multipliers have the product 1 here: it is a neutral saddle";
  };
  if (const std::string words = refusal(*problem, start.y); !words.empty()) return without_curve(words);
  return followed_family(problem, start.y, at.label, options, refusal, changes_sequence);
}

}  // namespace saltus
