#include "saltus/analysis/curves/branch_point.hpp"

#include <cmath>
#include <limits>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double nearby = 1e-2;      // how far from the guess, in units of the scale
constexpr double probe = 1e-5;  // of Jacobians: second derivatives decide how fast the iteration is, not where it ends
constexpr double miss = 1e-9;  // a larger b is no crossing
constexpr int most_iterations = 12;

/// Newton's equations for y (scaled) and b.
struct Linearised {
  Matrix matrix;
  Vector residual;
};

class BranchPointEquations {
 public:
  BranchPointEquations(const CurveProblem& problem, const Matrix& jacobian) : problem_(problem) {
    const SingularFactors factors = singular_factors(jacobian * problem.scale().asDiagonal());
    V_ = factors.V.rightCols(2);
    psi_ = factors.U.rightCols(1);
  }

  std::optional<Linearised> at(const Vector& y, double b) const {
    const Vector scale = problem_.scale();
    const auto jet = problem_.jet(y);
    if (!jet || !jet->residual.allFinite() || !jet->jacobian.allFinite()) return std::nullopt;
    const Index n = jet->residual.size();
    Matrix larger = Matrix::Zero(n + 2, n + 2);  // [J ψ; Vᵀ 0]
    larger.topLeftCorner(n, n + 1) = jet->jacobian * scale.asDiagonal();
    larger.topRightCorner(n, 1) = psi_;
    larger.bottomLeftCorner(2, n + 1) = V_.transpose();
    const LuFactors lu(larger);
    if (!(lu.rcond() > 1e-15)) return std::nullopt;
    const Vector left = LuFactors(larger.transpose()).solve(Vector::Unit(n + 2, n + 1));  // wᵀJ + uᵀVᵀ = 0, wᵀψ = 1
    Linearised result{larger, Vector(n + 2)};
    result.residual.head(n) = jet->residual + b * psi_;
    for (Index k = 0; k < 2; ++k) {
      const Vector solved = lu.solve(Vector::Unit(n + 2, n + k));
      const Vector v = solved.head(n + 1);
      const Vector apart = probe * v.cwiseProduct(scale);
      const auto after = problem_.jet(y + apart);
      const auto before = problem_.jet(y - apart);
      if (!after || !before) return std::nullopt;
      const Matrix bend = (after->jacobian - before->jacobian) * scale.asDiagonal() / (2.0 * probe);
      result.residual[n + k] = solved[n + 1];
      result.matrix.row(n + k).setZero();
      result.matrix.row(n + k).head(n + 1) = -left.head(n).transpose() * bend;  // ∂gₖ = −wᵀ G_yy vₖ
    }
    return result.matrix.allFinite() && result.residual.allFinite() ? std::optional(result) : std::nullopt;
  }

 private:
  const CurveProblem& problem_;
  Matrix V_;
  Vector psi_;
};

}  // namespace

std::optional<Vector> branch_point_near(const CurveProblem& problem, const Vector& guess) {
  const auto jet = problem.jet(guess);
  if (!jet || !jet->jacobian.allFinite()) return std::nullopt;
  const BranchPointEquations equations(problem, jet->jacobian);
  const Vector scale = problem.scale();
  Vector y = guess;
  double b = 0.0;
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    const auto linear = equations.at(y, b);
    if (!linear) return std::nullopt;
    const Vector change = -LuFactors(linear->matrix).solve(linear->residual);
    const double size = change.cwiseAbs().maxCoeff();
    y += change.head(y.size()).cwiseProduct(scale);
    b += change[y.size()];
    if (!((y - guess).cwiseQuotient(scale).norm() < nearby)) return std::nullopt;
    // What no longer falls is the noise of the integration.
    if (size < 1e-12 || (size < 1e-9 && size > 0.5 * before))
      return std::abs(b) < miss ? std::optional(y) : std::nullopt;
    before = size;
  }
  return std::nullopt;
}

}  // namespace saltus
