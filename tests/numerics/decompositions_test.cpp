// Decompositions by what they must satisfy.

#include "saltus/numerics/decompositions.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "tests/support/tolerance.hpp"

namespace saltus::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Matrix random_matrix(Eigen::Index rows, Eigen::Index columns) {
  std::mt19937_64 random(static_cast<unsigned>(100 * rows + columns));
  std::normal_distribution<double> normal;
  Matrix A(rows, columns);
  for (double& entry : A.reshaped()) entry = normal(random);
  return A;
}

TEST(Decompositions, LuSolvesInvertsAndMultipliesPivots) {
  const Matrix A = random_matrix(6, 6);
  const LuFactors lu(A);
  const Vector b = random_matrix(6, 1);
  EXPECT_CLOSE(Vector(A * lu.solve(b)), b, rounding(1000));
  EXPECT_CLOSE(Matrix(A * lu.inverse()), Matrix::Identity(6, 6), rounding(1000));
  EXPECT_CLOSE(Matrix(lu.solve_columns(A)), Matrix::Identity(6, 6), rounding(1000));
  const Vector sigma = singular_values(A);
  EXPECT_CLOSE(std::abs(lu.determinant()), sigma.prod(), rounding(1000));
  EXPECT_LE(lu.rcond(), 6.0 * sigma[5] / sigma[0]);
  EXPECT_GE(lu.rcond(), sigma[5] / sigma[0] / 6.0);
}

TEST(Decompositions, DistanceFromSingularChangesItsSignWithTheDeterminantAndVanishesWithIt) {
  Matrix A = random_matrix(5, 5);
  const SingularFactors factors = singular_factors(A);
  const auto with_least = [&](double least) {
    Vector sigma = factors.sigma;
    sigma[4] = least;
    return LuFactors(factors.U * sigma.asDiagonal() * factors.V.transpose()).signed_distance_from_singular();
  };
  EXPECT_NEAR(std::abs(with_least(1e-6)), 1e-6, 1e-10);
  EXPECT_NEAR(with_least(-1e-6), -with_least(1e-6), 1e-10);
  EXPECT_EQ(LuFactors(Matrix::Zero(3, 3)).signed_distance_from_singular(), 0.0);
}

TEST(Decompositions, SingularFactorsAreOrthogonalAndMakeTheMatrix) {
  const Matrix A = random_matrix(4, 6);
  const SingularFactors factors = singular_factors(A);
  EXPECT_CLOSE(Matrix(factors.U.transpose() * factors.U), Matrix::Identity(4, 4), rounding(100));
  EXPECT_CLOSE(Matrix(factors.V.transpose() * factors.V), Matrix::Identity(6, 6), rounding(100));
  EXPECT_CLOSE(Matrix(factors.U * factors.sigma.asDiagonal() * factors.V.leftCols(4).transpose()), A, rounding(100));
  EXPECT_CLOSE(factors.sigma, singular_values(A), rounding(100));
}

TEST(Decompositions, ShortestSolutionOfASingularComplexSystemHasNoPartInItsKernel) {
  using Complex = std::complex<double>;
  const Complex i(0.0, 1.0);
  Eigen::MatrixXcd A(2, 2);
  A << 1.0, i, -i, 1.0;  // A (1, i)ᵀ = 0; Hermitian, the other eigenvalue is 2
  const Eigen::VectorXcd x = shortest_solution(A, Eigen::VectorXcd(Eigen::Vector2cd(2.0, -2.0 * i)));
  EXPECT_CLOSE(x[0], Complex(1.0), rounding(100));
  EXPECT_CLOSE(x[1], Complex(-i), rounding(100));
}

TEST(Decompositions, EigenpairsAreMultipliedByTheirValue) {
  const Matrix A = random_matrix(5, 5);
  const Eigenpairs pairs = eigenpairs_of(A);
  for (Eigen::Index k = 0; k < 5; ++k)
    EXPECT_LT((A * pairs.vectors.col(k) - pairs.values[k] * pairs.vectors.col(k)).norm(), 1e-13);
  EXPECT_NEAR(eigenvalues_of(A).sum().real(), A.trace(), 1e-13);
}

}  // namespace
}  // namespace saltus::test
