// A closed contact is not let go in silence, nor a slide along a switch left, however short the time in which its force, or its weight,
// is beyond its limit.

#include <vector>

#include "saltus/flow/tableau.hpp"
#include "tests/flow/random_slides.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::first_event;
using test::Motion;

/// The steps of a run.
class Steps final : public PathFollower {
 public:
  void begin() override { instants.clear(); }
  void follow(const PathPiece& piece) override {
    for (const double c : dop853::c) instants.push_back(piece.t + c * piece.length);
    for (int j = 0; j <= 8; ++j) instants.push_back(piece.t + piece.length * 0.5 * (1.0 - std::cos(M_PI * j / 8.0)));
    instants.push_back(piece.t + piece.length);
    ++count;
  }
  std::vector<double> instants;
  int count = 0;
};

// A bead slides at speed 1 along a floor; something pulls at it for 1e-4 of the way.
const char* const pulled = R"model(
[parameters]
c = -100
w = 0.001
depth = 2
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "-1 + depth*exp(-((x-c)/w)^2)"]
[[contact]]
name = "floor"
gap = "y"
restitution = 0
[initial]
"x'" = 1
)model";

// A block sticks to a belt of speed 1; something pushes it for 1e-4 of the way.
const char* const pushed = R"model(
[parameters]
c = -100
w = 0.001
depth = 2
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-sign(x' - 1) + depth*exp(-((x-c)/w)^2)"]
[initial]
"x'" = 1
)model";

struct Case {
  const char* model;
  Vector start;
  EventKind end;
};

class ShortPulse : public testing::TestWithParam<int> {};

TEST_P(ShortPulse, IsFoundBetweenAllInstantsAtWhichTheForceWasEvaluated) {
  const Case it = GetParam() == 0 ? Case{pulled, Vector{{0.0, 0.0, 1.0, 0.0}}, EventKind::slide_end}
                                  : Case{pushed, Vector{{0.0, 1.0}}, EventKind::filippov_end};
  const Motion m = Motion::of(it.model);
  const auto result_with = [&](double c, double depth, PathFollower* follower) {
    FlowRun run = m.run_from({}, it.start, {0, 100.0}, Carries::state);
    run.parameters = {c, 0.001, depth};
    run.follower = follower;
    return flow(m.kernels(), m.options, run);
  };
  // With the pulse far away: where the steps look. They are long beside the pulse.
  Steps steps;
  const FlowResult quiet = result_with(-100.0, 2.0, &steps);
  ASSERT_TRUE(quiet.ledger.slides + quiet.ledger.sticks > 0);
  EXPECT_LT(steps.count, 60);
  int placed = 0;
  for (int k = 1; k <= 200; ++k) {
    const double c = 1.0 + 98.0 * std::fmod(k * 0.6180339887498949, 1.0);
    double away = 100.0;
    for (const double t : steps.instants) away = std::min(away, std::abs(t - c));
    if (away < 0.008) continue;  // there, exp(−64) of the pulse is left
    ++placed;
    const FlowResult deep = result_with(c, 2.0, nullptr);
    const Event* const found = first_event(deep, it.end);
    ASSERT_TRUE(found) << c;
    EXPECT_CLOSE(found->t, c - 0.001 * std::sqrt(std::log(2.0)), integration(1e-9, 100.0));
    // One that does not reach the limit is proven not to, in the same steps.
    const FlowResult shallow = result_with(c, 0.9, nullptr);
    EXPECT_FALSE(first_event(shallow, it.end)) << c;
    EXPECT_EQ(shallow.ledger.steps, quiet.ledger.steps);
  }
  EXPECT_GT(placed, 150);
}
INSTANTIATE_TEST_SUITE_P(OfForceAndOfWeight, ShortPulse, testing::Values(0, 1));

TEST(MultiplierExclusion, OfTwoClosedContactsTheOneThatIsPulledOffIsLetGo) {
  // A corner that turns its normals: a bead in a groove of two inclined walls, pulled off one of them for a short time.
  const Motion m = Motion::of(R"model(
[parameters]
c = -100
depth = 0
[mechanics]
coordinates = ["x", "y", "z"]
mass = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
force = ["0", "-1", "-2 + depth*exp(-((x-c)/0.001)^2)"]
[[contact]]
name = "first"
gap = "z + 0.3*y + 0.01*sin(x)"
restitution = 0
[[contact]]
name = "second"
gap = "y - 0.02*sin(x)"
restitution = 0
[initial]
"x'" = 1
"y'" = 0.02
"z'" = -0.016
)model");
  for (int k = 1; k <= 20; ++k) {
    const double c = 1.0 + 8.0 * std::fmod(k * 0.6180339887498949, 1.0);
    FlowRun run = m.run_from({}, Vector{{0.0, 0.0, 0.0, 1.0, 0.02, -0.016}}, {0, 12.0}, Carries::state);
    run.parameters = {c, 4.0};
    const FlowResult result = flow(m.kernels(), m.options, run);
    const Event* const found = first_event(result, EventKind::slide_end);
    ASSERT_TRUE(found) << c;
    EXPECT_EQ(found->index, 0U);
    // The force of the first wall is 2 + z̈ − the pulse, z̈ some hundredths: the pulse is above it around c.
    EXPECT_NEAR(found->x_minus[0], c - 0.001 * std::sqrt(std::log(2.0)), 1e-4);
    run.parameters = {c, 1.5};
    EXPECT_FALSE(first_event(flow(m.kernels(), m.options, run), EventKind::slide_end));
  }
}

TEST(MultiplierExclusion, OfRandomSlidesNoneIsLeftLateAndNoneWithoutReason) {
  const test::Tally beads = test::RandomSlides(5, 1e-10).beads(300);
  EXPECT_GT(beads.hits, 60);
  EXPECT_EQ(beads.missed, 0);
  EXPECT_EQ(beads.false_hits, 0);
  EXPECT_EQ(beads.wrong_time, 0);
  const test::Tally blocks = test::RandomSlides(6, 1e-10).blocks(300);
  EXPECT_GT(blocks.hits, 60);
  EXPECT_EQ(blocks.missed, 0);
  EXPECT_EQ(blocks.false_hits, 0);
  EXPECT_EQ(blocks.wrong_time, 0);
}

}  // namespace
}  // namespace saltus
