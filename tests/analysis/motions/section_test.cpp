#include "saltus/analysis/motions/section.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::Mechanics;
using Kind = SectionPlace::Kind;
using std::numbers::pi;

SectionPoints points_of(const Mechanics& mechanics, const SectionOptions& options) {
  const LyapunovStart start = mechanics.start();
  return section_points(mechanics.kernels(), start.x, start.parameters, start.period, options);
}

TEST(Section, TheStrobeOfAPeriodicMotionIsItsInitialStateEveryPeriod) {
  const Mechanics table = Mechanics::example("vibrating_table", "period1");
  const SectionPoints section = points_of(table, {.place = {Kind::strobe}, .transient = 3.0, .length = 20.0});
  ASSERT_EQ(section.points.size(), 20U);
  EXPECT_EQ(section.period, 1U);
  for (std::size_t i = 0; i < section.points.size(); ++i) {
    EXPECT_CLOSE(section.points[i].t, 2.0 * pi * static_cast<double>(i + 4), rounding(4));
    EXPECT_CLOSE(section.points[i].x, table.start().x, integration(1e-10, 100.0));
  }
}

TEST(Section, AMotionThatComesToRestOnTheSurfaceIsNotPeriodic) {
  const Mechanics pendulum = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-0.2*x' - sin(x)\"]\n[section]\nsurface = "
      "\"x'\"\ndirection = \"down\"\n[initial]\nx = 2\n");
  const SectionPoints section =
      points_of(pendulum, {.place = {Kind::surface, {0, Crossing::down, 0.0}}, .length = 800.0});
  EXPECT_EQ(section.outcome, Outcome::reached_end);
  EXPECT_EQ(section.period, std::nullopt);
  EXPECT_TRUE(section.doubt);
}

TEST(Section, OscillatorPassesItsSurfaceOncePerTurnUpOnceDown) {
  const std::string model =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x\"]\n[section]\nsurface = "
      "\"x\"\n[initial]\nx = 1\n";
  const Mechanics oscillator = Mechanics::of(model);
  for (const auto& [direction, first, speed] :
       {std::tuple{Crossing::up, 1.5 * pi, 1.0}, std::tuple{Crossing::down, 0.5 * pi, -1.0}}) {
    const SectionPoints section =
        points_of(oscillator, {.place = {Kind::surface, {0, direction, 0.0}}, .length = 20.0 * pi});
    ASSERT_EQ(section.points.size(), 10U);
    EXPECT_EQ(section.period, 1U);
    for (std::size_t i = 0; i < section.points.size(); ++i) {
      EXPECT_CLOSE(section.points[i].t, first + 2.0 * pi * static_cast<double>(i), integration(1e-10, 100.0));
      EXPECT_CLOSE(section.points[i].x[0], 0.0, rounding(100, 1.0));  // on the surface, not beside it
      EXPECT_CLOSE(section.points[i].x[1], speed, integration(1e-10, 100.0));
    }
  }
}

TEST(Section, AtImpactsTheGapIsZeroAndTheContactCloses) {
  const Mechanics table = Mechanics::example("vibrating_table", "period1");
  const SectionPoints section = points_of(table, {.place = {Kind::impacts, {}, 0}, .length = 12.0});
  const double lag = table.value_of("lag");
  ASSERT_EQ(section.points.size(), 12U);
  EXPECT_EQ(section.period, 1U);
  for (std::size_t i = 0; i < section.points.size(); ++i) {
    const SectionPoint& point = section.points[i];
    EXPECT_CLOSE(point.t, 2.0 * pi * static_cast<double>(i + 1) - lag, integration(1e-10, 100.0));
    EXPECT_CLOSE(point.x[0], table.value_of("A") * std::cos(point.t), integration(1e-10, 100.0));
    EXPECT_CLOSE(point.x[1], -pi, integration(1e-10, 100.0));
  }
}

TEST(Section, ASurfaceThatIsNeverMetHasNoPoints) {
  const std::string model =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x\"]\n[section]\nsurface = \"x - "
      "2\"\n[initial]\nx = 1\n";
  const SectionPoints section =
      points_of(Mechanics::of(model), {.place = {Kind::surface, {0, Crossing::both, 0.0}}, .length = 50.0});
  EXPECT_EQ(section.outcome, Outcome::reached_end);
  EXPECT_TRUE(section.points.empty());
  EXPECT_EQ(section.period, std::nullopt);
}

}  // namespace
}  // namespace saltus
