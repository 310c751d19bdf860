#pragma once

#include <Eigen/Dense>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// A curve: n equations G(y) = 0 in n + 1 unknowns. The last unknown is the parameter that is bounded and reported.
class CurveProblem {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  struct Jet {
    Vector residual;   // n
    Matrix jacobian;   // n × (n + 1)
  };

  virtual ~CurveProblem() = default;
  /// G and ∂G/∂y; nothing if they cannot be computed at y.
  virtual std::optional<Jet> jet(const Vector& y) const = 0;
  /// Natural sizes of the unknowns: the curve is measured in y/scale.
  virtual Vector scale() const = 0;
  /// Functions of a point of the curve whose zeros are special points. The curve's own test functions (folds, branch points)
  /// are not among them. A value that is not finite is not compared.
  virtual std::vector<double> tests(const Vector& y) const;
  /// The curve ends at a zero of this test function: the equations describe something else beyond it.
  virtual bool ends_at(std::size_t test) const;
  /// In how many directions a point of the curve is unstable, where that is certain. It changes at special points only.
  virtual std::optional<std::size_t> unstable_directions(const Vector& y) const;
};

/// How a curve is followed. Lengths are in units of the problem's scale.
struct ContinuationOptions {
  double lower = -1e300;  // bounds of the parameter
  double upper = 1e300;
  double first_step = 0.02;
  double largest_step = 0.1;
  double smallest_step = 1e-8;  // a step that must be shorter ends the curve
  double correction = 1e-11;  // Newton's last correction ≤ this
  int most_iterations = 8;
  double turn = 0.3;  // angle between tangents of neighbouring points ≤ this
  std::size_t most_points = 2000;
  double located = 1e-11;  // special points: bracket of the parameter, relative to its scale
  bool ends_when_vertical = false;  // where the parameter no longer changes
  std::function<bool()> interrupted;
};

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
};
std::string_view name_of(CurveEnd end);

/// The points in order, special ones among them.
struct Continuation {
  std::vector<CurvePoint> points;
  CurveEnd end = CurveEnd::most_points;
  std::vector<double> unexplained =
      {};  // where the number of unstable directions changes, and no test function says why
};

/// Newton's method in the n + 1 unknowns y with one linear condition  row · (y − y₀)/scale = 0  appended to G = 0. A vector along the
/// parameter keeps it; a tangent gives the pseudo-arclength condition.
struct Correction {
  Eigen::VectorXd y;
  double residual = 0.0;  // max |G| at y
  double last_change = 0.0;  // of y/scale
  double condition = 0.0;  // estimate, of the bordered matrix in scaled unknowns
  int iterations = 0;
  enum class Outcome { converged, too_many_iterations, diverging, singular, not_defined };
  Outcome outcome = Outcome::not_defined;
  bool converged() const { return outcome == Outcome::converged; }
};
Correction corrected(const CurveProblem& problem, const Eigen::VectorXd& guess, const Eigen::VectorXd& row,
                     const ContinuationOptions& options, int most_iterations);

/// The unit tangent at a point of the curve with tangent · along > 0. Nothing if the Jacobian there has not full rank.
std::optional<Eigen::VectorXd> curve_tangent(const CurveProblem& problem, const Eigen::VectorXd& y,
                                             const Eigen::VectorXd& along);

/// At a point where two curves cross: the unit vector of the Jacobian's two-dimensional kernel that is orthogonal to `tangent`.
Eigen::VectorXd crossing_direction(const CurveProblem& problem, const Eigen::VectorXd& y,
                                   const Eigen::VectorXd& tangent);

/// det A up to a smooth factor that does not vanish, but has poles: zero where A is singular.
double singularity(const Eigen::MatrixXd& A);

/// The direction along which the parameter alone grows.
Eigen::VectorXd parameter_direction(const CurveProblem& problem);

/// What the caller says of a point before it is taken.
enum class Acceptance { take, shorten, stop };

/// Follows the curve from a point on it, along its tangent there (which need not be exact). Special points between two
/// accepted ones are located on the curve itself, by root finding on the step length with full correction.
Continuation followed(const CurveProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& direction,
                      const ContinuationOptions& options,
                      const std::function<Acceptance(const CurvePoint&)>& accept = {});

}  // namespace saltus
