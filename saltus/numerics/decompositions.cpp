#include "saltus/numerics/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace saltus {

LuFactors::LuFactors(const Eigen::MatrixXd& A) : lu_(A) {}

Eigen::VectorXd LuFactors::solve(const Eigen::VectorXd& right) const { return lu_.solve(right); }

Eigen::MatrixXd LuFactors::solve_columns(const Eigen::MatrixXd& right) const { return lu_.solve(right); }

Eigen::MatrixXd LuFactors::inverse() const { return lu_.inverse(); }

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
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
}

Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
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
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

}  // namespace saltus
