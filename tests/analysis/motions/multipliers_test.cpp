#include "saltus/analysis/motions/multipliers.hpp"

#include <gtest/gtest.h>

#include <random>

#include "saltus/numerics/decompositions.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

Matrix random_matrix(Index n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Matrix A(n, n);
  for (double& a : A.reshaped()) a = uniform(random);
  return A;
}

/// Factors B_j D_j B_{j−1}⁻¹ with B_m = B_0: their product has the eigenvalues of D_m … D_1.
std::vector<TangentFactor> cycle(const std::vector<Matrix>& D, std::mt19937_64& random) {
  const Index n = D.front().rows();
  const Matrix first = random_matrix(n, random) + 2.0 * Matrix::Identity(n, n);
  Matrix before = first;
  std::vector<TangentFactor> factors;
  for (std::size_t j = 0; j < D.size(); ++j) {
    const Matrix after = j + 1 == D.size() ? first : Matrix(random_matrix(n, random) + 2.0 * Matrix::Identity(n, n));
    factors.push_back({after * D[j] * LuFactors(before).inverse(), false});
    before = after;
  }
  return factors;
}

TEST(Multipliers, OfVeryDifferentSizeAreEachFoundToTheirOwnAccuracy) {
  std::mt19937_64 random(7);
  // Ten factors with the eigenvalues 3, −1/2, 0.1 and 0.01: products from 6e4 down to 1e-20, which one long product loses.
  const Matrix D = Eigen::Vector4d(3.0, -0.5, 0.1, 0.01).asDiagonal();
  const std::vector<TangentFactor> factors = cycle(std::vector<Matrix>(10, D), random);
  const std::vector<Multiplier> found = multipliers(factors);
  Matrix product = Matrix::Identity(4, 4);
  for (const TangentFactor& factor : factors) product = factor.matrix * product;
  for (Index i = 0; i < 4; ++i) {
    const double expected = std::pow(D(i, i), 10);
    // Ten factors of condition up to 1e4: worst measured 2e4 eps.
    EXPECT_CLOSE(found[static_cast<std::size_t>(i)].value, std::complex<double>(expected), rounding(2e5));
  }
  EXPECT_GT(eigenvalues_of(product).cwiseAbs().minCoeff(), 1e4 * 1e-20);
}

TEST(Multipliers, OfAJordanBlockOnTheCircleAreNeutralWhateverItsErrorMakesOfThem) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int sample = 0; sample < 200; ++sample) {
    // Two blocks of 1, as of two elastic balls, with errors of 1e-11: multipliers up to 1 ± 1e-5.
    Matrix M = Matrix::Identity(4, 4);
    M(0, 1) = M(2, 3) = 1.0 + uniform(random);
    M += 1e-11 * random_matrix(4, random);
    std::vector<Multiplier> found = multipliers(cycle({M}, random));
    mark_trivial(found, true, 0);
    EXPECT_EQ(stability_of(found), Stability::neutral) << sample;
  }
  const auto stability = [](double a, double b, double shear) {
    Matrix M(2, 2);
    M << a, shear, 0.0, b;
    return stability_of(multipliers({{M, false}}));
  };
  // Multipliers that are as near to the circle, but known: not of one block, or the block inside the circle.
  EXPECT_EQ(stability(1.0 + 1e-5, 1.0 - 1e-5, 0.0), Stability::unstable);
  EXPECT_EQ(stability(1.0 - 1e-5, 1.0 - 1e-5, 0.0), Stability::stable);
  EXPECT_EQ(stability(0.999, 0.999, 1.0), Stability::stable);
  EXPECT_EQ(stability(1.001, 0.999, 1.0), Stability::unstable);
  EXPECT_EQ(stability(1.0, 1.0, 1.0), Stability::neutral);
}

TEST(Multipliers, OfRandomFactorsAreTheEigenvaluesOfTheProduct) {
  std::mt19937_64 random(11);
  for (int sample = 0; sample < 200; ++sample) {
    std::vector<TangentFactor> factors;
    Matrix product = Matrix::Identity(5, 5);
    for (int j = 0; j < 3; ++j) {
      factors.push_back({random_matrix(5, random), false});
      product = factors.back().matrix * product;
    }
    const std::vector<Multiplier> found = multipliers(factors);
    // det and trace hold pairs and all: Π = ∏ det A_j, Σ = tr of the product.
    std::complex<double> all = 1.0;
    std::complex<double> sum = 0.0;
    for (const Multiplier& m : found) {
      all *= m.value;
      sum += m.value;
    }
    EXPECT_CLOSE(all, std::complex<double>(LuFactors(product).determinant()), rounding(1e4, 1e-4));
    EXPECT_CLOSE(sum, std::complex<double>(product.trace()), rounding(1e5, 1e-2));
  }
}

TEST(Multipliers, ARotationKeepsItsComplexPair) {
  const double angle = 1.1;
  const Matrix turn{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
  const std::vector<Multiplier> found = multipliers({{turn, false}, {turn, false}});
  EXPECT_CLOSE(found[0].value, std::polar(1.0, 2.0 * angle), rounding(10));
  EXPECT_CLOSE(found[1].value, std::polar(1.0, -2.0 * angle), rounding(10));
}

TEST(Multipliers, AnnihilatedDirectionsAreExactZerosAndContractionIsNone) {
  std::mt19937_64 random(3);
  std::vector<Matrix> D(4, Matrix(Eigen::Vector4d(2.0, 0.5, 0.3, 1e-2).asDiagonal()));
  D[1](2, 2) = 0.0;
  std::vector<TangentFactor> factors = cycle(D, random);
  factors[1].may_annihilate = true;
  const std::vector<Multiplier> found = multipliers(factors);
  EXPECT_CLOSE(found[0].value, std::complex<double>(16.0), rounding(1e4));
  EXPECT_CLOSE(found[2].value, std::complex<double>(1e-8), rounding(1e6));
  EXPECT_FALSE(found[2].annihilated);
  EXPECT_TRUE(found[3].annihilated);
  EXPECT_EQ(found[3].value, 0.0);
}

TEST(Multipliers, ANilpotentContactLosesMoreThanItsRankSays) {
  // (x, y) ↦ (y, 0): rank 1, but two multipliers are zero.
  const Matrix shift{{0.0, 1.0}, {0.0, 0.0}};
  const std::vector<Multiplier> found = multipliers({{shift, true}});
  EXPECT_TRUE(found[0].annihilated);
  EXPECT_TRUE(found[1].annihilated);
}

TEST(Multipliers, TheTrivialOneDoesNotDecideStability) {
  std::vector<Multiplier> found = {{1.0 + 1e-12}, {0.5}};
  EXPECT_FALSE(is_stable(found));
  mark_trivial(found);
  EXPECT_TRUE(found[0].trivial);
  EXPECT_TRUE(is_stable(found));
}

TEST(Multipliers, OneThatIsMixedUpWithTheTrivialOneIsTheirProduct) {
  // A shear makes 1 ± 1e-5 or 1 ± 1e-5i of 1 and 1, whatever the errors that do it.
  for (const double error : {1e-11, -1e-11}) {
    Matrix M{{1.0, 10.0}, {error, 1.0}};
    std::vector<Multiplier> found = multipliers({{M, false}});
    EXPECT_GT(std::abs(found[0].value - 1.0), 0.9e-5);
    mark_trivial(found);
    const Multiplier& other = found[found[0].trivial ? 1 : 0];
    EXPECT_EQ(other.value.imag(), 0.0);
    EXPECT_NEAR(other.value.real(), 1.0, 1e-9);
  }
  // Errors that have been multiplied more have moved them farther.
  std::vector<Multiplier> pair = multipliers({{Matrix{{1.0, 100.0}, {-9e-6, 1.0}}, false}});
  EXPECT_GT(std::abs(pair[0].value - 1.0), 0.02);
  mark_trivial(pair);
  const Multiplier& apart = pair[pair[0].trivial ? 1 : 0];
  EXPECT_EQ(apart.value.imag(), 0.0);
  EXPECT_NEAR(apart.value.real(), 1.0009, 1e-12);  // det M
  // Beside a saddle: of 1e20, 1 and 1e-40 errors have made 1e60, 1e-40 and 1e-40; what is known is the product of the first two.
  std::vector<Multiplier> found = {{1e60}, {1e-40}, {1e-50}};
  mark_trivial(found);
  EXPECT_TRUE(found[1].trivial);
  EXPECT_NEAR(found[0].value.real() / 1e20, 1.0, 1e-12);
  EXPECT_NEAR(found[2].value.real() / 1e-50, 1.0, 1e-12);
  // Whatever the sign that errors have left it.
  found = {{-1e36}, {-2e-16}, {1e-194}};
  mark_trivial(found);
  EXPECT_TRUE(found[1].trivial);
  EXPECT_NEAR(found[0].value.real() / 2e20, 1.0, 1e-12);
  EXPECT_EQ(found[2].value, 1e-194);
  // Mixed up a little, with the neighbour that is nearer.
  found = {{1e16 * std::exp(0.005)}, {std::exp(-0.005)}, {1e-70}};
  mark_trivial(found);
  EXPECT_NEAR(found[0].value.real() / 1e16, 1.0, 1e-12);
  EXPECT_EQ(found[2].value, 1e-70);
  found = {{1e30}, {std::exp(-0.005)}, {1e-3 * std::exp(0.005)}};
  mark_trivial(found);
  EXPECT_EQ(found[0].value, 1e30);
  EXPECT_NEAR(found[2].value.real() / 1e-3, 1.0, 1e-12);
  // Known apart, they stay as they are.
  found = {{1.02}, {1.0 + 1e-9}, {-0.3}};
  mark_trivial(found);
  EXPECT_EQ(found[0].value, 1.02);
}

TEST(Multipliers, ThatTheErrorOfAFactorHidesAreNotResolvedAndNoContactAnnihilatesThem) {
  const auto of = [](double least, bool may_annihilate, double error) {
    const Matrix D = Eigen::Vector2d(2.0, least).asDiagonal();
    return multipliers({{Matrix::Identity(2, 2), may_annihilate}, {D, false}}, error);
  };
  EXPECT_TRUE(of(1e-12, false, 1e-11)[0].resolved);
  EXPECT_FALSE(of(1e-12, false, 1e-11)[1].resolved);
  EXPECT_TRUE(of(1e-6, false, 1e-11)[1].resolved);
  EXPECT_TRUE(of(1e-12, false, 0.0)[1].resolved);
  EXPECT_FALSE(of(0.0, false, 0.0)[1].resolved);
  EXPECT_FALSE(of(0.0, false, 0.0)[1].annihilated);
  const Matrix D = Eigen::Vector2d(2.0, 0.0).asDiagonal();
  EXPECT_TRUE(multipliers({{D, true}})[1].resolved);
  EXPECT_TRUE(multipliers({{D, true}})[1].annihilated);
}

TEST(Stability, IsNeutralWhereAMultiplierOnTheUnitCircleDecidesNothing) {
  EXPECT_EQ(stability_of(std::vector<Multiplier>{{0.9}, {-0.3}}), Stability::stable);
  EXPECT_EQ(stability_of(std::vector<Multiplier>{{-1.1}, {0.5}}), Stability::unstable);
  EXPECT_EQ(stability_of(std::vector<Multiplier>{{{0.6, 0.8}}, {{0.6, -0.8}}}), Stability::neutral);
  EXPECT_FALSE(is_stable(std::vector<Multiplier>{{1.0 - 1e-12}}));
}

TEST(Stability, TrivialMultipliersDoNotDecide) {
  std::vector<Multiplier> found = {{1.0 + 1e-9}, {1.0 - 1e-10}, {0.2}};
  mark_trivial(found, true, 1);
  EXPECT_EQ(stability_of(found), Stability::stable);
  EXPECT_TRUE(found[1].trivial && !found[1].cyclic);  // the nearest to 1 is the one along the motion
  EXPECT_TRUE(found[0].trivial && found[0].cyclic);
  EXPECT_FALSE(found[2].trivial);
}

TEST(Multipliers, BeyondTheReachOfFloatingPointNumbersHaveALogarithm) {
  std::mt19937_64 random(8);
  // Forty factors: 2⁴⁰ and 10⁻⁴⁰⁰.
  const Matrix D = Eigen::Vector2d(2.0, 1e-10).asDiagonal();
  const auto found = multipliers(cycle(std::vector<Matrix>(40, D), random));
  EXPECT_NEAR(found[0].log_abs, 40.0 * std::log(2.0), 1e-10);
  EXPECT_NEAR(found[1].log_abs, -400.0 * std::log(10.0), 1e-4);  // each factor knows its small direction to 1e-6
  EXPECT_EQ(found[1].value, 0.0);
  EXPECT_FALSE(found[1].annihilated);
}

TEST(Multipliers, AFactorContractsByItsSmallestDirectionUnlessContactTookIt) {
  const Matrix D = Eigen::Vector2d(1.0, 1e-12).asDiagonal();
  EXPECT_NEAR(contraction({D}), 1e-12, 1e-15);
  EXPECT_EQ(contraction({D, true}), 1.0);
}

}  // namespace
}  // namespace saltus
