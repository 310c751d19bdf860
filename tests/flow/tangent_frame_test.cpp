#include "saltus/flow/tangent_frame.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "saltus/flow/flow_run.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Eigen::MatrixXd;
using Rank = TangentFrame::Rank;

const MatrixXd sample = (MatrixXd(3, 3) << 2.0, -1.0, 0.3, 0.5, 3.0, 1.0, -0.2, 0.4, 1.5).finished();

TEST(TangentFrame, IsOrthonormalAndItsGrowthIsTheDiagonalOfTheTriangle) {
  MatrixXd X = sample;
  TangentFrame frame(3);
  frame.factorise(X, Rank::full);
  EXPECT_CLOSE(X.transpose() * X, MatrixXd::Identity(3, 3), rounding(10));
  const MatrixXd R = Eigen::HouseholderQR<MatrixXd>(sample).matrixQR();  // another algorithm
  for (Eigen::Index i = 0; i < 3; ++i)
    EXPECT_CLOSE(frame.growth()[static_cast<std::size_t>(i)], std::log(std::abs(R(i, i))), rounding(20));
}

TEST(TangentFrame, FactorisingOnTheWayDoesNotChangeWhatTheWholeWayGives) {
  MatrixXd whole = MatrixXd::Identity(3, 3);
  MatrixXd in_parts = whole;
  TangentFrame once(3);
  TangentFrame often(3);
  for (int k = 0; k < 4; ++k) {
    whole = sample * whole;
    in_parts = sample * in_parts;
    often.factorise(in_parts, Rank::full);
  }
  once.factorise(whole, Rank::full);
  EXPECT_CLOSE(whole, in_parts, rounding(1000));
  EXPECT_CLOSE(once.growth(), often.growth(), rounding(1000));
}

TEST(TangentFrame, IsLeftAloneUntilColumnsAreAboutToBecomeParallelOrLeaveTheirRange) {
  TangentFrame frame(2);
  MatrixXd X = (MatrixXd(2, 2) << 1.0, 1.0, 0.0, 1e-3).finished();
  EXPECT_FALSE(frame.keep(X));
  X(1, 1) = 1e-5;
  EXPECT_TRUE(frame.keep(X));
  EXPECT_CLOSE(frame.growth()[1], std::log(1e-5), rounding(10));
  MatrixXd small = 1e-5 * MatrixXd::Identity(2, 2);
  EXPECT_TRUE(frame.keep(small));
  EXPECT_CLOSE(small, MatrixXd::Identity(2, 2), rounding(4));
}

TEST(TangentFrame, ADirectionIsLostWhereSomethingMayAnnihilateItAndNowhereElse) {
  // The second column is what rounding left of the first; the third is the direction in which it was left.
  const MatrixXd X = (MatrixXd(3, 3) << 1.0, 1.0, 0.0, 0.0, 1e-15, 1.0, 0.0, 0.0, 0.0).finished();
  MatrixXd lost = X;
  TangentFrame dropping(3);
  dropping.factorise(lost, Rank::may_drop);
  EXPECT_TRUE(std::isinf(dropping.growth()[1]));
  EXPECT_TRUE(lost.col(1).isZero(0.0));
  EXPECT_CLOSE(dropping.growth()[2], 0.0, exact);
  MatrixXd contracted = (MatrixXd(2, 2) << 1.0, 1.0, 0.0, 1e-15).finished();
  TangentFrame full(2);
  full.factorise(contracted, Rank::full);
  EXPECT_CLOSE(full.growth()[1], std::log(1e-15), rounding(10));
}

TEST(TangentFrame, HasNoMoreColumnsThanThereAreDirectionsHoweverLargeRoundingIs) {
  // Two directions are left; the second column is the first one but for more than rounding, in a direction that is none of them.
  const MatrixXd X = (MatrixXd(3, 3) << 1.0, 1.0, 0.3, 0.0, 0.0, 2.0, 0.0, 1e-9, 0.0).finished();
  MatrixXd unknown = X;
  TangentFrame by_size(3);
  by_size.factorise(unknown, Rank::may_drop);
  EXPECT_CLOSE(by_size.growth()[1], std::log(1e-9), rounding(1e6));
  MatrixXd known = X;
  TangentFrame by_rank(3);
  by_rank.factorise(known, Rank::may_drop, 2);
  EXPECT_TRUE(std::isinf(by_rank.growth()[1]));
  EXPECT_TRUE(known.col(1).isZero(0.0));
  EXPECT_CLOSE(by_rank.growth()[2], std::log(2.0), rounding(4));
}

TEST(TangentFrame, MeasuredInSizesOfTheComponentsIsOrthonormalInThem) {
  const std::vector<double> sizes = {1.0, 0x1p-30, 0x1p20};
  const Eigen::Vector3d D(sizes[0], sizes[1], sizes[2]);
  MatrixXd X = D.asDiagonal() * sample;
  TangentFrame frame(3, sizes);
  frame.factorise(X, Rank::full);
  MatrixXd Q = sample;
  TangentFrame plain(3);
  plain.factorise(Q, Rank::full);
  EXPECT_CLOSE(MatrixXd(D.cwiseInverse().asDiagonal() * X), Q, exact);
  EXPECT_CLOSE(frame.growth(), plain.growth(), exact);
}

TEST(TangentFrame, OfALorenzMotionKeepsTheVolumeThatTheColumnsAloneLose) {
  // tr F_x = −41/3: over t = 12 the volume shrinks by e^(−164), the smallest direction by e^(−175) against the largest.
  const auto reading = read_model("lorenz.toml", R"toml(
[mechanics]
states = ["x", "y", "z"]
rates = ["10*(y-x)", "28*x - y - x*z", "x*y - 8*z/3"]
[initial]
x = 1
y = 1
z = 20
)toml");
  const Kernels kernels(*reading.model, {});
  const auto volume = [&](bool keep) {
    FlowRun run;
    run.start = start_point(kernels, {}, Eigen::Vector3d(1.0, 1.0, 20.0), LaneStepper::Carries::state_and_tangent);
    run.end = {0, 12.0};
    run.keep_frame = keep;
    FlowResult result = flow(kernels, {}, run);
    TangentFrame frame(3);
    frame.factorise(result.end.tangent, Rank::full);
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) sum += frame.growth()[i] + (keep ? result.growth[i] : 0.0);
    return sum;
  };
  EXPECT_CLOSE(volume(true), -164.0, integration(1e-9, 100.0));
  EXPECT_GT(volume(false), -100.0);  // what a frame that is looked at too late says
}

}  // namespace
}  // namespace saltus
