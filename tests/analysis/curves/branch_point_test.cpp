#include "saltus/analysis/curves/branch_point.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::test {
namespace {

/// A curve g(u, p) = 0 with a second unknown w = sin u + p: two equations, mixed, whose crossings are those of g.
struct TwoEquations : CurveProblem {
  std::function<double(double, double)> g, g_u, g_p;
  double offset = 0.0;

  std::optional<Jet> jet(const Eigen::VectorXd& y) const override {
    const double u = y[0], w = y[1], p = y[2];
    const double first = g(u, p) + offset;
    const double second = w - std::sin(u) - p;
    Jet jet{Eigen::VectorXd(2), Eigen::MatrixXd(2, 3)};
    jet.residual << first + 2.0 * second, first - second;
    const Eigen::RowVector3d a(g_u(u, p), 0.0, g_p(u, p));
    const Eigen::RowVector3d b(-std::cos(u), 1.0, -1.0);
    jet.jacobian << a + 2.0 * b, a - b;
    return jet;
  }
  Eigen::VectorXd scale() const override { return Eigen::Vector3d(1.0, 3.0, 0.5); }
};

TwoEquations crossing_parabola() {
  TwoEquations problem;
  problem.g = [](double u, double p) { return u * (p - 0.3 - u * u); };
  problem.g_u = [](double u, double p) { return p - 0.3 - 3.0 * u * u; };
  problem.g_p = [](double u, double) { return u; };
  return problem;
}

TEST(BranchPoint, OfAPitchforkIsFoundToRoundingFromBesideIt) {
  const auto found = branch_point_near(crossing_parabola(), Eigen::Vector3d(0.002, 0.301, 0.3015));
  ASSERT_TRUE(found);
  EXPECT_NEAR((*found)[0], 0.0, 1e-10);
  EXPECT_NEAR((*found)[1], 0.3, 1e-10);  // w = sin u + p
  EXPECT_NEAR((*found)[2], 0.3, 1e-10);
}

TEST(BranchPoint, OfTwoCurvesThatCrossIsTheirCommonPoint) {
  TwoEquations problem;  // u = p² and u = 1 − p/2
  problem.g = [](double u, double p) { return (u - p * p) * (u - 1.0 + 0.5 * p); };
  problem.g_u = [](double u, double p) { return (u - 1.0 + 0.5 * p) + (u - p * p); };
  problem.g_p = [](double u, double p) { return -2.0 * p * (u - 1.0 + 0.5 * p) + 0.5 * (u - p * p); };
  const double p = (-0.5 + std::sqrt(4.25)) / 2.0;
  const auto found = branch_point_near(problem, Eigen::Vector3d(p * p + 0.001, std::sin(p * p) + p, p - 0.001));
  ASSERT_TRUE(found);
  EXPECT_NEAR((*found)[2], p, 1e-10);
  EXPECT_NEAR((*found)[0], p * p, 1e-10);
}

TEST(BranchPoint, CurvesThatOnlyComeNearEachOtherDoNotCross) {
  TwoEquations problem = crossing_parabola();
  problem.offset = 1e-6;
  EXPECT_FALSE(branch_point_near(problem, Eigen::Vector3d(0.002, 0.301, 0.3015)));
}

TEST(BranchPoint, AFoldIsNone) {
  TwoEquations problem;
  problem.g = [](double u, double p) { return p - u * u; };
  problem.g_u = [](double u, double) { return -2.0 * u; };
  problem.g_p = [](double, double) { return 1.0; };
  EXPECT_FALSE(branch_point_near(problem, Eigen::Vector3d(0.0, 0.0, 0.0)));
}

}  // namespace
}  // namespace saltus::test
