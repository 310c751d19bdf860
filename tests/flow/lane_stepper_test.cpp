// Order of the steps and of what lies between them.

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;

const std::string oscillator = R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-sin(x)"]

[initial]
x = 1.5
"x'" = 0.7
)toml";

Motion motion() {
  FlowOptions exact;
  exact.method = FlowMethod::runge_kutta;
  exact.rtol = 1e-15;
  exact.atol = 1e-17;
  return Motion::of(oscillator, {.options = exact});
}

/// x(10) by fixed steps.
Vector by_steps(const Motion& m, int count, LaneStepper& stepper) {
  stepper.t(0) = 0.0;
  for (std::size_t i = 0; i < 2; ++i) stepper.y(i, 0) = m.start()[static_cast<Eigen::Index>(i)];
  stepper.h(0) = 10.0 / count;
  stepper.start();
  for (int i = 0; i < count; ++i) {
    stepper.attempt();
    stepper.take(0);
  }
  return Vector{{stepper.y(0, 0), stepper.y(1, 0)}};
}

TEST(LaneStepper, GainsTwoToTheEighthWhenTheStepIsHalved) {
  const Motion m = motion();
  LaneStepper stepper(m.kernels(), 1, LaneStepper::Carries::state);
  const Vector truth = by_steps(m, 1000, stepper);
  const double coarse = test::largest(by_steps(m, 10, stepper) - truth);
  const double fine = test::largest(by_steps(m, 80, stepper) - truth);
  // Three halvings; errors measured: 2e-6 and 3e-13.
  EXPECT_NEAR(std::log2(coarse / fine) / 3.0, 8.0, 0.6);
}

TEST(LaneStepper, InterpolatesWithOrderSeven) {
  const Motion m = motion();
  LaneStepper stepper(m.kernels(), 1, LaneStepper::Carries::state);
  // The largest error of the dense output over one step of length h is of order h⁸ (order 7 of the method, one step).
  const auto error = [&](double h) {
    stepper.t(0) = 0.0;
    for (std::size_t i = 0; i < 2; ++i) stepper.y(i, 0) = m.start()[static_cast<Eigen::Index>(i)];
    stepper.h(0) = h;
    stepper.start();
    stepper.attempt();
    stepper.prepare_dense();
    double worst = 0.0;
    for (int i = 1; i < 10; ++i) {
      const double theta[] = {i / 10.0};
      stepper.sample(theta);
      const Vector truth = m.until(h * theta[0]).end.x;
      for (std::size_t k = 0; k < 2; ++k)
        worst = std::max(worst, std::abs(stepper.sampled(k, 0) - truth[static_cast<Eigen::Index>(k)]));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(0.8) / error(0.4)), 8.0, 0.9);
}

TEST(LaneStepper, MeetsItsEndsExactlyOnDenseOutput) {
  const Motion m = motion();
  LaneStepper stepper(m.kernels(), 1, LaneStepper::Carries::state);
  by_steps(m, 3, stepper);
  stepper.attempt();
  stepper.prepare_dense();
  for (const double end : {0.0, 1.0}) {
    const double theta[] = {end};
    stepper.sample(theta);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_CLOSE(stepper.sampled(i, 0), end == 0.0 ? stepper.y(i, 0) : stepper.y_new(i, 0), rounding(4, 1.0));
  }
}

TEST(LaneStepper, StandsStillWithAStepOfZero) {
  const Motion m = motion();
  LaneStepper stepper(m.kernels(), 1, LaneStepper::Carries::state);
  by_steps(m, 3, stepper);
  stepper.h(0) = 0.0;
  stepper.attempt();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_CLOSE(stepper.y_new(i, 0), stepper.y(i, 0), exact);
}

TEST(FlowError, FollowsTheTolerance) {
  const Motion exact = motion();
  const Vector truth = exact.until(20.0).end.x;
  for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12}) {
    Motion m = motion();
    m.options.rtol = rtol;
    m.options.atol = rtol / 100.0;
    const FlowResult result = m.until(20.0, test::Carries::state_and_tangent);
    // Local errors add up: as many as there are steps, each carried by the tangent.
    const double growth = static_cast<double>(result.ledger.steps) * test::largest(result.end.tangent);
    EXPECT_CLOSE(result.end.x, truth, integration(rtol, growth));
  }
}

}  // namespace
}  // namespace saltus
