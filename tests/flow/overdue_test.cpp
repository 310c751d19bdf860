// A gap that is closed and closing where a step begins, although no step has met its zero: rounding of an end, or the
// projection of a sliding contact, took it over the edge. It strikes at once; in every other case nothing does.

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
  ASSERT_TRUE(point.mode.closed[1]);
  point.x[1] = -1e-13;
  point.x[3] = -1e-13;
  run.start = point;
  run.end = {0, 1.0};
  const FlowResult result = flow(m.kernels(), m.options, run);
  EXPECT_TRUE(result.events.empty()) << test::sequence_of(result);
  EXPECT_CLOSE(result.end.x, (Vector{{1.25, 0.0, 0.25, 0.0}}), rounding(8));
}

}  // namespace
}  // namespace saltus
