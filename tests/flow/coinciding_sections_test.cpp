// Sections on surfaces where something else happens: no crossing is lost, none is counted twice.

#include "saltus/flow/coinciding_sections.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

FlowResult watched(const Motion& motion, double T, Crossing direction) {
  FlowRun run = motion.run_from({}, motion.start(), {0, T}, Carries::state);
  run.watches = {{0, direction, 0.0}};
  return motion.moved(run, Carries::state);
}

class LinearSection : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, LinearSection, every_road, name_of_road);

std::string stiffening(const std::string& surface) {
  return "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x + (1-x^2)*x' - if(x > 1, 3*(x-1), 0)\"]\n"
         "[section]\nsurface = \"" +
         surface + "\"\n[initial]\nx = 0.5\n";
}

// A van der Pol oscillator that meets a spring at x = 1: it passes x = 0.9 as often.
TEST(Section, OnASwitchingSurfaceIsCrossedAsOftenAsBesideIt) {
  for (const Crossing direction : {Crossing::up, Crossing::down}) {
    const auto count = [&](const std::string& surface) {
      return count_of(watched(Motion::of(stiffening(surface)), 200.0, direction), EventKind::section);
    };
    EXPECT_EQ(count("x - 0.9"), 35u);
    EXPECT_EQ(count("x - 1"), count("x - 0.9"));
  }
}

// A spring of stiffness 1 on one side and 9 on the other: half turns of π and π/3.
TEST_P(LinearSection, OnTheSwitchOfATwoSidedSpringIsCrossedOncePerTurn) {
  const std::string text =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-if(x > 0, 9*x, x)\"]\n"
      "[section]\nsurface = \"x\"\n[initial]\nx = 1\n";
  const FlowResult result = watched(of(text), 40.0, Crossing::up);
  std::vector<double> times;
  for (const Event& event : result.events)
    if (event.kind == EventKind::section) times.push_back(event.t);
  ASSERT_EQ(times.size(), 9u);  // (40 − 7π/6) / (4π/3) + 1
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(times[i], std::numbers::pi * (7.0 / 6.0 + 4.0 / 3.0 * static_cast<double>(i)), 1e-8);
}

// Surfaces with a kink where they are zero are crossed there as smooth ones are.
TEST_P(LinearSection, OnAKinkOfItsOwnSurfaceIsCrossedOnce) {
  for (const char* surface : {"if(x > 0, x, 3*x)", "max(x, 2*x)", "min(x, 5*x)", "x + abs(x)/2"}) {
    const Motion motion = of(std::string("[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = "
                                         "[\"-if(x > 0, 9*x, x)\"]\n[section]\nsurface = \"") +
                             surface + "\"\n[initial]\nx = 1\n");
    EXPECT_EQ(count_of(watched(motion, 40.0, Crossing::up), EventKind::section), 9U) << surface;
    EXPECT_EQ(count_of(watched(motion, 40.0, Crossing::down), EventKind::section), 10U) << surface;
  }
}

// A ball thrown up from the floor with speed 10, e = 1: it arrives at 2 s and leaves at once.
TEST_P(LinearSection, OnAContactIsCrossedByArrivalAndByDeparture) {
  const Motion motion =
      of("[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-10\"]\n"
         "[[contact]]\nname = \"floor\"\ngap = \"z\"\nrestitution = 1\n"
         "[section]\nsurface = \"z\"\n[initial]\nz = 0\n\"z'\" = 10\n");
  const FlowResult down = watched(motion, 9.0, Crossing::down);
  const FlowResult up = watched(motion, 9.0, Crossing::up);
  ASSERT_EQ(count_of(down, EventKind::section), 4u);
  ASSERT_EQ(count_of(up, EventKind::section), 4u);
  for (const Event& event : down.events)
    if (event.kind == EventKind::section) { EXPECT_NEAR(event.x_plus[1], -10.0, 1e-9); }
  for (const Event& event : up.events)
    if (event.kind == EventKind::section) { EXPECT_NEAR(event.x_plus[1], 10.0, 1e-9); }
}

}  // namespace
}  // namespace saltus::test
