#include "saltus/analysis/orbits/shooting_newton.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "saltus/analysis/motions/recurrence.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::largest;
using test::Motion;
using test::tight;
using Index = Eigen::Index;

FlowOptions orbit_options() {
  FlowOptions options;
  options.method = FlowMethod::runge_kutta;
  options.rtol = 1e-12;
  options.atol = 1e-14;
  options.tangent_rtol = 1e-11;
  return options;
}

ShootingStart start_of(const Motion& motion, const OrbitGuess& guess, std::size_t segments) {
  const Translations translations = translations_of(motion.kernels(), motion.point().inputs);
  return shooting_start(motion.kernels(), motion.options, motion.point(), guess, segments, translations);
}

ShootingResult solved(const Motion& motion, const OrbitGuess& guess, std::size_t segments) {
  return solve_shooting(motion.kernels(), motion.options, motion.point(), start_of(motion, guess, segments));
}

/// Where the motion is after a transient, with its mode.
ArcStart after(const Motion& motion, long periods) {
  const FlowResult result = motion.flow_from({}, motion.start(), {periods, 0.0});
  return {result.end.x, 0.0, result.end.mode, result.end.fastest};
}

/// J and ∂r/∂p against central differences of the residual.
void expect_jacobian(const Motion& motion, const ShootingStart& start) {
  const Shooting shooting(motion.kernels(), motion.options, start.mesh);
  const ShootingValue at = shooting(start.u, motion.point());
  ASSERT_TRUE(at.whole());
  const Index n = shooting.unknowns();
  Matrix J(n, n + at.by_parameter.cols());
  J << at.jacobian, at.by_parameter;
  const auto D = [&](double h) {
    Matrix difference(J.rows(), J.cols());
    for (Index j = 0; j < J.cols(); ++j) {
      const auto residual = [&](double by) {
        Vector u = start.u;
        if (j < n) u[j] += by;
        const ParameterPoint p = j < n ? motion.point() : motion.point(static_cast<std::size_t>(j - n), by);
        return shooting(u, p).residual;
      };
      difference.col(j) = (residual(h) - residual(-h)) / (2.0 * h);
    }
    return difference;
  };
  EXPECT_CLOSE(D, J, difference(2e-4, 1e-7 * largest(J)));
}

TEST(Shooting, TheJacobianOfAForcedOrbitIsExactInStatesAndInAParameterThatChangesThePeriod) {
  const Motion motion = Motion::example("impact_oscillator", {.varied = {"omega", "e"}, .options = tight()});
  for (const std::size_t segments : {1U, 3U})
    expect_jacobian(motion, start_of(motion, {{Vector{{-0.4, 0.2}}}, 2}, segments));
}

TEST(Shooting, TheJacobianOfAnAutonomousOrbitIsExactInStatesPeriodAndParameter) {
  const Motion motion =
      Motion::example("triple_pendulum_torque", {.case_name = "q1_159", .varied = {"q1"}, .options = tight()});
  expect_jacobian(motion, start_of(motion, {{motion.start()}, 0, 20.0}, 2));
}

TEST(Shooting, ConvergesToTheOrbitOfTheBarrierForAnyNumberOfSegments) {
  Motion motion = Motion::example("triple_pendulum_barrier", {.case_name = "fig3a", .options = orbit_options()});
  const ArcStart start = after(motion, 300);
  for (const std::size_t segments : {1U, 3U, 10U}) {
    const ShootingResult result = solved(motion, {start, 2}, segments);
    EXPECT_EQ(result.end, ShootingEnd::converged);
    EXPECT_LE(result.value.error, 1e-11);
  }
}

TEST(Shooting, ConvergesToTheOrbitWithChatterAndSlidingThroughTheStrobe) {
  Motion motion = Motion::example("triple_pendulum_barrier", {.case_name = "fig3b", .options = orbit_options()});
  const ArcStart start = after(motion, 60);
  for (const std::size_t segments : {1U, 3U, 10U}) {
    const ShootingResult result = solved(motion, {start, 1}, segments);
    EXPECT_EQ(result.end, ShootingEnd::converged);
    EXPECT_LE(result.value.error, 1e-11);
  }
}

TEST(Shooting, ConvergesToTheRotatingOrbitOfThePendulumUnderTorque) {
  Motion motion = Motion::example("triple_pendulum_torque", {.case_name = "q1_159", .options = orbit_options()});
  const Watch section{0, Crossing::up, 2.0 * std::numbers::pi};
  const ReturnMap map(motion.kernels(), motion.options, section, 1e3);
  const Arc first = map(motion.start(), motion.point(), 10);
  const Arc turn = map(first.x, motion.point(), 6);
  for (const std::size_t segments : {1U, 3U, 10U}) {
    const ShootingResult result =
        solved(motion, {{first.x, 0.0, first.end.mode, first.end.fastest}, 0, turn.duration}, segments);
    EXPECT_EQ(result.end, ShootingEnd::converged);
    EXPECT_LE(result.value.error, 1e-11);
  }
}

}  // namespace
}  // namespace saltus
