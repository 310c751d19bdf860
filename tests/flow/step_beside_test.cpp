// The last short way to an event: the midpoint rule, for some lanes and not for others.

#include "saltus/flow/step_beside.hpp"

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;

const std::string swinging = R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-sin(x)"]

[initial]
x = 1.5
"x'" = 0.7
)toml";

/// x and its tangent a time δ after the start in lane 1; lanes 0, 2 and 3 stand still.
Vector by_midpoint(const Motion& m, double delta) {
  LaneStepper stepper(m.kernels(), 4, LaneStepper::Carries::state_and_tangent);
  const Layout& layout = m.kernels().layout();
  for (std::size_t l = 0; l < 4; ++l) {
    stepper.t(l) = l == 1 ? delta : 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      stepper.y(i, l) = m.start()[static_cast<Eigen::Index>(i)];
      stepper.y(2 + layout.tangent(i, i), l) = 1.0;
    }
  }
  stepper.start();
  StepBeside(m.kernels(), stepper)(stepper, {0.0, delta});
  Vector end(6);
  for (std::size_t i = 0; i < 6; ++i) {
    end[static_cast<Eigen::Index>(i)] = stepper.y(i, 1);
    for (const std::size_t l : {0, 2, 3})
      EXPECT_EQ(stepper.y(i, l), i < 2 ? m.start()[static_cast<Eigen::Index>(i)] : (i == 2 || i == 5 ? 1.0 : 0.0));
  }
  // The rate is that of the place where it has come to stand.
  EXPECT_EQ(stepper.rate(0, 1), stepper.y(1, 1));
  EXPECT_CLOSE(stepper.rate(1, 1), -std::sin(stepper.y(0, 1)), rounding(4, 1.0));
  return end;
}

/// The same, by a Taylor series: x⁽³⁾ = −cos x x', x⁽⁴⁾ = sin x x'² + cos x sin x.
Vector by_series(double x, double v, double d) {
  const double s = std::sin(x);
  const double c = std::cos(x);
  const auto sum = [d](double a, double b, double e, double f) { return a + d * (b + d * (e / 2.0 + d * (f / 6.0))); };
  // Derivatives of x' = v, v' = −sin x by the start.
  return Vector{{sum(x, v, -s, -c * v), sum(v, -s, -c * v, s * v * v + c * s),  //
                 sum(1.0, 0.0, -c, s * v), sum(0.0, 1.0, 0.0, -c),  //
                 sum(0.0, -c, s * v, c * v * v + c * c - s * s), sum(1.0, 0.0, -c, 2.0 * s * v)}};
}

TEST(StepBeside, HasAnErrorOfThirdOrderInStateAndTangentAndLeavesOtherLanesAlone) {
  const Motion m = Motion::of(swinging, {.widths = {1, 4}});
  const auto error = [&](double delta) {
    const Vector end = by_midpoint(m, delta);
    const Vector truth = by_series(m.start()[0], m.start()[1], delta);
    // δq by x and by x', then δv: as Layout stores them, row by row.
    const Layout& layout = m.kernels().layout();
    double worst = std::max(std::abs(end[0] - truth[0]), std::abs(end[1] - truth[1]));
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t c = 0; c < 2; ++c)
        worst = std::max(worst, std::abs(end[static_cast<Eigen::Index>(2 + layout.tangent(i, c))] -
                                         truth[static_cast<Eigen::Index>(2 + 2 * i + c)]));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 3.0, 0.2);
  EXPECT_NEAR(std::log2(error(-0.02) / error(-0.01)), 3.0, 0.2);
  // landing_window of a long step: below rounding.
  EXPECT_LT(error(1e-5), 4.0 * std::numeric_limits<double>::epsilon());
}

}  // namespace
}  // namespace saltus
