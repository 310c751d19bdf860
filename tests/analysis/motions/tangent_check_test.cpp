#include "saltus/analysis/motions/tangent_check.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;

TangentAgreement agreement_of(const Mechanics& mechanics, double transient, double length) {
  const LyapunovStart start = mechanics.start();
  return tangent_check(mechanics.kernels(), start.x, start.parameters, start.period,
                       {.transient = transient, .length = length});
}

TEST(TangentCheck, AgreesToSecondOrderThroughImpactsAndSliding) {
  for (const auto& [name, case_name] :
       {std::pair{"impact_oscillator", "chaos"}, std::pair{"vibrating_table", "period1"},
        std::pair{"triple_pendulum_barrier", "fig3b"}}) {
    const TangentAgreement agreement = agreement_of(Mechanics::example(name, case_name), 10.0, 40.0);
    EXPECT_GE(agreement.windows, 6U) << name;
    // The flow is computed to 1e-13, the difference has h ≥ 1e-6: 1e-7 at worst, where the motion is sensitive.
    EXPECT_LT(agreement.worst, 1e-6) << name;
    ASSERT_TRUE(agreement.order) << name;
    EXPECT_NEAR(*agreement.order, 2.0, 0.2) << name;
  }
}

TEST(TangentCheck, OfALinearMotionHasNoOrder) {
  const TangentAgreement agreement = agreement_of(Mechanics::of(R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - 0.1*x'"]
[initial]
x = 1
)toml"),
                                                  0.0, 20.0);
  EXPECT_EQ(agreement.windows, 8U);
  EXPECT_FALSE(agreement.order);
  EXPECT_LT(agreement.worst, 1e-8);
}

TEST(TangentCheck, AMotionThatNeverLeavesContactIsNotCompared) {
  const TangentAgreement agreement = agreement_of(Mechanics::example("vibrating_table", "resting"), 20.0, 20.0);
  EXPECT_EQ(agreement.windows, 0U);
  EXPECT_EQ(agreement.left_out, 8U);
}

}  // namespace
}  // namespace saltus
