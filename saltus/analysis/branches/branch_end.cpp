#include "saltus/analysis/branches/branch_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "saltus/analysis/orbits/critical_multipliers.hpp"

namespace saltus {

bool only_lengthens(const HybridOrbit& problem, const CurvePoint& at) {
  const PlannedOrbit change = problem.orbit(at.tangent.cwiseProduct(problem.scale()));
  const double longer = std::accumulate(change.tau.begin(), change.tau.end(), 0.0) / problem.period(at.y);
  const double moved = change.x.front().cwiseQuotient(problem.sizes()).norm();
  return problem.plan().periods == 0 && longer > 10.0 * moved;
}

bool stands_still(const HybridOrbit& problem, const Vector& y, double longest) {
  const OrbitPlan& plan = problem.plan();
  if (plan.periods > 0 || plan.has_events() || has_multiplier(problem.report(y).multipliers, 1.0)) return true;
  return problem.period(y) >= longest && nearly_rests(problem.system(), problem.orbit(y), problem.sizes());
}

std::string vertical_words(const HybridOrbit& problem, const Continuation& curve) {
  const CurvePoint& last = curve.points.back();
  if (!only_lengthens(problem, last)) return "";
  const double T = problem.period(last.y);
  return fmt::format(
      "the period grows, here {:.6g}, while the parameter stands still: towards a homoclinic or heteroclinic orbit", T);
}

namespace {

std::string in_words(const Equilibrium& at) {
  std::vector<std::string> x, eigenvalues;
  for (const double each : at.x) x.push_back(fmt::format("{:.6g}", std::abs(each) < 1e-14 ? 0.0 : each));
  for (const std::complex<double>& each : at.eigenvalues)
    eigenvalues.push_back(each.imag() == 0.0 ? fmt::format("{:.6g}", each.real())
                                             : fmt::format("{:.6g} {} {:.6g}i", each.real(),
                                                           each.imag() < 0.0 ? "-" : "+", std::abs(each.imag())));
  return fmt::format("({}) with eigenvalues {}", fmt::join(x, ", "), fmt::join(eigenvalues, ", "));
}

/// Of the eigenvalues nearest to the imaginary axis on either side the nearer is complex: the parameter swings for ever (Shilnikov).
bool is_wild(const Equilibrium& saddle) {
  std::complex<double> stable = -1e300, unstable = 1e300;
  for (const std::complex<double>& each : saddle.eigenvalues) {
    if (each.real() < 0.0 && each.real() > stable.real()) stable = each;
    if (each.real() > 0.0 && each.real() < unstable.real()) unstable = each;
  }
  const std::complex<double> nearer = -stable.real() < unstable.real() ? stable : unstable;
  return nearer.imag() != 0.0;
}

std::string saddles_in_words(const std::vector<Equilibrium>& saddles) {
  std::vector<std::string> words;
  for (const Equilibrium& each : saddles) words.push_back(in_words(each));
  return fmt::format("the saddle{} {}", saddles.size() == 1 ? "" : "s", fmt::join(words, " and "));
}

/// With the saddles, if there are any beside which the last orbit spends its time; else what is known without them.
BranchEnd end_beside_saddles(const HybridOrbit& problem, const Continuation& curve) {
  BranchEnd end{CurveEnd::vertical, vertical_words(problem, curve)};
  if (end.words.empty()) return end;
  end.saddles = saddles_beside(problem.system(), problem.orbit(curve.points.back().y), problem.sizes());
  if (end.saddles.empty()) return end;
  end.reason = end.saddles.size() == 1 ? CurveEnd::homoclinic : CurveEnd::heteroclinic;
  return end;
}

}  // namespace

BranchEnd long_family_end(const HybridOrbit& problem, const Continuation& curve) {
  BranchEnd end = end_beside_saddles(problem, curve);
  if (!end.saddles.empty())
    end.words = fmt::format("the period grows, here {:.6g}, towards a {} orbit: {}",
                            problem.period(curve.points.back().y), name_of(end.reason), saddles_in_words(end.saddles));
  return end;
}

BranchEnd long_period_end(const HybridOrbit& problem, const Continuation& curve, const std::vector<BranchPoint>& points,
                          double range) {
  BranchEnd end = end_beside_saddles(problem, curve);
  if (end.saddles.empty()) return end;
  const CurvePoint& last = curve.points.back();
  std::vector<PeriodAt> along;
  for (const BranchPoint& point : points) along.push_back({point.period, point.parameter});
  along.push_back({problem.period(last.y), last.parameter()});
  end.limit = limit_of_parameter(along, 1e-12 * range);
  end.words = fmt::format("the period grows, here {:.6g}, towards a {} orbit at {:.10g} within {:.1g}: {}",
                          problem.period(last.y), name_of(end.reason), end.limit->value, end.limit->error,
                          saddles_in_words(end.saddles));
  if (end.saddles.size() == 1 && is_wild(end.saddles.front()))
    end.words +=
        "; beside such a saddle folds and doublings follow each other without end, and the last ones are not listed";
  return end;
}

BranchPoint at_equilibrium(BranchPoint last, const HopfPoint& hopf) {
  const double T = 2.0 * std::numbers::pi / hopf.frequency;
  const double whole = std::round(last.period / T) * T;
  for (Vector& x : last.orbit.x) x = hopf.x;
  for (double& tau : last.orbit.tau) tau *= whole / last.period;
  last.special = SpecialKind::hopf;
  last.parameter = last.orbit.varied.back() = hopf.parameter;
  last.period = whole;
  last.returns = {hopf.x};
  last.multipliers = hopf.multipliers;
  last.multiplier_logs = hopf.multiplier_logs;
  last.note = fmt::format("the orbits shrink into an equilibrium, frequency {:.10g}", hopf.frequency);
  return last;
}

bool was_here_before(const std::vector<BranchPoint>& points, const Vector& sizes, double range) {
  const BranchPoint& last = points.back();
  return std::any_of(points.begin(), points.end() - 1, [&](const BranchPoint& earlier) {
    if (earlier.special != last.special || earlier.passage == Passage::none) return false;
    if (std::abs(earlier.parameter - last.parameter) > 1e-7 * range) return false;
    if (std::abs(earlier.period - last.period) > 1e-6 * last.period) return false;
    return std::any_of(earlier.returns.begin(), earlier.returns.end(), [&](const Vector& x) {
      return x.size() == last.x().size() && (x - last.x()).cwiseQuotient(sizes).cwiseAbs().maxCoeff() < 1e-6;
    });
  });
}

void number_labels(Branch& branch) {
  std::map<SpecialKind, int> count;
  for (BranchPoint& point : branch.points)
    if (point.special != SpecialKind::none) point.label = numbered_label(point.special, ++count[point.special]);
}

void keep_label(const BranchPoint& start, double range, BranchPoint& first,
                const std::vector<std::vector<BranchPoint>*>& legs) {
  first.special = start.special;
  first.note = start.note;
  first.null_vector = start.null_vector;
  for (std::vector<BranchPoint>* points : legs)
    if (!points->empty() && points->front().special == start.special &&
        std::abs(points->front().parameter - first.parameter) < 1e-7 * range)
      points->erase(points->begin());
}

}  // namespace saltus
