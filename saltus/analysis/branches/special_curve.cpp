#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/analysis/branches/sequence_change.hpp"
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

/// μ + 1/μ of the pair whose product is nearest to 1: 2 cos θ of a pair on the unit circle, beyond ±2 of two real ones, a neutral saddle.
double sum_of_pair(const std::vector<std::complex<double>>& multipliers) {
  double sum = std::nan("");
  double nearest = 1e300;
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = std::abs(1.0 - multipliers[i] * multipliers[j]);
      if (apart >= nearest) continue;
      nearest = apart;
      sum = (multipliers[i] + multipliers[j]).real();
    }
  return sum;
}

/// Where a curve of tori ends: beyond, the pair is real.
constexpr const char* resonance_11 =
    "the pair of multipliers meets at 1, a 1:1 resonance: beyond, two real ones have the product 1";
constexpr const char* resonance_12 =
    "the pair of multipliers meets at -1, a 1:2 resonance: beyond, two real ones have the product 1";

/// Orbits with two varied parameters and one more condition: that they are special.
class SpecialProblem : public CurveProblem {
 public:
  SpecialProblem(const HybridOrbit& orbits, SpecialKind kind, Vanishing vanishing, const SecondBounds& second)
      : orbits_(orbits), kind_(kind), vanishing_(std::move(vanishing)), second_(second) {}

  Vector scale() const override { return orbits_.scale(); }
  bool anchored_at(const Vector& y) const override { return orbits_.anchored_at(y); }

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

  /// The first parameter inside its bounds, then what else may end the sequence, then the distances of a torus from its resonances 1:1 and 1:2.
  enum Test : std::size_t { lower_bound_test, upper_bound_test, brink_test, resonance_test };
  std::vector<double> tests(const Vector& y) const override {
    const double r = y[y.size() - 2];
    double smallest = 1.0;
    for (const Brink& brink : orbits_.report(y).brinks)
      if (!is_own(brink)) smallest = std::min(smallest, brink.value);
    std::vector<double> values = {r - second_.lower, second_.upper - r, smallest};
    if (kind_ != SpecialKind::torus) return values;
    const double sum = sum_of_pair(orbits_.report(y).multipliers);
    values.insert(values.end(), {2.0 - sum, 2.0 + sum});
    return values;
  }
  bool ends_at(std::size_t) const override { return true; }

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
      return singularity(jet->jacobian.leftCols(n) * orbits_.scale().head(n).asDiagonal());
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

  const HybridOrbit& orbits_;
  SpecialKind kind_;
  Vanishing vanishing_;
  SecondBounds second_;
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

BranchPoint point_of(const HybridOrbit& problem, const Vector& y, SpecialKind kind, const std::string& label) {
  BranchPoint point;
  point.orbit = problem.orbit(y);
  point.parameter = y[y.size() - 1];
  point.returns = problem.return_states(y);
  point.period = problem.period(y);
  if (kind != SpecialKind::grazing) point.multipliers = problem.report(y).multipliers;
  point.special = kind;
  point.label = label;
  return point;
}

/// Why a curve ended: `contradiction` is what the event-driven motion met instead.
BranchEnd end_of(const Continuation& curve, const std::string& contradiction) {
  if (curve.end != CurveEnd::special) return {curve.end, contradiction};
  const std::size_t test = *curve.points.back().zero_of - first_problem_test;
  if (test <= SpecialProblem::upper_bound_test) return {CurveEnd::bound, contradiction};
  if (test < SpecialProblem::resonance_test)
    return {CurveEnd::special, "another event reaches zero speed, gap, force or length"};
  return {CurveEnd::special, test == SpecialProblem::resonance_test ? resonance_11 : resonance_12};
}

/// A curve that cannot be followed.
Branch without_curve(const std::string& words) {
  Branch branch;
  branch.ends = {{CurveEnd::no_convergence, words}};
  return branch;
}

}  // namespace

Branch special_curve(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options,
                     const SecondBounds& second) {
  const bool changes_sequence = at.special == SpecialKind::grazing || at.special == SpecialKind::sliding;
  if (!changes_sequence && at.special != SpecialKind::fold && at.special != SpecialKind::period_doubling &&
      at.special != SpecialKind::torus)
    return without_curve("curves are followed from LP, PD, NS, GR and SL");
  Vector scales(2);
  scales << second.upper - second.lower, options.curve.upper - options.curve.lower;
  PlannedOrbit orbit = at.orbit;
  std::optional<Vanishing> contact;
  if (at.special == SpecialKind::grazing) contact = vanishing_contact(system, at, scales, options.names, orbit);
  const HybridOrbit orbits(system, orbit, scales);
  const Vector guess = orbits.unknowns(orbit);
  Vanishing vanishing = contact.value_or(Vanishing{});
  if (changes_sequence && !contact) {
    vanishing = vanishing_brinks(orbits, guess);
    if (vanishing.brinks.empty())
      return without_curve("nothing that a curve could be followed by vanishes on this orbit");
  }
  const SpecialProblem problem(orbits, at.special, vanishing, second);
  Branch branch;
  branch.sequences = {sequence_text(orbits.plan(), options.names)};
  const Vector hold = Vector::Unit(guess.size(), guess.size() - 2);
  const Correction start = corrected(problem, guess, hold, options.curve, 15);
  if (!start.converged()) return without_curve("the special point itself is not a solution of its defining equations");
  const auto is_circled = [&](const Vector& y) {
    return at.special != SpecialKind::torus || std::abs(sum_of_pair(orbits.report(y).multipliers)) < 2.0;
  };
  if (!is_circled(start.y))
    return without_curve("two real multipliers have the product 1 here: it is a neutral saddle");
  const auto is_interrupted = [&] { return options.curve.interrupted && options.curve.interrupted(); };
  const BranchPoint first = point_of(orbits, start.y, at.special, at.label);
  std::vector<BranchPoint> halves[2];
  for (const int side : {0, 1}) {
    std::string contradiction;
    const auto accept = [&](const CurvePoint& point) {
      if (options.progress) options.progress(0.5);
      if (changes_sequence) return Acceptance::take;  // the smallest disturbance does
      if (!is_circled(point.y)) return Acceptance::shorten;
      contradiction = orbits.contradiction(point.y);
      return contradiction.empty() ? Acceptance::take : Acceptance::shorten;
    };
    const Vector direction = (side == 0 ? -1.0 : 1.0) * hold;
    const auto shown = [&](const CurvePoint& point) {
      const bool fold_of_curve = point.zero_of && *point.zero_of < first_problem_test;
      if (fold_of_curve || is_interrupted()) return;
      halves[side].push_back(point_of(orbits, point.y, at.special, at.label));
      if (is_interrupted()) halves[side].pop_back();  // motions that were to tell of it may have ended early
    };
    const Continuation curve = followed(problem, start.y, direction, options.curve, accept, {}, shown);
    branch.ends.push_back(end_of(curve, contradiction));
  }
  branch.points.assign(halves[0].rbegin(), halves[0].rend());
  branch.points.push_back(first);
  branch.points.insert(branch.points.end(), halves[1].begin(), halves[1].end());
  return branch;
}

}  // namespace saltus
