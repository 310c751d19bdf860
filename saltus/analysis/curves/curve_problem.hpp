#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// A curve: n equations G(y) = 0 in n + 1 unknowns. The last unknown is the parameter that is bounded and reported.
class CurveProblem {
 public:
  struct Jet {
    Vector residual;   // n
    Matrix jacobian;   // n × (n + 1)
  };

  virtual ~CurveProblem() = default;
  /// G and ∂G/∂y; nothing if they cannot be computed at y.
  virtual std::optional<Jet> jet(const Vector& y) const = 0;
  /// Equations that refer to a point of the curve, as a condition on a phase does, refer to this one from now on: it solves them still, with
  /// another tangent. False if there are none.
  virtual bool anchored_at(const Vector& y) const;
  /// A tangent at y in y/scale, without the part of it that another such condition would change: what is left points the same way in all of them.
  virtual Vector without_phase(const Vector& y, const Vector& tangent) const;
  /// Natural sizes of the unknowns: the curve is measured in y/scale.
  virtual Vector scale() const = 0;
  /// Functions of a point of the curve whose zeros are special points. The curve's own test functions (folds, branch points)
  /// are not among them. A value that is not finite is not compared.
  virtual std::vector<double> tests(const Vector& y) const;
  /// The curve ends at a zero of this test function: the equations describe something else beyond it.
  virtual bool ends_at(std::size_t test) const;
  /// Whether a zero of this test function is a special point there, and not a chance product of what means nothing.
  virtual bool is_special(std::size_t test, const Vector& y) const;
  /// In how many directions a point of the curve is unstable, where that is certain. It changes at special points only.
  virtual std::optional<std::size_t> unstable_directions(const Vector& y) const;
  /// Signs that change at folds and branch points alone, and at zeros of test functions that `flips`, where they are certain. They tell of two
  /// special points between neighbours that leave the number of unstable directions as it was.
  struct Parity {
    bool turn = false, flip = false;
  };
  virtual std::optional<Parity> parity(const Vector& y) const;
  virtual bool flips(std::size_t test) const;
};

/// A value of an unknown at which the curve is wanted.
struct CurveMark {
  Eigen::Index from_last = 0;  // 0: of the parameter, 1: of the unknown before it
  double value = 0.0;
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
  /// Where the parameter has not changed for a while: whether the curve ends at the point. Empty: it goes on.
  std::function<bool(const Vector&)> ends_when_vertical = {};
  bool family =
      false;  // of points at one value of the parameter, which is free to find them: a point is held by its place along the family instead
  std::vector<CurveMark> marks = {};  // the points of the curve exactly there are among its points
  std::function<bool()> interrupted;
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

std::optional<Eigen::VectorXd> curve_tangent(const CurveProblem::Jet& jet, const Eigen::VectorXd& scale,
                                             const Eigen::VectorXd& along);

/// At a point where two curves cross: the unit vector of the Jacobian's two-dimensional kernel that is orthogonal to `tangent`.
Eigen::VectorXd crossing_direction(const CurveProblem& problem, const Eigen::VectorXd& y,
                                   const Eigen::VectorXd& tangent);

/// The Jacobian in scaled unknowns with a row appended.
Eigen::MatrixXd bordered(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& scale, const Eigen::VectorXd& row);

/// The direction in which the equations change least: along the curve, near one of its points.
Eigen::VectorXd along_curve(const CurveProblem& problem, const Eigen::VectorXd& y);

/// The direction along which the parameter alone grows.
Eigen::VectorXd parameter_direction(const CurveProblem& problem);

}  // namespace saltus
