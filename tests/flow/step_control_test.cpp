// One controller for all steps: what it asks for is what an error of order 8 needs.

#include "saltus/flow/step_control.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(StepControl, TheRoughRootIsTheEighthRootToFourPercent) {
  double worst = 0.0;
  for (double x = 1e-12; x < 1e12; x *= 1.01)
    worst = std::max(worst, std::abs(rough_inverse_eighth_root(x) * std::pow(x, 0.125) - 1.0));
  EXPECT_LT(worst, 0.04);
  EXPECT_GT(worst, 1e-3);  // it is rough: a true root would not be worth a name
}

TEST(StepControl, AStepOfTheLengthThatItAsksForHasAnErrorBelowOne) {
  // error ∝ h⁸: after h ← f h it is f⁸ error. 0.8⁸ (1.04)⁸ = 0.23. Beyond 0.23/0.2⁸ = 9e4 a fifth is not enough at once.
  for (double error = 1e-2; error < 9e4; error *= 1.1) {
    const double factor = error > 1.0 ? StepControl().shrink(error) : StepControl().grow(error);
    EXPECT_LT(std::pow(factor, 8.0) * error, 0.25) << error;
  }
}

TEST(StepControl, GrowsAtMostTwiceShrinksAtMostToAFifthAndDoesNotGrowAfterARejection) {
  StepControl control;
  EXPECT_EQ(control.grow(0.0), 2.0);
  EXPECT_EQ(control.grow(1e-300), 2.0);
  EXPECT_EQ(control.shrink(1e12), 0.2);
  EXPECT_EQ(control.grow(0.0), 1.0);
  EXPECT_EQ(control.grow(0.0), 2.0);
}

TEST(StepControl, AnErrorThatIsNoNumberShrinksBlindly) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(StepControl().shrink(infinity), 0.1);
  EXPECT_EQ(StepControl().shrink(std::nan("")), 0.1);
}

TEST(StepControl, TheFirstStepIsAHundredthOfTheStatesOwnTime) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(StepControl::first_step(4.0, 2.0), 0.005);
  EXPECT_EQ(StepControl::first_step(0.0, 2.0), 1e-3);
  EXPECT_EQ(StepControl::first_step(infinity, infinity), 1e-3);
  EXPECT_FALSE(StepControl::moves(1e-16, 1.0));
  EXPECT_TRUE(StepControl::moves(1e-14, 1.0));
  EXPECT_TRUE(StepControl::moves(1e-300, 0.0));
}

}  // namespace
}  // namespace saltus
