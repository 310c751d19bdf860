#include "saltus/analysis/curves/continuation.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/analysis/curves/curve_marks.hpp"
#include "saltus/analysis/curves/curve_places.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

std::string_view name_of(CurveEnd end) {
  switch (end) {
    case CurveEnd::bound: return "bound";
    case CurveEnd::closed: return "closed";
    case CurveEnd::vertical: return "vertical";
    case CurveEnd::special: return "special";
    case CurveEnd::most_points: return "most_points";
    case CurveEnd::no_convergence: return "no_convergence";
    case CurveEnd::refused: return "refused";
    case CurveEnd::singular: return "singular";
    case CurveEnd::interrupted: return "interrupted";
    case CurveEnd::hopf: return "hopf";
    case CurveEnd::homoclinic: return "homoclinic";
    case CurveEnd::heteroclinic: return "heteroclinic";
    case CurveEnd::stopped: return "stopped";
  }
  return "";
}

namespace {

using Vector = Eigen::VectorXd;

constexpr double family =
    0.01;  // as long a part of a curve at one value of the parameter is no point where it stands still

/// One curve being followed.
class CurveFollower {
 public:
  CurveFollower(const CurveProblem& problem, const ContinuationOptions& options,
                const std::function<Acceptance(const CurvePoint&)>& accept, const Closing& closing, const Shown& shown)
      : problem_(problem),
        options_(options),
        accept_(accept),
        closing_(closing),
        shown_(shown),
        scale_(problem.scale()),
        places_(problem, options) {}

  Continuation run(const Vector& start, const Vector& direction) {
    auto first = point_at(start, direction.normalized());
    if (!first) return finish(CurveEnd::singular);
    curve_.points.push_back(std::move(*first));
    anchor();
    double step = options_.first_step;
    while (curve_.points.size() < options_.most_points) {
      if (is_interrupted()) return finish(CurveEnd::interrupted);
      const auto end = advance(step);
      if (end) return finish(*end);
    }
    return finish(CurveEnd::most_points);
  }

 private:
  Continuation finish(CurveEnd end) {
    curve_.end = end;
    return std::move(curve_);
  }

  const CurvePoint& last() const { return curve_.points.back(); }
  /// The next step refers to the last point.
  void anchor() {
    if (!problem_.anchored_at(last().y)) return;
    const Vector along = problem_.without_phase(last().y, last().tangent);
    if (auto again = point_at(last().y, along)) curve_.points.back() = std::move(*again);
  }
  Vector scaled(const Vector& y) const { return y.cwiseQuotient(scale_); }
  double bound_towards(double slope) const { return slope > 0.0 ? options_.upper : options_.lower; }
  bool is_inside(double p) const { return p > options_.lower && p < options_.upper; }

  std::optional<CurvePoint> point_at(const Vector& y, const Vector& along) const { return places_.at(y, along); }
  std::optional<CurvePoint> stepped(const CurvePoint& from, double step, Correction& correction) const {
    return places_.stepped(from, step, correction);
  }
  double distance(const CurvePoint& from, const CurvePoint& to) const { return places_.distance(from, to); }
  bool is_interrupted() const { return options_.interrupted && options_.interrupted(); }

  /// One step forward; what ended the curve, if anything did.
  std::optional<CurveEnd> advance(double& step) {
    CurveEnd reason = CurveEnd::no_convergence;
    for (; step >= options_.smallest_step; step *= 0.5) {
      if (is_interrupted()) return CurveEnd::interrupted;
      Correction correction;
      auto next = stepped(last(), step, correction);
      if (correction.outcome == Correction::Outcome::singular) reason = CurveEnd::singular;
      if (!next || turned(last(), *next) > options_.turn || strayed(*next, step)) continue;
      const bool leaves = !is_inside(next->parameter());
      if (leaves) {
        next = on_bound(last(), *next);
        if (!next) continue;
      }
      const CurvePoint from = last();
      const auto back = closing_ ? closing_(from, *next) : std::nullopt;
      if (back) next = point_at(*back, from.tangent);
      if (!next) continue;
      if (is_no_curve(from, *next)) return CurveEnd::singular;
      std::vector<CurvePoint> found = special_points(from, *next, step);
      std::erase_if(found,
                    [&](const CurvePoint& point) { return !is_special(point) && !is_steep(from, point, *next); });
      if (is_interrupted()) return CurveEnd::interrupted;
      const bool ends = !found.empty() && *found.back().zero_of >= first_problem_test &&
                        problem_.ends_at(*found.back().zero_of - first_problem_test);
      if (accept_ && !ends) {
        const Acceptance answer = accept_(*next);
        if (answer == Acceptance::shorten) reason = CurveEnd::refused;
        if (answer == Acceptance::shorten) continue;
        if (answer == Acceptance::stop) return CurveEnd::interrupted;
      }
      const bool hides_a_fold = found.empty() && turns_back(from, *next);
      const std::vector<CurvePoint> before_end(found.begin(), ends ? found.end() - 1 : found.end());
      if (hides_a_fold || !is_explained(from, ends ? found.back() : *next, before_end)) {
        // Two zeros of one test function between neighbours hide each other: nearer ones tell.
        if (step > 1e-3 * options_.first_step) continue;
        curve_.unexplained.push_back(next->parameter());
      }
      if (!ends) found.push_back(std::move(*next));
      const bool enough = take(from, std::move(found));
      if (ends) return CurveEnd::special;
      if (enough) return CurveEnd::stopped;
      if (back) return CurveEnd::closed;
      if (leaves) return CurveEnd::bound;
      anchor();
      count_vertical(from);
      if (has_stood_still() && options_.ends_when_vertical(last().y)) return CurveEnd::vertical;
      if (!closing_ && is_back(step)) {
        close();
        return CurveEnd::closed;
      }
      grow(step, correction, turned(from, last()));
      return std::nullopt;
    }
    return reason;
  }

  bool is_special(const CurvePoint& point) const {
    return *point.zero_of < first_problem_test || problem_.is_special(*point.zero_of - first_problem_test, point.y);
  }

  /// A multiplier that changes by 1e5 along a step is −1 in a part of it so short that its place, to all digits, leaves it beside −1. Functions that are huge on
  /// both sides and nothing between have a zero all the same.
  bool is_steep(const CurvePoint& a, const CurvePoint& zero, const CurvePoint& b) const {
    constexpr double nothing = 1e-6;
    const std::size_t i = *zero.zero_of;
    if (i < first_problem_test || !problem_.flips(i - first_problem_test)) return false;
    return std::abs(zero.tests[i]) <= nothing * std::min(std::abs(a.tests[i]), std::abs(b.tests[i]));
  }

  /// Neighbours of the last point, in order, with what is wanted between them. The last of them stays last. Whether that is enough.
  bool take(const CurvePoint& from, std::vector<CurvePoint> after) {
    const auto at = [&](const Vector& y, const Vector& along) { return point_at(y, along); };
    bool enough = false;
    for (CurvePoint& point : with_marks(problem_, from, std::move(after), options_, at)) {
      curve_.points.push_back(std::move(point));
      enough = (shown_ && shown_(last())) || enough;
    }
    return enough;
  }

  /// Curves cross in single points. Where the equations are singular at neighbours, to the error of derivatives, nothing tells one curve from others beside it.
  static bool is_no_curve(const CurvePoint& a, const CurvePoint& b) {
    constexpr double error_of_derivatives = 1e-11;
    return std::abs(a.tests[branch_point_test]) < error_of_derivatives &&
           std::abs(b.tests[branch_point_test]) < error_of_derivatives;
  }

  static double turned(const CurvePoint& a, const CurvePoint& b) {
    return std::acos(std::clamp(a.tangent.dot(b.tangent), -1.0, 1.0));
  }
  /// The corrector went to another curve: far from where the predictor pointed.
  bool strayed(const CurvePoint& next, double step) const {
    return (scaled(next.y) - scaled(last().y) - step * last().tangent).norm() > 0.5 * step;
  }
  void grow(double& step, const Correction& correction, double turn) const {
    if (correction.iterations <= 4 && turn < 0.5 * options_.turn) step = std::min(1.5 * step, options_.largest_step);
    if (correction.iterations > 6) step *= 0.7;
  }
  /// The curve leads from its last point into its first one: a step as long as they are apart ends there. A neighbouring curve does not.
  bool is_back(double step) const {
    if (curve_.points.size() < 12) return false;
    const CurvePoint& first = curve_.points.front();
    const Vector difference = scaled(first.y) - scaled(last().y);
    if (difference.norm() >= step || last().tangent.dot(first.tangent) < 0.9) return false;
    Correction correction;
    const auto there = stepped(last(), difference.dot(last().tangent), correction);
    return there && (scaled(there->y) - scaled(first.y)).norm() < 1e-6;
  }

  /// The curve ends in its first point itself: what lies beyond it is known.
  void close() {
    const CurvePoint first = curve_.points.front();
    while (curve_.points.size() > 2 && distance(first, last()) > 0.0) curve_.points.pop_back();
    const double length = distance(last(), first);
    std::vector<CurvePoint> after;
    if (length > 0.0) after = special_points(last(), first, length);
    after.push_back(first);
    take(CurvePoint(last()), std::move(after));
  }

  /// Along it the parameter does not change: there are no folds, only rounding errors.
  static bool is_vertical(const CurvePoint& point) { return std::abs(point.tests[fold_test]) < 1e-6; }

  /// How far the curve has gone without a change of the parameter. At an inflection, p ~ s³, it stands still at one point only: short steps past it are no
  /// family of points.
  void count_vertical(const CurvePoint& from) {
    const bool still = is_vertical(from) && is_vertical(last());
    vertical_steps_ = still ? vertical_steps_ + 1 : 0;
    vertical_length_ = still ? vertical_length_ + (scaled(last().y) - scaled(from.y)).norm() : 0.0;
  }

  /// Long enough to ask what the curve is there; after a no, after as long a way again.
  bool has_stood_still() {
    if (!options_.ends_when_vertical || vertical_steps_ < 5 || !(vertical_length_ > family)) return false;
    vertical_steps_ = 0;
    vertical_length_ = 0.0;
    return true;
  }

  /// The parameter goes back behind b: somewhere before it stands still.
  static bool turns_back(const CurvePoint& a, const CurvePoint& b) {
    return changes_sign(a.tests[fold_test], b.tests[fold_test]) && !is_vertical(a) && !is_vertical(b);
  }

  /// Each special point changes the number of unstable directions by two at most, and a parity changes at an odd number of its points.
  bool is_explained(const CurvePoint& a, const CurvePoint& b, const std::vector<CurvePoint>& special) const {
    const auto before = problem_.unstable_directions(a.y);
    const auto after = problem_.unstable_directions(b.y);
    if (before && after && std::max(*before, *after) - std::min(*before, *after) > 2 * special.size()) return false;
    const auto parity_before = problem_.parity(a.y);
    const auto parity_after = problem_.parity(b.y);
    if (!parity_before || !parity_after || (is_vertical(a) && is_vertical(b))) return true;
    std::size_t turns = 0, flips = 0;
    for (const CurvePoint& point : special) {
      if (*point.zero_of < first_problem_test) ++turns;
      else if (problem_.flips(*point.zero_of - first_problem_test)) ++flips;
    }
    return (parity_before->turn == parity_after->turn || turns % 2 == 1) &&
           (parity_before->flip == parity_after->flip || flips % 2 == 1);
  }

  /// The point where the curve meets the bound it is about to leave.
  std::optional<CurvePoint> on_bound(const CurvePoint& from, const CurvePoint& beyond) const {
    const double bound = beyond.parameter() > from.parameter() ? options_.upper : options_.lower;
    const double part = (bound - from.parameter()) / (beyond.parameter() - from.parameter());
    Vector guess = from.y + part * (beyond.y - from.y);
    guess[guess.size() - 1] = bound;
    const Correction correction =
        corrected(problem_, guess, parameter_direction(problem_), options_, options_.most_iterations);
    if (!correction.converged()) return std::nullopt;
    Vector y = correction.y;
    y[y.size() - 1] = bound;
    return point_at(y, from.tangent);
  }

  // ---- special points ---------------------------------------------------------------------------------------------

  static bool changes_sign(double a, double b) {
    return std::isfinite(a) && std::isfinite(b) && ((a < 0.0 && b >= 0.0) || (a > 0.0 && b <= 0.0));
  }

  /// The special points between two neighbours, in order; nothing behind the first that ends the curve.
  std::vector<CurvePoint> special_points(const CurvePoint& a, const CurvePoint& b, double step) const {
    const double length = std::min(step, (scaled(b.y) - scaled(a.y)).dot(a.tangent));
    std::optional<CurvePoint> barrier;
    double reach = length;
    for (std::size_t i = first_problem_test; i < a.tests.size(); ++i) {
      if (!problem_.ends_at(i - first_problem_test) || !changes_sign(a.tests[i], b.tests[i])) continue;
      auto found = places_.zero_between(a, b, reach, i);
      if (!found) continue;
      reach = distance(a, *found);
      barrier = std::move(found);
    }
    // Beyond a barrier the other test functions mean nothing: they are compared with their values just before it.
    CurvePoint until = b;
    if (barrier) {
      until = a;
      for (const double part : {1e-6, 1e-4, 1e-2}) {
        Correction correction;
        auto before = stepped(a, reach * (1.0 - part), correction);
        if (!before) continue;
        until = std::move(*before);
        break;
      }
    }
    std::vector<CurvePoint> found;
    for (std::size_t i = 0; i < a.tests.size(); ++i) {
      const bool is_barrier = i >= first_problem_test && problem_.ends_at(i - first_problem_test);
      if (is_barrier || !changes_sign(a.tests[i], until.tests[i])) continue;
      if (i == fold_test && is_vertical(a) && is_vertical(until)) continue;
      if (auto point = places_.zero_between(a, until, distance(a, until), i)) found.push_back(std::move(*point));
    }
    std::sort(found.begin(), found.end(),
              [&](const CurvePoint& x, const CurvePoint& z) { return distance(a, x) < distance(a, z); });
    if (barrier) found.push_back(std::move(*barrier));
    return found;
  }

  const CurveProblem& problem_;
  const ContinuationOptions& options_;
  const std::function<Acceptance(const CurvePoint&)>& accept_;
  const Closing& closing_;
  const Shown& shown_;
  Vector scale_;
  CurvePlaces places_;
  Continuation curve_;
  int vertical_steps_ = 0;
  double vertical_length_ = 0.0;
};

}  // namespace

Continuation followed(const CurveProblem& problem, const Vector& start, const Vector& direction,
                      const ContinuationOptions& options, const std::function<Acceptance(const CurvePoint&)>& accept,
                      const Closing& closing, const Shown& shown) {
  return CurveFollower(problem, options, accept, closing, shown).run(start, direction);
}

}  // namespace saltus
