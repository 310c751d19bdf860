#include "saltus/analysis/branches/branch_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/branches/half_orbit.hpp"
#include "saltus/analysis/orbits/critical_multipliers.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr std::size_t doubling = first_problem_test + HybridOrbit::period_doubling_test;
constexpr std::size_t torus = first_problem_test + HybridOrbit::torus_test;
constexpr std::size_t halves = first_problem_test + HybridOrbit::halves_test;
constexpr std::size_t sliding = first_problem_test + HybridOrbit::sliding_test;

/// A segment beyond a switch and back, or a slide along one, that lasts next to nothing. Its duration goes with the square root of its
/// depth: where it vanishes, the curve of the equations turns round, which neither branches nor folds the orbits.
bool has_short_excursion(const BranchPoint& point) {
  const std::vector<SegmentPlan>& segments = point.orbit.plan.segments;
  const std::size_t m = segments.size();
  for (std::size_t i = 0; m > 1 && i < m; ++i) {
    const SegmentEnd& before = segments[(i + m - 1) % m].end;
    const bool slides = before.kind == SegmentEnd::Kind::weight_low || before.kind == SegmentEnd::Kind::weight_high;
    const bool returns = (before.kind == SegmentEnd::Kind::switched && before == segments[i].end) ||
                         (slides && segments[i].end == SegmentEnd{SegmentEnd::Kind::switched, before.index}) ||
                         is_touching_stick(point.orbit.plan, i);
    if (returns && std::abs(point.orbit.tau[i]) < 1e-3 * point.period) return true;
  }
  return false;
}

/// The direction in which the other branch leaves, at the start of the first segment.
Eigen::VectorXcd other_direction(const HybridOrbit& problem, const CurvePoint& at, const BranchPoint& point) {
  const Vector direction = crossing_direction(problem, at.y, at.tangent).cwiseProduct(problem.scale());
  const Index N = point.x().size();
  const Index first = at.y.size() - 1 - static_cast<Index>(point.orbit.x.size()) * (N + 1);
  return direction.segment(first, N).cast<std::complex<double>>();
}

Stability stability_of(const BranchPoint& point) {
  if (point.multipliers.empty()) return Stability::neutral;
  double largest = 0.0;
  for (const auto& mu : point.multipliers) largest = std::max(largest, std::abs(mu));
  if (std::abs(largest - 1.0) < 1e-8) return Stability::neutral;
  return largest < 1.0 ? Stability::stable : Stability::unstable;
}

bool changes_sequence(const BranchPoint& point) {
  return point.special == SpecialKind::grazing || point.special == SpecialKind::sliding;
}

}  // namespace

SpecialKind special_kind_of(std::size_t test) {
  if (test == fold_test) return SpecialKind::fold;
  if (test == branch_point_test) return SpecialKind::branch_point;
  if (test == doubling || test == halves) return SpecialKind::period_doubling;
  if (test == torus) return SpecialKind::torus;
  return test == sliding ? SpecialKind::sliding : SpecialKind::grazing;
}

bool is_birth(std::size_t test) { return test == halves; }

Eigen::VectorXcd eigenvector_near(const Matrix& monodromy, std::complex<double> wanted) {
  if (!monodromy.allFinite()) return {};
  const Eigenpairs pairs = eigenpairs_of(monodromy);
  Index best = 0;
  for (Index i = 1; i < monodromy.rows(); ++i)
    if (std::abs(pairs.values[i] - wanted) < std::abs(pairs.values[best] - wanted)) best = i;
  return pairs.vectors.col(best);
}

namespace {

/// What vanishes. Where a slide along a switch is born that is only touched, the flight's distance from it is a minimum of no depth, and the speed
/// with which it is reached says more.
std::optional<Brink> vanishing_brink(const HybridOrbit& problem, const Vector& y, std::size_t test) {
  const auto found = problem.brink(y, test);
  if (!found || found->kind != Brink::Kind::switch_side) return found;
  const std::size_t m = problem.plan().segments.size();
  for (const Brink& each : problem.report(y).brinks)
    if (each.kind == Brink::Kind::arrival && each.index == found->index && std::abs(each.value) < 1e-4 &&
        is_touching_stick(problem.plan(), (each.segment + 1) % m))
      return each;
  return found;
}

}  // namespace

namespace {

/// Where Π (1 − μᵢμⱼ) vanishes and no pair lies on the unit circle: two multipliers are −1 or 1 together, so that Π (1 + μᵢ) and the determinant keep
/// their signs, as in a model of two equal parts. Two real ones whose product is 1 are nothing.
std::optional<BranchPoint> with_two_at_once(const Matrix& monodromy, BranchPoint point) {
  for (const double wanted : {-1.0, 1.0}) {
    const std::size_t count = count_of_multiplier(point.multipliers, wanted);
    if (count < 2) continue;
    point.special = wanted < 0.0 ? SpecialKind::period_doubling : SpecialKind::branch_point;
    point.multiplicity = count;
    point.null_vector = eigenvector_near(monodromy, wanted);
    point.note = fmt::format("{} multipliers are {} together", count, wanted < 0.0 ? "−1" : "1");
    return point;
  }
  return std::nullopt;
}

}  // namespace

namespace {

/// A multiplier passes 1, or −1, along the curve. Beside the trivial one of an orbit without forcing the two are known to half of the digits only, and one that
/// changes by thousands along a step is so in a very short part of it: the neighbours tell.
bool passes(double wanted, const HybridOrbit& problem, const CurvePoint& at, const ContinuationOptions& options) {
  const auto beside = [&](double way) {
    const Vector guess = at.y + (way * at.tangent).cwiseProduct(problem.scale());
    const Correction on = corrected(problem, guess, at.tangent, options, options.most_iterations);
    return on.converged() ? problem.report(on.y).multipliers : Multipliers{};
  };
  for (const double apart : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}) {
    const Multipliers before = beside(-apart), after = beside(apart);
    if (before.empty() || after.empty() || count_beyond(wanted, before) % 2 == count_beyond(wanted, after) % 2)
      continue;
    // Impacts that lose their speed have infinite multipliers: with events both neighbours must be near.
    if (!problem.plan().has_events()) return true;
    const auto one = real_near(before, wanted), other = real_near(after, wanted);
    if (one && other && std::abs(*one - wanted) < 0.5 && std::abs(*other - wanted) < 0.5) return true;
  }
  return false;
}

}  // namespace

std::optional<BranchPoint> confirmed(const HybridOrbit& problem, const CurvePoint& at, BranchPoint point,
                                     const ContinuationOptions& options) {
  point.special = special_kind_of(*at.zero_of);
  const Matrix& monodromy = problem.report(at.y).monodromy;
  switch (point.special) {
    case SpecialKind::fold:
    case SpecialKind::branch_point:
      if (has_short_excursion(point)) return std::nullopt;
      if (!has_multiplier(point.multipliers, 1.0) && !passes(1.0, problem, at, options)) return std::nullopt;
      point.null_vector =
          point.special == SpecialKind::fold ? eigenvector_near(monodromy, 1.0) : other_direction(problem, at, point);
      break;
    case SpecialKind::period_doubling:
      // The end of a doubled branch is held against the orbit of half the period, on which the multiplier is −1.
      if (!is_birth(*at.zero_of) && !has_multiplier(point.multipliers, -1.0) && !passes(-1.0, problem, at, options))
        return std::nullopt;
      point.null_vector = eigenvector_near(monodromy, -1.0);
      break;
    case SpecialKind::torus: {
      const auto pair = unit_pair(point.multipliers);
      if (!pair) return with_two_at_once(monodromy, std::move(point));
      point.null_vector = eigenvector_near(monodromy, *pair);
      point.note = fmt::format("rotation by {:.6g} of a turn", std::arg(*pair) / (2.0 * std::acos(-1.0)));
      break;
    }
    default:
      point.brink = problem.brink(at.y, *at.zero_of - first_problem_test);
      if (!point.brink) return std::nullopt;  // it was located, so that it is small beside its neighbours'
      point.brink = vanishing_brink(problem, at.y, *at.zero_of - first_problem_test);
      if (point.brink->kind == Brink::Kind::impact_speed) point.multipliers.clear();  // infinite
      break;
  }
  return point;
}

void judge_stability(std::vector<BranchPoint>& points) {
  for (BranchPoint& point : points) {
    const bool bifurcates = !is_ordinary(point.special) && !changes_sequence(point);
    point.stability = bifurcates ? Stability::neutral : stability_of(point);
  }
  const std::vector<BranchPoint> as_computed = points;
  const auto beside = [&](std::size_t i, std::ptrdiff_t way) -> const BranchPoint* {
    for (std::ptrdiff_t j = static_cast<std::ptrdiff_t>(i) + way; j >= 0 && j < std::ssize(as_computed); j += way) {
      const BranchPoint& point = as_computed[static_cast<std::size_t>(j)];
      if (is_ordinary(point.special)) return &point;
      if (!changes_sequence(point)) return nullptr;  // beyond a bifurcation it is another one
    }
    return nullptr;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!changes_sequence(points[i])) continue;
    const BranchPoint* before = beside(i, -1);
    const BranchPoint* after = beside(i, 1);
    if (before && after)
      points[i].stability = before->stability == after->stability ? before->stability : Stability::neutral;
  }
  for (BranchPoint& point : points) point.stable = point.stability == Stability::stable;
}

void judge_family(std::vector<BranchPoint>& points) {
  for (BranchPoint& point : points) {
    const auto from_one = [](const std::complex<double>& mu) { return std::abs(mu - 1.0); };
    auto others = point.multipliers;
    const auto own = std::ranges::min_element(others, {}, from_one);
    if (own != others.end()) others.erase(own);
    const bool grows = std::ranges::any_of(others, [](const auto& mu) { return std::abs(mu) > 1.0 + 1e-8; });
    const bool bifurcates = !is_ordinary(point.special);
    point.stability = grows && !bifurcates ? Stability::unstable : Stability::neutral;
    point.stable = false;
  }
}

bool is_of_fewer_returns(BranchPoint& point, std::size_t k, const Vector& sizes) {
  const std::size_t repeats = distinct_returns(point.returns, sizes, point.orbit.plan.translations);
  if (repeats >= k) return false;
  point.passage = Passage::disappears;
  point.note += fmt::format("{}here it is the orbit of {} {}, in which this branch ends",
                            point.note.empty() ? "" : "; ", repeats, repeats == 1 ? "return" : "returns");
  return true;
}

}  // namespace saltus
