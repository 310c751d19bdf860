#include "saltus/numerics/lattice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Is δ a whole combination of the columns?
bool has_point(const Matrix& lattice, const Vector& delta) {
  if (lattice.cols() == 0) return delta.norm() < 1e-9;
  const Vector n = (lattice.transpose() * lattice).inverse() * (lattice.transpose() * delta);
  return (lattice * n.array().round().matrix() - delta).norm() < 1e-9 * (1.0 + delta.norm());
}

TEST(Lattice, WithoutConditionsEverythingIsCyclic) {
  const LatticeSolution all = solve_on_lattice(Matrix(0, 3), Matrix(0, 3));
  EXPECT_EQ(all.cyclic, Matrix::Identity(3, 3));
  EXPECT_EQ(all.lattice.cols(), 0);
}

TEST(Lattice, FixedFormsLeaveTheirNullSpace) {
  const LatticeSolution pair = solve_on_lattice(Matrix{{1.0, -1.0}}, Matrix(0, 2));
  ASSERT_EQ(pair.cyclic.cols(), 1);
  EXPECT_DOUBLE_EQ(pair.cyclic(0, 0), pair.cyclic(1, 0));
  EXPECT_EQ(solve_on_lattice(Matrix::Identity(2, 2), Matrix(0, 2)).cyclic.cols(), 0);
}

TEST(Lattice, WholeFormsWithAFixedDifferenceMoveTogether) {
  const LatticeSolution found = solve_on_lattice(Matrix{{1.0, -1.0}}, Matrix{{0.5, 0.0}, {0.0, 0.5}});
  EXPECT_EQ(found.cyclic.cols(), 0);
  ASSERT_EQ(found.lattice.cols(), 1);
  EXPECT_TRUE(found.lattice.isApprox(Vector::Constant(2, 2.0))) << found.lattice;
}

TEST(Lattice, TheCommonMultipleOfTwoPeriodsAndNoneOfIncommensurableOnes) {
  const LatticeSolution found = solve_on_lattice(Matrix(0, 1), Matrix{{1.5}, {2.5}, {1.0 / 3.0}});
  ASSERT_EQ(found.lattice.cols(), 1);
  EXPECT_NEAR(found.lattice(0, 0), 6.0, 1e-12);  // multiples of 2/3, of 2/5 and of 3
  EXPECT_EQ(solve_on_lattice(Matrix(0, 1), Matrix{{1.0}, {std::sqrt(2.0)}}).lattice.cols(), 0);
}

TEST(Lattice, RelationsBetweenIncommensurableFormsAreFound) {
  // n₁ and n₂ whole, √2 n₁ + 2√2 n₂ whole: n₁ = −2 n₂.
  const double s = std::sqrt(2.0);
  const LatticeSolution found = solve_on_lattice(Matrix(0, 2), Matrix{{1.0, 0.0}, {0.0, 1.0}, {s, 2.0 * s}});
  ASSERT_EQ(found.lattice.cols(), 1);
  EXPECT_TRUE(found.lattice.isApprox(Eigen::Vector2d(2.0, -1.0))) << found.lattice;
}

TEST(Lattice, UnitsOfCoordinatesDoNotMatter) {
  const LatticeSolution found = solve_on_lattice(Matrix{{1.0, -1e9}}, Matrix{{1e-6, 0.0}});
  ASSERT_EQ(found.lattice.cols(), 1);
  EXPECT_NEAR(found.lattice(0, 0), 1e6, 1e-3);
  EXPECT_NEAR(found.lattice(1, 0), 1e-3, 1e-12);
}

RC_GTEST_PROP(Lattice, HoldsExactlyTheSolutionsOfWholeConditions, ()) {
  // Rows B = whole numbers / d: all solutions are 1/(…) of whole numbers, and d · e_i is always one.
  const int size = *rc::gen::inRange(1, 4);
  const int rows = *rc::gen::inRange(1, 5);
  const double d = *rc::gen::inRange(1, 7);
  Matrix B(rows, size);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < size; ++j) B(i, j) = *rc::gen::inRange(-3, 4) / d;
  const LatticeSolution found = solve_on_lattice(Matrix(0, size), B);
  if (found.cyclic.cols() > 0) RC_ASSERT((B * found.cyclic).norm() < 1e-9);
  for (Eigen::Index k = 0; k < found.lattice.cols(); ++k) {
    const Vector values = B * found.lattice.col(k);
    RC_ASSERT((values - values.array().round().matrix()).norm() < 1e-9);
  }
  RC_ASSERT(found.cyclic.cols() + found.lattice.cols() == size);
  // No solution is missed: of a box of candidates each is a drift and a point of the lattice.
  for (int trial = 0; trial < 20; ++trial) {
    Vector delta(size);
    for (int j = 0; j < size; ++j) delta[j] = *rc::gen::inRange(-6, 7) * (*rc::gen::element(1.0, 0.5, d, 1.0 / 3.0));
    const Vector values = B * delta;
    const bool solves = (values - values.array().round().matrix()).cwiseAbs().maxCoeff() < 1e-12;
    Matrix both(size, size);
    both << found.cyclic, found.lattice;
    const Vector n = both.fullPivLu().solve(delta).tail(found.lattice.cols());
    const bool is_found = (n - n.array().round().matrix()).norm() < 1e-8;
    RC_ASSERT(solves == is_found);
  }
}

TEST(ReducedBasis, SpansTheSameLatticeWithShortVectors) {
  const Matrix skew{{1.0, 100.0}, {0.0, 1.0}};
  const Matrix reduced = reduced_basis(skew);
  EXPECT_NEAR(std::abs(reduced.determinant()), 1.0, 1e-9);
  EXPECT_LE(reduced.colwise().norm().maxCoeff(), 1.0 + 1e-12);
  EXPECT_TRUE(has_point(reduced, skew.col(0)) && has_point(reduced, skew.col(1)));
}

}  // namespace
}  // namespace saltus
