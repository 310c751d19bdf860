#pragma once

#include <string_view>

#include "saltus/analysis/curves/curve_problem.hpp"

namespace saltus {

/// Where a special point comes from: the curve's own tests, then those of the problem.
inline constexpr std::size_t fold_test = 0;  // the tangent's component along the parameter vanishes
inline constexpr std::size_t branch_point_test = 1;  // the bordered Jacobian is singular: two curves cross
inline constexpr std::size_t first_problem_test = 2;

struct CurvePoint {
  Eigen::VectorXd y;
  Eigen::VectorXd tangent;  // of unit length in y/scale, in the direction of travel
  std::vector<double> tests;  // fold, branch point, then the problem's
  std::optional<std::size_t> zero_of;  // a special point: which test vanishes
  double parameter() const { return y[y.size() - 1]; }
};

enum class CurveEnd {
  bound,  // of the parameter: the last point lies on it
  closed,  // back at the first point, which is also the last
  vertical,  // a family of points at one value of the parameter
  special,  // at a zero of a test that ends the curve: the last point
  most_points,
  no_convergence,  // Newton, down to the smallest step
  refused,  // the caller does not accept the points, down to the smallest step
  singular,  // the Jacobian is singular and no test function says why
  interrupted,
  hopf,  // of orbits: they shrink into an equilibrium
  homoclinic,  // of orbits: their period grows without bound beside one saddle
  heteroclinic,  // the same beside several
};
std::string_view name_of(CurveEnd end);

/// The points in order, special ones among them.
struct Continuation {
  std::vector<CurvePoint> points;
  CurveEnd end = CurveEnd::most_points;
  std::vector<double> unexplained =
      {};  // where the number of unstable directions changes, and no test function says why
};

/// What the caller says of a point before it is taken.
enum class Acceptance { take, shorten, stop };

/// A point between two neighbours at which the curve has come back to where it began, if there is one. Without such a judge a curve is closed
/// where its points come back to the first one.
using Closing = std::function<std::optional<Eigen::VectorXd>(const CurvePoint& from, const CurvePoint& to)>;

/// Is shown every point that is taken, in order, special ones among them; not the first.
using Shown = std::function<void(const CurvePoint&)>;

/// Follows the curve from a point on it, along its tangent there (which need not be exact). Special points between two
/// accepted ones are located on the curve itself, by root finding on the step length with full correction.
Continuation followed(const CurveProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& direction,
                      const ContinuationOptions& options,
                      const std::function<Acceptance(const CurvePoint&)>& accept = {}, const Closing& closing = {},
                      const Shown& shown = {});

}  // namespace saltus
