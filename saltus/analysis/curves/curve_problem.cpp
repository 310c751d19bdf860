#include "saltus/analysis/curves/curve_problem.hpp"

#include <cmath>
#include <limits>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

bool is_singular(double rcond) { return !(rcond > 1e-16); }

}  // namespace

std::vector<double> CurveProblem::tests(const Vector&) const { return {}; }
bool CurveProblem::anchored_at(const Vector&) const { return false; }
Vector CurveProblem::without_phase(const Vector&, const Vector& tangent) const { return tangent; }
bool CurveProblem::ends_at(std::size_t) const { return false; }
bool CurveProblem::is_special(std::size_t, const Vector&) const { return true; }
std::optional<std::size_t> CurveProblem::unstable_directions(const Vector&) const { return std::nullopt; }
std::optional<CurveProblem::Parity> CurveProblem::parity(const Vector&) const { return std::nullopt; }
bool CurveProblem::flips(std::size_t) const { return false; }

Matrix bordered(const Matrix& jacobian, const Vector& scale, const Vector& row) {
  const Index n = jacobian.rows();
  Matrix A(n + 1, n + 1);
  A.topRows(n) = jacobian * scale.asDiagonal();
  A.row(n) = row.transpose();
  return A;
}

Vector along_curve(const CurveProblem& problem, const Vector& y) {
  const auto jet = problem.jet(y);
  if (!jet || !jet->jacobian.allFinite()) return parameter_direction(problem);
  const Index n = y.size();
  Matrix square = Matrix::Zero(n, n);
  square.topRows(n - 1) = jet->jacobian * problem.scale().asDiagonal();
  return singular_factors(square).V.rightCols(1);
}

Vector parameter_direction(const CurveProblem& problem) {
  const Index n = problem.scale().size();
  return Vector::Unit(n, n - 1);
}

Correction corrected(const CurveProblem& problem, const Vector& guess, const Vector& row,
                     const ContinuationOptions& options, int most_iterations) {
  const Vector scale = problem.scale();
  Correction result{.y = guess};
  double before = std::numeric_limits<double>::infinity();
  const auto is_interrupted = [&] { return options.interrupted && options.interrupted(); };
  for (int i = 0; i < most_iterations; ++i) {
    const auto jet = problem.jet(result.y);
    result.iterations = i + 1;
    if (is_interrupted() || !jet || !jet->residual.allFinite() || !jet->jacobian.allFinite()) {
      result.outcome = Correction::Outcome::not_defined;
      return result;
    }
    const LuFactors lu(bordered(jet->jacobian, scale, row));
    const double rcond = lu.rcond();
    result.condition = 1.0 / rcond;
    result.residual = jet->residual.cwiseAbs().maxCoeff();
    if (is_singular(rcond)) {
      result.outcome = Correction::Outcome::singular;
      return result;
    }
    Vector right(scale.size());
    right << -jet->residual, -row.dot((result.y - guess).cwiseQuotient(scale));
    const Vector change = lu.solve(right);
    const double size = change.cwiseAbs().maxCoeff();
    result.last_change = size;
    if (!std::isfinite(size) || size > 1e3 || (i > 1 && size > 2.0 * before && size > 1e-6)) {
      result.outcome = Correction::Outcome::diverging;
      return result;
    }
    result.y += change.cwiseProduct(scale);
    // The noise of the integration may be larger than the wanted correction: what no longer falls has converged.
    // Where the equations hardly change with some direction, as on an orbit next to an equilibrium, they hold to the last digit before that.
    const bool holds = result.residual < 1e-15 && size < 1e-4;
    const bool at_the_noise = (size < 1e-8 && size > 0.5 * before) || holds;
    before = size;
    if (size > options.correction && !at_the_noise) continue;
    result.outcome = Correction::Outcome::converged;
    return result;
  }
  result.outcome = Correction::Outcome::too_many_iterations;
  return result;
}

std::optional<Vector> curve_tangent(const CurveProblem::Jet& jet, const Vector& scale, const Vector& along) {
  const LuFactors lu(bordered(jet.jacobian, scale, along));
  if (is_singular(lu.rcond())) return std::nullopt;
  const Vector tangent = lu.solve(Vector::Unit(scale.size(), scale.size() - 1));
  if (!tangent.allFinite()) return std::nullopt;
  return tangent.normalized();
}

std::optional<Vector> curve_tangent(const CurveProblem& problem, const Vector& y, const Vector& along) {
  const auto jet = problem.jet(y);
  if (!jet || !jet->jacobian.allFinite()) return std::nullopt;
  return curve_tangent(*jet, problem.scale(), along);
}

Vector crossing_direction(const CurveProblem& problem, const Vector& y, const Vector& tangent) {
  const auto jet = problem.jet(y);
  const Vector scale = problem.scale();
  const Index n = scale.size();
  if (!jet) return Vector::Zero(n);
  Matrix square = Matrix::Zero(n, n);
  square.topRows(n - 1) = jet->jacobian * scale.asDiagonal();
  const Matrix kernel = singular_factors(square).V.rightCols(2);
  const Vector inside = kernel * (kernel.transpose() * tangent);  // the tangent as far as it lies in the kernel
  const Vector first = inside.normalized();
  Vector other = kernel.col(0) - first * first.dot(kernel.col(0));
  const Vector candidate = kernel.col(1) - first * first.dot(kernel.col(1));
  if (candidate.norm() > other.norm()) other = candidate;
  return other.normalized();
}

}  // namespace saltus
