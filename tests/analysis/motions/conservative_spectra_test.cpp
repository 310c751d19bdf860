// Without damping and with e = 1 phase volume is kept: exponents add up to zero, and those of a mechanism come in pairs ±ℓ. Long
// forcing periods and many impacts in each are what a frame that is looked at too seldom cannot stand.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

struct Conservative {
  const char* name;
  const char* model;
  double length;  // in forcing periods, or in time
  double transient;
  double largest;  // exponents above this are expected: the motion is chaotic
};

const Conservative models[] = {
    {"Henon and Heiles", R"toml(
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-x - 2*x*y", "-y - x^2 + y^2"]
[initial]
"x'" = 0.48
y = 0.1
"y'" = 0.25
)toml",
     3000.0, 100.0, 0.01},
    {"Duffing, forced slowly", R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["x - x^3 + 0.4*cos(0.1*t)"]
[forcing]
period = "2*pi/0.1"
[initial]
x = 0.3
)toml",
     40.0, 1.0, 0.02},
    {"a ball on a table that moves slowly", R"toml(
[mechanics]
coordinates = ["z"]
mass = [["1"]]
force = ["-1"]
[[contact]]
name = "table"
gap = "z - 2*cos(0.25*t)"
restitution = 1
[forcing]
period = "2*pi/0.25"
[initial]
z = 2.2
)toml",
     60.0, 1.0, 0.002},
    {"two masses between walls", R"toml(
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "2.7"]]
force = ["-0.3*x + 0.5*cos(0.1*t)", "-0.2*y"]
[[contact]]
name = "left"
gap = "x + 1"
restitution = 1
[[contact]]
name = "between"
gap = "y - x - 0.2"
restitution = 1
[[contact]]
name = "right"
gap = "1.3 - y"
restitution = 1
[forcing]
period = "2*pi/0.1"
[initial]
x = -0.3
y = 0.5
"x'" = 1.1
"y'" = -0.4
)toml",
     25.0, 1.0, 0.05},
    {"a ball in a wedge", R"toml(
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "-1"]
[[contact]]
name = "left"
gap = "0.8*y + 0.6*x"
restitution = 1
[[contact]]
name = "right"
gap = "0.6*y - 0.8*x"
restitution = 1
[initial]
x = 0.1
y = 1
"x'" = 0.3
)toml",
     1500.0, 50.0, 0.002},
    {"two pendulums and a stop, forced slowly", R"toml(
[mechanics]
coordinates = ["a", "b"]
mass = [["1", "0"], ["0", "1"]]
force = ["-sin(a) - 0.5*(a - b)", "-sin(b) + 0.5*(a - b) + 0.2*cos(0.05*t)"]
[[contact]]
name = "stop"
gap = "a + 0.3"
restitution = 1
[forcing]
period = "2*pi/0.05"
[initial]
a = 1.5
b = -0.5
)toml",
     16.0, 1.0, 0.001},
};

TEST(ConservativeSpectra, AddUpToZeroAndComeInPairs) {
  for (const Conservative& each : models) {
    const test::Mechanics mechanics = test::Mechanics::of(each.model);
    const LyapunovSpectrum s = mechanics.spectrum({.transient = each.transient, .length = each.length});
    ASSERT_EQ(s.outcome, Outcome::reached_end) << each.name;
    const std::vector<double>& values = s.exponents.values;
    ASSERT_TRUE(s.sum_rule_residual) << each.name;
    // Each interval keeps the volume to the tolerance of its steps; worst of these measured: 2e-7.
    EXPECT_LT(std::abs(*s.sum_rule_residual), 2e-6) << each.name;
    EXPECT_GT(values.front(), each.largest) << each.name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(std::isfinite(values[i])) << each.name;
      // Singular values of the whole tangent are exact pairs; the sums of its frame differ from their logarithms by a few units.
      EXPECT_LT(std::abs(values[i] + values[values.size() - 1 - i]), 10.0 / s.time) << each.name << " " << i;
    }
  }
}

}  // namespace
}  // namespace saltus
