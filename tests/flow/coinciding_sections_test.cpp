// Sections on surfaces where something else happens: no crossing is lost, none is counted twice.

#include "saltus/flow/coinciding_sections.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

FlowResult watched(const std::string& text, double T, Crossing direction, FlowMethod method) {
  FlowOptions options;
  options.method = method;
  const Motion motion = Motion::of(text, {.options = options});
  FlowRun run = motion.run_from({}, motion.start(), {0, T}, Carries::state);
  run.watches = {{0, direction, 0.0}};
  return flow(motion.kernels(), motion.options, run);
}

std::string stiffening(const std::string& surface) {
  return "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x + (1-x^2)*x' - if(x > 1, 3*(x-1), 0)\"]\n"
         "[section]\nsurface = \"" +
         surface + "\"\n[initial]\nx = 0.5\n";
}

// A van der Pol oscillator that meets a spring at x = 1: it passes x = 0.9 as often.
TEST(Section, OnASwitchingSurfaceIsCrossedAsOftenAsBesideIt) {
  for (const Crossing direction : {Crossing::up, Crossing::down}) {
    const auto count = [&](const std::string& surface) {
      return count_of(watched(stiffening(surface), 200.0, direction, FlowMethod::runge_kutta), EventKind::section);
    };
    EXPECT_EQ(count("x - 0.9"), 35u);
    EXPECT_EQ(count("x - 1"), count("x - 0.9"));
  }
}

// A spring of stiffness 1 on one side and 9 on the other: half turns of π and π/3.
TEST(Section, OnTheSwitchOfATwoSidedSpringIsCrossedOncePerTurnByBothMethods) {
  const std::string text =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-if(x > 0, 9*x, x)\"]\n"
      "[section]\nsurface = \"x\"\n[initial]\nx = 1\n";
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    const FlowResult result = watched(text, 40.0, Crossing::up, method);
    std::vector<double> times;
    for (const Event& event : result.events)
      if (event.kind == EventKind::section) times.push_back(event.t);
    ASSERT_EQ(times.size(), 9u);  // (40 − 7π/6) / (4π/3) + 1
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_NEAR(times[i], std::numbers::pi * (7.0 / 6.0 + 4.0 / 3.0 * static_cast<double>(i)), 1e-8);
  }
}

// A ball thrown up from the floor with speed 10, e = 1: it arrives at 2 s and leaves at once.
TEST(Section, OnAContactIsCrossedByArrivalAndByDeparture) {
  const std::string text =
      "[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-10\"]\n"
      "[[contact]]\nname = \"floor\"\ngap = \"z\"\nrestitution = 1\n"
      "[section]\nsurface = \"z\"\n[initial]\nz = 0\n\"z'\" = 10\n";
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    const FlowResult down = watched(text, 9.0, Crossing::down, method);
    const FlowResult up = watched(text, 9.0, Crossing::up, method);
    ASSERT_EQ(count_of(down, EventKind::section), 4u);
    ASSERT_EQ(count_of(up, EventKind::section), 4u);
    for (const Event& event : down.events)
      if (event.kind == EventKind::section) { EXPECT_NEAR(event.x_plus[1], -10.0, 1e-9); }
    for (const Event& event : up.events)
      if (event.kind == EventKind::section) { EXPECT_NEAR(event.x_plus[1], 10.0, 1e-9); }
  }
}

}  // namespace
}  // namespace saltus::test
