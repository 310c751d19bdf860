#include <gtest/gtest.h>

#include <cmath>

#include "saltus/flow/flow_run.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

// A mass on a belt, which sticks to it and slips; a second one that rests on the floor for a while, by itself.
const char* const model = R"toml(
[mechanics]
coordinates = ["x", "z"]
mass = [["1", "0"], ["0", "1"]]
force = ["-x + 0.1*x' - sign(x' - 0.4)", "-1 + 1.5*sin(0.7*t)"]
[[contact]]
name = "floor"
gap = "z"
restitution = 0
[initial]
x = 0
z = 0.2
)toml";

TEST(HeldTime, IsThatWithAContactClosedOrASwitchSlidAlongCountedOnceInBothRoads) {
  const Kernels kernels(*read_model("belt.toml", model).model, {});
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    FlowOptions options;
    options.method = method;
    FlowRun run;
    run.start = start_point(kernels, {}, (Vector(4) << 0.0, 0.2, 0.0, 0.0).finished(), LaneStepper::Carries::state);
    run.end = {0, 30.0};
    const FlowResult result = flow(kernels, options, run);
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    double held = 0.0;
    double since = 0.0;
    int holds = 0;
    long sticks = 0;
    for (const Event& event : result.events) {
      if (holds > 0) held += event.t - since;
      since = event.t;
      if (event.kind == EventKind::filippov_start || event.kind == EventKind::slide_start) ++holds;
      if (event.kind == EventKind::filippov_end || event.kind == EventKind::slide_end) --holds;
      if (event.kind == EventKind::filippov_start) ++sticks;
    }
    if (holds > 0) held += 30.0 - since;
    EXPECT_GT(sticks, 1);
    EXPECT_GT(result.ledger.sliding_time[0], 1.0);
    EXPECT_CLOSE(result.ledger.held_time, held, rounding(1000, 30.0));
    EXPECT_GT(result.ledger.held_time, result.ledger.sliding_time[0] + 1.0);  // the floor alone is not all of it
  }
}

}  // namespace
}  // namespace saltus
