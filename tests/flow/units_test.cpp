// A motion does not depend on the units in which its model is written: X = s x and Y = r y for each coordinate alone, τ = c t.

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;
using test::sequence_of;

struct Units {
  int x, y, t;  // powers of ten
};

/// Each alone, by far; then all of them together, as far apart as one absolute error for all components lets a step see zero in each.
std::vector<Units> many_units() {
  std::vector<Units> all = {{9, 0, 0}, {-9, 0, 0}, {0, 9, 0}, {0, -9, 0}, {0, 0, 6}, {0, 0, -6}};
  std::mt19937 random(20266);
  std::uniform_int_distribution<int> length(-9, 9), time(-6, 6);
  while (all.size() < 12) {
    const int x = length(random), y = length(random), t = time(random);
    const auto [least, most] = std::minmax({x, y, x - t, y - t, 0});
    if (most - least <= 9) all.push_back({x, y, t});
  }
  return all;
}

const std::string head = "[parameters]\ns = 1\nr = 1\nc = 1\n";

// Shaken on a floor, x″ = −1 − 0.7 x′ + 0.6 sin t, beside a ball of its own on a table, y″ = −2: both come to rest by a chatter.
const std::string chatters = head + R"toml([mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["s*(-1 - 0.7*c*X'/s + 0.6*sin(t/c))/c^2", "-2*r/c^2"]
[[contact]]
name = "floor"
gap  = "X"
restitution = 0.6
[[contact]]
name = "table"
gap  = "Y"
restitution = 0.5
[initial]
X = "0.3*s"
Y = "0.7*r"
)toml";

// Dry friction under a push that grows and falls: sticks, slips, and sticks again.
const std::string sticks = head + R"toml([mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["s*(1.7*sin(0.9*t/c) - X/s - sign(c*X'/s))/c^2", "r*(X/s - Y/r - 0.5*c*Y'/r)/c^2"]
[initial]
X = "0.2*s"
"X'" = "0.3*s/c"
Y = "0.1*r"
)toml";

// x″ = −sign x − ½ sign x′: switches accumulate where it comes to rest.
const std::string switches = head + R"toml([mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["s*(-sign(X/s) - 0.5*sign(c*X'/s))/c^2", "-Y/c^2"]
[initial]
X = "s"
Y = "r"
)toml";

// A floor that is lowered, and a stop above: impacts, a slide, its end.
const std::string released = head + R"toml([mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["s*(-1 + 1.8*sin(t/c))/c^2", "r*(cos(t/c) - Y/r)/c^2"]
[[contact]]
name = "floor"
gap  = "X"
restitution = 0
[[contact]]
name = "stop"
gap  = "0.4*s - X"
restitution = 0.8
[[contact]]
name = "side"
gap  = "Y + 0.2*r"
restitution = 0.7
[initial]
X = "0.1*s"
)toml";

class FlowUnits : public test::OnEveryRoad {
 protected:
  static FlowResult motion(const std::string& text, const Units& units, double until) {
    const auto power = [](int exponent) { return "1e" + std::to_string(exponent); };
    Motion m = of(text, {.set = {{"s", power(units.x)}, {"r", power(units.y)}, {"c", power(units.t)}}});
    // A step has an absolute error, too: it is told in the unit of what it is to resolve.
    const int smallest = std::min({units.x, units.y, units.x - units.t, units.y - units.t, 0});
    m.options.atol *= std::pow(10.0, smallest);
    return m.until(until * std::pow(10.0, units.t));
  }
  static Vector in_first_units(const Vector& x, const Units& units) {
    const double s = std::pow(10.0, units.x), r = std::pow(10.0, units.y), c = std::pow(10.0, units.t);
    return x.cwiseQuotient(Vector{{s, r, s / c, r / c}});
  }
  static void expect_same(const std::string& text, double until, const std::vector<Units>& others = many_units()) {
    const FlowResult first = motion(text, {0, 0, 0}, until);
    ASSERT_EQ(first.outcome, Outcome::reached_end);
    ASSERT_GT(first.events.size(), 1U);
    for (const Units& units : others) {
      SCOPED_TRACE(testing::Message() << "X 1e" << units.x << ", Y 1e" << units.y << ", t 1e" << units.t);
      const FlowResult result = motion(text, units, until);
      ASSERT_EQ(result.outcome, Outcome::reached_end);
      EXPECT_EQ(sequence_of(result), sequence_of(first));
      EXPECT_LT((in_first_units(result.end.x, units) - first.end.x).cwiseAbs().maxCoeff(), 1e-8);
      expect_same_times(result, first, std::pow(10.0, units.t));
    }
  }
  /// Of all but the impacts, of which a chatter has as many as one likes.
  static void expect_same_times(const FlowResult& result, const FlowResult& first, double c) {
    const auto times = [](const FlowResult& of, double unit) {
      std::vector<double> all;
      for (const Event& event : of.events)
        if (event.kind != EventKind::impact) all.push_back(event.t / unit);
      return all;
    };
    const std::vector<double> now = times(result, c), before = times(first, 1.0);
    ASSERT_EQ(now.size(), before.size());
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_NEAR(now[i], before[i], 1e-8);
  }
};
INSTANTIATE_TEST_SUITE_P(Roads, FlowUnits, test::both_roads, test::name_of_road);

TEST_P(FlowUnits, DoNotChangeWhenImpactsAccumulate) { expect_same(chatters, 12.0); }
TEST_P(FlowUnits, DoNotChangeWhatSticks) { expect_same(sticks, 20.0); }
TEST_P(FlowUnits, DoNotChangeWhenSwitchesAccumulate) {
  // Those of lengths: where it is held, the motion is looked at in the unit of time yet.
  if (GetParam().method != FlowMethod::exact)
    expect_same(switches, 9.0, {{9, 0, 0}, {-9, 0, 0}, {0, 9, 0}, {0, -9, 0}});
}
TEST_P(FlowUnits, DoNotChangeWhenASlideEnds) { expect_same(released, 15.0); }

TEST_P(FlowUnits, DoNotMakeASmallGapAClosedOne) {
  // A fall of h from rest under 2h takes a time of 1, however small h is.
  for (const double h : {1.0, 1e-9, 1e-13, 1e-20}) {
    Motion m =
        of("[parameters]\nh = 1\n[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-2*h\"]\n"
           "[[contact]]\nname = \"floor\"\ngap = \"z\"\nrestitution = 0.5\n[initial]\nz = \"h\"\n",
           {.set = {{"h", fmt::format("{}", h)}}});
    m.options.atol *= h;
    const FlowResult result = m.until(1.5);
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    ASSERT_EQ(result.events.size(), 1U) << h;
    EXPECT_NEAR(result.events[0].t, 1.0, 1e-9) << h;
    EXPECT_NEAR(result.events[0].gamma_minus / h, -2.0, 1e-9) << h;
  }
}

}  // namespace
}  // namespace saltus
