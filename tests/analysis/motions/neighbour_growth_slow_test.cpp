#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

// As in neighbour_growth_test.cpp, where it is said how it repeats: after 32 periods, in 60 digits.
const std::string forgetful = R"toml(
[parameters]
s = 1
c = 1
[mechanics]
coordinates = ["X"]
mass  = [["1"]]
force = ["(s*cos(2.8*t/c) - X - 0.04*c*X')/c^2"]
[[contact]]
name = "stop"
gap  = "0.05*s - X"
restitution = 0.8
[forcing]
period = "2*pi*c/2.8"
[initial]
X = "-s"
)toml";

TEST(NeighbourGrowthSlow, NoUnitOfLengthOrTimeGivesTheForgetfulOscillatorAnotherPeriod) {
  std::mt19937_64 random(16);
  const auto power = [&](double most) {
    return std::pow(10.0, most * (std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0));
  };
  for (int i = 0; i < 60; ++i) {
    const double s = power(9.0);
    const double c = power(6.0);
    const Verdict verdict =
        test::Mechanics::of(forgetful, "", {{"s", fmt::format("{:.17g}", s)}, {"c", fmt::format("{:.17g}", c)}})
            .spectrum({.transient = 700.0, .length = 300.0})
            .verdict;
    EXPECT_TRUE(verdict.kind == MotionKind::undecided || (verdict.kind == MotionKind::periodic && verdict.period == 32))
        << s << " " << c << ": " << name_of(verdict.kind) << " " << verdict.period << ", " << verdict.reason;
  }
}

}  // namespace
}  // namespace saltus
