#include "saltus/numerics/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <optional>

#include "saltus/base/unbroken.hpp"

namespace saltus {
namespace {

/// Lives during a decomposition by about `factor` n³ operations: if they take seconds, a request to end is not kept waiting for them.
class Decomposing {
 public:
  Decomposing(const Eigen::MatrixXd& A, double factor) {
    constexpr double soon_done = 3e9;
    const auto n = static_cast<double>(A.rows());
    if (factor * n * n * n > soon_done) unbroken_.emplace();
  }

 private:
  std::optional<Unbroken> unbroken_;
};

constexpr double of_lu = 0.7;
constexpr double of_inverse = 2.0;
constexpr double of_eigenvalues = 25.0;
constexpr double of_singular_values = 100.0;  // by rotations

}  // namespace

LuFactors::LuFactors(const Eigen::MatrixXd& A) {
  const Decomposing decomposing(A, of_lu);
  lu_.compute(A);
}

Eigen::VectorXd LuFactors::solve(const Eigen::VectorXd& right) const { return lu_.solve(right); }

Eigen::MatrixXd LuFactors::solve_columns(const Eigen::MatrixXd& right) const { return lu_.solve(right); }

Eigen::MatrixXd LuFactors::inverse() const {
  const Decomposing inverting(lu_.matrixLU(), of_inverse);
  return lu_.inverse();
}

double LuFactors::determinant() const { return lu_.determinant(); }

double LuFactors::rcond() const { return lu_.rcond(); }

double LuFactors::signed_distance_from_singular() const {
  const Eigen::VectorXd pivots = lu_.matrixLU().diagonal();
  double sign = static_cast<double>(lu_.permutationP().determinant());
  for (const double pivot : pivots) sign *= pivot < 0.0 ? -1.0 : 1.0;
  if ((pivots.array() == 0.0).any()) return 0.0;
  return sign / inverse().norm();
}

SingularFactors singular_factors(const Eigen::MatrixXd& A) {
  const Decomposing decomposing(A, of_singular_values);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  const Decomposing decomposing(A, of_singular_values);
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
}

Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Decomposing decomposing(A, of_singular_values);
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A, Eigen::ComputeFullU | Eigen::ComputeFullV).solve(b);
}

/// By the real system of twice the size, whose solutions have the same lengths.
Eigen::VectorXcd shortest_solution(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  const Eigen::Index m = A.rows();
  const Eigen::Index n = A.cols();
  Eigen::MatrixXd real(2 * m, 2 * n);
  real.topLeftCorner(m, n) = A.real();
  real.topRightCorner(m, n) = -A.imag();
  real.bottomLeftCorner(m, n) = A.imag();
  real.bottomRightCorner(m, n) = A.real();
  Eigen::VectorXd right(2 * m);
  right.head(m) = b.real();
  right.tail(m) = b.imag();
  const Eigen::VectorXd x = shortest_solution(real, right);
  Eigen::VectorXcd result(n);
  result.real() = x.head(n);
  result.imag() = x.tail(n);
  return result;
}

Eigenpairs eigenpairs_of(const Eigen::MatrixXd& A) {
  const Decomposing decomposing(A, of_eigenvalues);
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A) {
  const Decomposing decomposing(A, of_eigenvalues);
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

}  // namespace saltus
