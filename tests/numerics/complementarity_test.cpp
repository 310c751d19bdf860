#include "saltus/numerics/complementarity.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <optional>
#include <random>
#include <vector>

namespace saltus {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using End = Complementarity::End;

Matrix random_matrix(std::mt19937& random, int rows, int columns) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  return Matrix::NullaryExpr(rows, columns, [&] { return number(random); });
}
Vector random_vector(std::mt19937& random, int size) { return random_matrix(random, size, 1); }

/// How far x is from solving the problem, relative to its own terms.
double fault(const Matrix& L, const Vector& q, const Vector& x) {
  const Vector y = L * x + q;
  const double size = q.cwiseAbs().maxCoeff() + (L.cwiseAbs() * x.cwiseAbs()).maxCoeff();
  double worst = std::max(0.0, -x.minCoeff() / (x.cwiseAbs().maxCoeff() + 1e-300));
  worst = std::max(worst, -y.minCoeff() / size);
  for (int i = 0; i < q.size(); ++i) worst = std::max(worst, std::min(x[i], std::max(0.0, y[i])) / size);
  return worst;
}

/// Every subset of x that may be pressed, one after the other: the definition.
std::optional<Vector> by_enumeration(const Matrix& L, const Vector& q) {
  const int k = static_cast<int>(q.size());
  for (unsigned subset = 0; subset < 1U << k; ++subset) {
    std::vector<int> members;
    for (int i = 0; i < k; ++i)
      if (subset >> i & 1U) members.push_back(i);
    Vector x = Vector::Zero(k);
    if (!members.empty()) {
      const Eigen::FullPivLU<Matrix> factors(L(members, members));
      if (!factors.isInvertible()) continue;
      const Vector solved = factors.solve(-q(members));
      for (std::size_t i = 0; i < members.size(); ++i) x[members[i]] = solved[static_cast<int>(i)];
    }
    if (x.minCoeff() >= -1e-12 && (L * x + q).minCoeff() >= -1e-12) return x;
  }
  return std::nullopt;
}

TEST(Complementarity, OfAPositiveDefiniteMatrixHasTheOneSolutionThatEnumerationFinds) {
  std::mt19937 random(1);
  for (int count = 0; count < 3000; ++count) {
    const int k = 1 + count % 8;
    const Matrix W = random_matrix(random, k + 2, k);
    const Matrix L = W.transpose() * W;
    const Vector q = random_vector(random, k);
    const Complementarity found = solve_complementarity(L, q);
    const auto truth = by_enumeration(L, q);
    ASSERT_TRUE(truth);
    ASSERT_EQ(found.end, End::solved);
    // The condition of W squared bounds what two ways of solving may differ by; worst measured 2e-9 at condition 1e5.
    const double condition =
        Eigen::JacobiSVD<Matrix>(L).singularValues()[0] / Eigen::JacobiSVD<Matrix>(L).singularValues()[k - 1];
    EXPECT_LE((found.x - *truth).cwiseAbs().maxCoeff(), 1e-13 * condition * (1.0 + truth->cwiseAbs().maxCoeff()));
    EXPECT_LE(fault(L, q, found.x), 1e-11);
  }
}

TEST(Complementarity, OfAMatrixWithoutSymmetryIsSolvedWheneverAllPrincipalMinorsArePositive) {
  // Friction makes L unsymmetric. A row-dominant matrix with a positive diagonal is a P-matrix: one solution for every q.
  std::mt19937 random(2);
  for (int count = 0; count < 2000; ++count) {
    const int k = 1 + count % 8;
    Matrix L = random_matrix(random, k, k);
    for (int i = 0; i < k; ++i) L(i, i) = L.row(i).cwiseAbs().sum() + 0.1;
    const Vector q = random_vector(random, k);
    const Complementarity found = solve_complementarity(L, q);
    ASSERT_EQ(found.end, End::solved);
    EXPECT_LE((found.x - *by_enumeration(L, q)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(Complementarity, WithDependentRowsIsSolvedExactlyWhereASolutionExists) {
  // G = WᵀW of more contacts than coordinates: singular. A velocity u with Wᵀu + c ≥ 0 exists, or a ray proves that none does.
  std::mt19937 random(3);
  int solved = 0;
  int rays = 0;
  for (int count = 0; count < 2000; ++count) {
    const int n = 1 + count % 3;
    const int k = n + 1 + count % 4;
    const Matrix W = random_matrix(random, n, k);
    const Matrix L = W.transpose() * W;
    const Vector q = random_vector(random, k);
    const Complementarity found = solve_complementarity(L, q);
    ASSERT_NE(found.end, End::stalled);
    // A solution proves itself; that there is none is for enumeration to say.
    const bool exists = found.end == End::solved;
    if (exists) {
      ASSERT_LE(fault(L, q, found.x), 1e-9) << L << "\n" << q;
    } else {
      ASSERT_FALSE(by_enumeration(L, q)) << L << "\n" << q;
    }
    (exists ? solved : rays) += 1;
  }
  EXPECT_GT(solved, 300);
  EXPECT_GT(rays, 300);
}

TEST(Complementarity, WithTiesAndEqualContactsEndsAndIsRight) {
  // Integers make exact ties; copies of a contact make L singular. Without an ordering of ties such paths go in circles.
  std::mt19937 random(4);
  std::uniform_int_distribution<int> small(-2, 2);
  for (int count = 0; count < 3000; ++count) {
    const int n = 2 + count % 4;
    const int k = n + count % 3;
    const Matrix W = Matrix::NullaryExpr(n, k, [&] { return static_cast<double>(small(random)); });
    const Matrix L = W.transpose() * W;
    // Velocities that exist: q = Wᵀu + slack with zeros among the slacks.
    Vector q = W.transpose() * Vector::NullaryExpr(n, [&] { return static_cast<double>(small(random)); });
    for (int i = 0; i < k; ++i) q[i] += std::max(0, small(random));
    const Complementarity found = solve_complementarity(L, q);
    ASSERT_EQ(found.end, End::solved) << L << "\n" << q.transpose();
    EXPECT_LE(fault(L, q, found.x), 1e-10);
  }
}

TEST(Complementarity, OfContactsWithFrictionIsSolvedAlmostAlwaysAndNeverWrongly) {
  // Coulomb's law at k contacts: x = (λ_N, λ_R, ξ_L), y = (ξ_N, ξ_R, λ_L). L is neither symmetric nor positive, and a ray proves nothing.
  std::mt19937 random(7);
  int solved = 0;
  constexpr int tried = 2000;
  for (int count = 0; count < tried; ++count) {
    const int k = 1 + count % 4;
    const Matrix W = random_matrix(random, 2 * k + 2, 2 * k);
    const Matrix G = W.transpose() * W;
    const Matrix U = 0.3 * Matrix::Identity(k, k);
    const Matrix I = Matrix::Identity(k, k);
    const Matrix O = Matrix::Zero(k, k);
    Matrix L(3 * k, 3 * k);
    L << G.topLeftCorner(k, k) - G.topRightCorner(k, k) * U, G.topRightCorner(k, k), O,
        G.bottomLeftCorner(k, k) - G.bottomRightCorner(k, k) * U, G.bottomRightCorner(k, k), I, 2.0 * U, -I, O;
    Vector q = Vector::Zero(3 * k);
    q.head(2 * k) = random_vector(random, 2 * k);
    const Complementarity found = solve_complementarity(L, q);
    if (found.end != End::solved) continue;
    ++solved;
    ASSERT_LE(fault(L, q, found.x), 1e-9);
  }
  EXPECT_GE(solved, tried * 95 / 100);
}

TEST(Complementarity, OfTwoWallsThatComeTogetherIsARay) {
  // x′ ≥ 1 and x′ ≤ 0: W = (1, −1), q = (−1, 0).
  const Matrix L{{1.0, -1.0}, {-1.0, 1.0}};
  EXPECT_EQ(solve_complementarity(L, Vector{{-1.0, 0.0}}).end, End::ray);
  // Standing walls that just hold the body do not exclude each other, whatever rounding says.
  EXPECT_EQ(solve_complementarity(L, Vector{{-1.0, 1.0}}).end, End::solved);
  EXPECT_EQ(solve_complementarity(L, Vector{{-1.0, 1.0 - 1e-15}}).end, End::solved);
}

TEST(Complementarity, DoesNotDependOnTheUnitsOfAContact) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> power(-9.0, 9.0);
  for (int count = 0; count < 500; ++count) {
    const int k = 2 + count % 6;
    const Matrix W = random_matrix(random, k + 3, k);
    const Matrix L = W.transpose() * W;
    const Vector q = random_vector(random, k);
    const Vector units = Vector::NullaryExpr(k, [&] { return std::pow(10.0, power(random)); });
    const Complementarity plain = solve_complementarity(L, q);
    const Complementarity scaled =
        solve_complementarity(units.asDiagonal() * L * units.asDiagonal(), units.cwiseProduct(q));
    ASSERT_EQ(scaled.end, End::solved);
    EXPECT_LE((units.cwiseProduct(scaled.x) - plain.x).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + plain.x.maxCoeff()));
  }
}

TEST(Complementarity, OfSixtyFourContactsIsSolved) {
  std::mt19937 random(6);
  for (int count = 0; count < 20; ++count) {
    const int k = 64;
    const Matrix W = random_matrix(random, k + 16, k);
    const Matrix L = W.transpose() * W;
    const Vector q = random_vector(random, k);
    const Complementarity found = solve_complementarity(L, q);
    ASSERT_EQ(found.end, End::solved);
    EXPECT_LE(fault(L, q, found.x), 1e-11);
    EXPECT_LE(found.pivots, 10 * k);
  }
}

TEST(Complementarity, OfAStackOfSixtyFourBodiesCarriesTheirWeights) {
  // Unit masses, each resting on the one below it: force i carries all bodies from i on, k − i of them.
  const int k = 64;
  Matrix W = Matrix::Identity(k, k);
  for (int i = 1; i < k; ++i) W(i - 1, i) = -1.0;
  const Matrix L = W.transpose() * W;
  const Vector q = W.transpose() * Vector::Constant(k, -9.81);
  const Complementarity found = solve_complementarity(L, q);
  ASSERT_EQ(found.end, End::solved);
  for (int i = 0; i < k; ++i) EXPECT_NEAR(found.x[i], 9.81 * (k - i), 1e-10 * 9.81 * k);
}

}  // namespace
}  // namespace saltus
