// Long runs.

#include <numbers>

#include "tests/support/flow_support.hpp"
#include "tests/support/oracles.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::Motion;

TEST(ElasticBall, KeepsEnergyAndTimeOverAMillionImpacts) {
  const Motion m = Motion::example("bouncing_ball", {.case_name = "elastic"});
  const test::BouncingBall closed{.g = 9.81, .e = 1.0, .z0 = 1.0};
  const std::size_t count = 1'000'000;
  FlowRun run = m.run_from({}, m.start(), {0, 0.5 * (closed.impact(count - 1) + closed.impact(count))}, Carries::state);
  run.keep_events = false;
  const FlowResult result = flow(m.kernels(), m.options, run);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_CLOSE(result.ledger.impacts, count, exact);
  const double energy = 0.5 * result.end.x[1] * result.end.x[1] + 9.81 * result.end.x[0];
  EXPECT_CLOSE(energy, 9.81, integration(1e-9, 1.0));  // measured 9e-16
  // In the middle of a flight the ball is at its top: its phase within the flight shows the error of the time.
  const double late = -result.end.x[1] / 9.81;
  EXPECT_CLOSE(late, 0.0, integration(1e-9, 1.0, result.end.t.phase));  // measured 2e-16
}

class LongSlide : public testing::TestWithParam<std::string> {};

TEST_P(LongSlide, KeepsClosedContactsClosedToRounding) {
  const Motion m = Motion::example("triple_pendulum_barrier", {.case_name = GetParam()});
  const Mechanism mechanism = m.mechanism();
  const double T = 1e4;
  FlowRun run = m.run_from({}, m.start(), {static_cast<long>(T / m.period()), 0.0}, Carries::state);
  run.keep_events = false;
  double worst_h = 0.0;
  double worst_gamma = 0.0;
  // One point per tenth of a period, by restarting: projected states only, no dense output.
  FlowPoint point = run.start;
  double sliding = 0.0;
  for (long k = 1; k <= static_cast<long>(10 * T / m.period()); ++k) {
    run.start = point;
    run.end = {k / 10, static_cast<double>(k % 10) / 10.0 * m.period()};
    const FlowResult result = flow(m.kernels(), m.options, run);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << k;
    sliding += result.ledger.sliding_time[0];
    point = result.end;
    if (!point.mode.is_closed(0)) continue;
    const ContactValue at = mechanism.contact(point.t.phase, point.x, point.mode);
    worst_h = std::max(worst_h, std::abs(at.h[0]));
    worst_gamma = std::max(worst_gamma, std::abs(at.gamma[0]));
  }
  EXPECT_GT(sliding, 10.0);
  EXPECT_LE(worst_h, 1e-13 * test::tolerance_scale());
  EXPECT_LE(worst_gamma, 1e-13 * test::tolerance_scale());
}
INSTANTIATE_TEST_SUITE_P(Cases, LongSlide, testing::Values("fig3b", "fig4cd", "fig4ef"));

TEST(PistonCrank, RunsForTenWorkingCyclesWithoutPenetration) {
  const Motion m = Motion::example("piston_crank");
  FlowRun run = m.run_from({}, m.start(), {0, 0.8}, Carries::state);
  const FlowResult result = flow(m.kernels(), m.options, run);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_GT(result.ledger.impacts, 100);
  EXPECT_GT(result.ledger.slides, 10);
  EXPECT_LE(result.ledger.worst_penetration, 1e-12);
}

}  // namespace
}  // namespace saltus
