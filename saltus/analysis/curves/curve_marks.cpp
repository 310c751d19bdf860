#include "saltus/analysis/curves/curve_marks.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

Index unknown_of(const CurveMark& mark, Index size) { return size - 1 - mark.from_last; }

/// The point of the curve between a and b at a mark: root finding along the chord (Illinois), then Newton's method with the unknown held.
std::optional<CurvePoint> point_between(const CurveProblem& problem, const CurvePoint& a, const CurvePoint& b,
                                        const CurveMark& mark, const ContinuationOptions& options,
                                        const PointAt& point_at) {
  const Index k = unknown_of(mark, a.y.size());
  const double size = problem.scale()[k];
  Vector left = a.y, right = b.y, best = b.y;
  double f_left = a.y[k] - mark.value, f_right = b.y[k] - mark.value;
  double weight_left = 1.0, weight_right = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double u = weight_left * f_left, v = weight_right * f_right;
    const Vector guess = left + (right - left) * (i % 4 == 3 ? 0.5 : u / (u - v));
    const Correction on = corrected(problem, guess, a.tangent, options, options.most_iterations);
    if (!on.converged()) return std::nullopt;
    best = on.y;
    const double f = best[k] - mark.value;
    if (std::abs(f) < 1e-9 * size) break;
    const bool on_left = (f > 0.0) == (f_left > 0.0);
    (on_left ? left : right) = best;
    (on_left ? f_left : f_right) = f;
    (on_left ? weight_left : weight_right) = 1.0;
    (on_left ? weight_right : weight_left) *= 0.5;
  }
  best[k] = mark.value;
  const Correction held = corrected(problem, best, Vector::Unit(best.size(), k), options, options.most_iterations);
  const double moved = (held.y - best).cwiseQuotient(problem.scale()).norm();
  if (!held.converged() || !(moved < 1e-3)) return std::nullopt;
  Vector y = held.y;
  y[k] = mark.value;
  return point_at(y, a.tangent);
}

bool lies_between(double value, double a, double b) { return (value > a && value < b) || (value < a && value > b); }

/// The marks between two neighbours in the order in which they are met.
std::vector<std::size_t> marks_between(const CurvePoint& a, const CurvePoint& b, const std::vector<CurveMark>& marks) {
  std::vector<std::pair<double, std::size_t>> met;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Index k = unknown_of(marks[i], a.y.size());
    if (!lies_between(marks[i].value, a.y[k], b.y[k])) continue;
    met.emplace_back((marks[i].value - a.y[k]) / (b.y[k] - a.y[k]), i);
  }
  std::sort(met.begin(), met.end());
  std::vector<std::size_t> order;
  for (const auto& [part, i] : met) order.push_back(i);
  return order;
}

}  // namespace

std::optional<std::size_t> mark_at(const Vector& y, const std::vector<CurveMark>& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (y[unknown_of(marks[i], y.size())] == marks[i].value) return i;
  return std::nullopt;
}

std::vector<CurvePoint> with_marks(const CurveProblem& problem, const CurvePoint& from, std::vector<CurvePoint> after,
                                   const ContinuationOptions& options, const PointAt& point_at) {
  if (options.marks.empty()) return after;
  std::vector<CurvePoint> all;
  CurvePoint last = from;
  for (CurvePoint& point : after) {
    const CurvePoint a = last;
    last = point;
    for (const std::size_t i : marks_between(a, point, options.marks))
      if (auto found = point_between(problem, a, point, options.marks[i], options, point_at)) {
        found->mark = i;
        all.push_back(std::move(*found));
      }
    const auto mark = mark_at(point.y, options.marks);
    if (mark && point.zero_of) {
      all.push_back(point);
      all.back().zero_of.reset();
      all.back().mark = mark;
    }
    if (!point.zero_of) point.mark = mark;
    all.push_back(std::move(point));
  }
  return all;
}

}  // namespace saltus
