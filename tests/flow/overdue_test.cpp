// A gap that is closed and closing where a step begins, although no step has met its zero: rounding of an end, or the
// projection of a sliding contact, took it over the edge. It strikes at once; in every other case nothing does.

#include <numbers>

#include "tests/support/flow_support.hpp"
#include "tests/support/oracles.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::count_of;
using test::Motion;

/// From (x, 1) with velocity (v, 0), as a point that an earlier run has left: settled, its step known.
FlowResult handed_on(const Motion& m, double x, double v) {
  FlowRun run = m.run_from({}, Vector{{1.0, 1.0, -1.0, 0.0}}, {0, 0.5}, Carries::state_and_tangent);
  FlowPoint point = flow(m.kernels(), m.options, run).end;
  EXPECT_GT(point.natural_step, 0.0);
  point.x = Vector{{x, 1.0, v, 0.0}};
  run.start = point;
  run.end = {0, 0.75};
  return flow(m.kernels(), m.options, run);
}

const Motion& corner() {
  static const Motion m = Motion::of(test::corner_text("x", "y"));
  return m;
}

TEST(OverdueGap, StrikesAtOnceWhenItIsClosedAndCloses) {
  for (const double over : {0.0, -1e-300, -1e-16, -1e-12}) {
    const FlowResult result = handed_on(corner(), over, -1.0);
    ASSERT_EQ(count_of(result, EventKind::impact), 1U) << over;
    EXPECT_CLOSE(result.events.front().t, 0.5, exact) << over;
    EXPECT_CLOSE(result.events.front().index, 0U, exact) << over;
    // e = 0.5: from `over` with 0.5 for the time 0.25.
    EXPECT_CLOSE(result.end.x, (Vector{{over + 0.125, 1.0, 0.5, 0.0}}), rounding(8)) << over;
    // The tangent passes the impact: with nothing but the impact x⁺ = −e x⁻ and v⁺ = −e v⁻.
    EXPECT_CLOSE(result.end.tangent(2, 2), -0.5, rounding(8)) << over;
  }
}

TEST(OverdueGap, DoesNotStrikeWhenItOpensOrIsOpen) {
  EXPECT_CLOSE(count_of(handed_on(corner(), -1e-16, 1.0), EventKind::impact), 0U, exact);
  EXPECT_CLOSE(count_of(handed_on(corner(), 0.0, 1.0), EventKind::impact), 0U, exact);
  // Open by a little: the impact comes when its time has come.
  const FlowResult result = handed_on(corner(), 1e-9, -1.0);
  ASSERT_EQ(count_of(result, EventKind::impact), 1U);
  EXPECT_CLOSE(result.events.front().t, 0.5 + 1e-9, rounding(4));
}

TEST(OverdueGap, IsNotOneOfAContactThatIsClosed) {
  // The point rests on the floor and is handed on a little inside it, sinking: the contact is held, not struck.
  const Motion m = Motion::of(test::corner_text("x", "y", "0", "-1"));
  FlowRun run = m.run_from({}, Vector{{1.0, 0.0, 0.25, 0.0}}, {0, 0.5}, Carries::state);
  FlowPoint point = flow(m.kernels(), m.options, run).end;
  ASSERT_TRUE(point.mode.is_closed(1));
  point.x[1] = -1e-13;
  point.x[3] = -1e-13;
  run.start = point;
  run.end = {0, 1.0};
  const FlowResult result = flow(m.kernels(), m.options, run);
  EXPECT_TRUE(result.events.empty()) << test::sequence_of(result);
  EXPECT_CLOSE(result.end.x, (Vector{{1.25, 0.0, 0.25, 0.0}}), rounding(8));
}

TEST(OverdueRelease, ContactsWhoseForcesVanishTogetherAreLeftTogether) {
  // Two balls of different mass at rest on one table, which falls away under both of them where A cos t = 1.
  const Motion m = Motion::of(R"toml([parameters]
A = 1.1
[mechanics]
coordinates = ["y", "z"]
mass  = [["1", "0"], ["0", "3"]]
force = ["-1", "-3"]
[[contact]]
name = "left"
gap = "y - A*cos(t)"
restitution = 0.4
[[contact]]
name = "right"
gap = "z - A*cos(t)"
restitution = 0.5
[forcing]
period = "2*pi"
[initial]
y = 2
z = 2
)toml");
  const double release = 2.0 * std::numbers::pi - std::acos(1.0 / 1.1);
  for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12})
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
      FlowOptions options{.rtol = rtol, .atol = 0.1 * rtol};
      options.method = method;
      // At rest, where the table falls more slowly than the balls would.
      const double begin = 3.0;
      const Vector x{{1.1 * std::cos(begin), 1.1 * std::cos(begin), -1.1 * std::sin(begin), -1.1 * std::sin(begin)}};
      const FlowResult result = flow(m.kernels(), options, m.run_from({0, begin}, x, {1, 0.0}, Carries::state));
      ASSERT_EQ(count_of(result, EventKind::slide_end), 2U) << rtol;
      for (const Event& event : result.events)
        if (event.kind == EventKind::slide_end) { EXPECT_CLOSE(event.t, release, integration(1e-6, 1.0)); }
      EXPECT_FALSE(result.end.mode.any_closed());
      EXPECT_CLOSE(result.end.x[0], result.end.x[1], integration(1e-10, 1.0));
      EXPECT_GT(result.end.x[0], 1.1);
    }
}

}  // namespace
}  // namespace saltus
