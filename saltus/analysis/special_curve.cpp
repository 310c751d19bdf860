#include <algorithm>
#include <cmath>

#include "saltus/analysis/orbit_branch.hpp"
#include "saltus/analysis/sequence_change.hpp"
#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

/// Orbits with two varied parameters and one more condition: that they are special.
class SpecialProblem : public CurveProblem {
 public:
  SpecialProblem(const HybridOrbit& orbits, SpecialKind kind, std::size_t segment, const SecondBounds& second)
      : orbits_(orbits), kind_(kind), segment_(segment), second_(second) {}

  Vector scale() const override { return orbits_.scale(); }

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

  /// The first parameter inside its bounds, then what else may end the sequence.
  std::vector<double> tests(const Vector& y) const override {
    const double r = y[y.size() - 2];
    double smallest = 1.0;
    for (const Brink& brink : orbits_.report(y).brinks)
      if (!is_own(brink)) smallest = std::min(smallest, brink.value);
    return {r - second_.lower, second_.upper - r, smallest};
  }
  bool ends_at(std::size_t) const override { return true; }

 private:
  /// What vanishes at the grazing itself: the impact's speed, and the gap's minimum that falls together with the impact.
  bool is_own(const Brink& brink) const {
    if (kind_ != SpecialKind::grazing) return false;
    if (brink.kind == Brink::Kind::impact_speed) return brink.segment == segment_;
    const bool same = brink.index == orbits_.plan().segments[segment_].end.index;
    return brink.kind == Brink::Kind::gap && same && std::abs(brink.value) < 1e-7;
  }

  double defining(const Vector& y) const {
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

  /// The condition and its derivative: exact at a grazing, else central differences of exact quantities.
  std::pair<double, Vector> condition(const Vector& y) const {
    if (kind_ == SpecialKind::grazing) return orbits_.approach(y, segment_);
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
  std::size_t segment_;
  SecondBounds second_;
};

/// The brink that vanishes at a grazing orbit. An impact without speed comes first: beside it its own gap has a dip of no depth.
std::optional<Brink> vanishing(const HybridOrbit& problem, const Vector& y) {
  constexpr double no_speed = 1e-7;
  std::optional<Brink> slowest;
  std::optional<Brink> lowest;
  const auto keep_smaller = [](std::optional<Brink>& best, const Brink& brink) {
    if (!best || std::abs(brink.value) < std::abs(best->value)) best = brink;
  };
  for (const Brink& brink : problem.report(y).brinks) {
    if (brink.kind == Brink::Kind::impact_speed) keep_smaller(slowest, brink);
    if (brink.kind == Brink::Kind::gap) keep_smaller(lowest, brink);
  }
  if (slowest && (std::abs(slowest->value) <= no_speed || !lowest)) return slowest;
  if (slowest && std::abs(slowest->value) < std::abs(lowest->value)) return slowest;
  return lowest;
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

}  // namespace

Branch special_curve(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options,
                     const SecondBounds& second) {
  Branch branch;
  const bool known = at.special == SpecialKind::fold || at.special == SpecialKind::period_doubling ||
                     at.special == SpecialKind::torus || at.special == SpecialKind::grazing;
  if (!known) {
    branch.ends = {{CurveEnd::no_convergence, "curves are followed from LP, PD, NS and GR"}};
    return branch;
  }
  Vector scales(2);
  scales << second.upper - second.lower, options.curve.upper - options.curve.lower;
  PlannedOrbit orbit = at.orbit;
  std::size_t segment = 0;
  if (at.special == SpecialKind::grazing) {
    // Always with the impact, at speed zero: its approach speed is a smooth function, the dip of a gap would be a minimum.
    const HybridOrbit first(system, orbit, scales);
    const Vector y = first.unknowns(orbit);
    const auto brink = at.brink ? at.brink : vanishing(first, y);
    if (!brink || (brink->kind != Brink::Kind::gap && brink->kind != Brink::Kind::impact_speed)) {
      branch.ends = {{CurveEnd::no_convergence, "curves of GR are followed where a contact is touched, not a switch"}};
      return branch;
    }
    if (brink->kind == Brink::Kind::gap) {
      const SequenceChange change = changed_sequence(first, y, *brink, options.names);
      if (change.orbit) orbit = *change.orbit;
      const HybridOrbit other(system, orbit, scales);
      if (const auto again = vanishing(other, other.unknowns(orbit))) segment = again->segment;
    } else {
      segment = brink->segment;
    }
  }
  const HybridOrbit orbits(system, orbit, scales);
  const SpecialProblem problem(orbits, at.special, segment, second);
  branch.sequences = {sequence_text(orbits.plan(), options.names)};
  const Vector guess = orbits.unknowns(orbit);
  const Vector hold = Vector::Unit(guess.size(), guess.size() - 2);
  const Correction start = corrected(problem, guess, hold, options.curve, 15);
  if (!start.converged()) {
    branch.ends = {{CurveEnd::no_convergence, "the special point itself is not a solution of its defining equations"}};
    return branch;
  }
  std::vector<BranchPoint> halves[2];
  for (const int side : {0, 1}) {
    std::string contradiction;
    const auto accept = [&](const CurvePoint& point) {
      if (options.progress) options.progress(0.5);
      if (at.special == SpecialKind::grazing) return Acceptance::take;  // the smallest disturbance changes its sequence
      contradiction = orbits.contradiction(point.y);
      return contradiction.empty() ? Acceptance::take : Acceptance::shorten;
    };
    const Vector direction = (side == 0 ? -1.0 : 1.0) * hold;
    const Continuation curve = followed(problem, start.y, direction, options.curve, accept);
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const bool fold_of_curve = curve.points[i].zero_of && *curve.points[i].zero_of < first_problem_test;
      if (!fold_of_curve) halves[side].push_back(point_of(orbits, curve.points[i].y, at.special, at.label));
    }
    const bool at_bound = curve.end == CurveEnd::special && curve.points.back().zero_of <= first_problem_test + 1;
    BranchEnd end{at_bound ? CurveEnd::bound : curve.end, contradiction};
    if (end.reason == CurveEnd::special) end.words = "another event reaches zero speed, gap, force or length";
    branch.ends.push_back(end);
  }
  branch.points.assign(halves[0].rbegin(), halves[0].rend());
  branch.points.push_back(point_of(orbits, start.y, at.special, at.label));
  branch.points.insert(branch.points.end(), halves[1].begin(), halves[1].end());
  return branch;
}

}  // namespace saltus
