#include "saltus/analysis/motions/neighbour_growth.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/analysis/motions/section.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;
using test::whole;

// Chatters once in a while, and forgets everything; in between perturbations grow by more than e³⁰.
const std::string forgetful = R"toml(
[parameters]
s = 1
c = 1
e = 0.8
[mechanics]
coordinates = ["X"]
mass  = [["1"]]
force = ["(s*cos(2.8*t/c) - X - 0.04*c*X')/c^2"]
[[contact]]
name = "stop"
gap  = "0.05*s - X"
restitution = "e"
[forcing]
period = "2*pi*c/2.8"
[initial]
X = "-s"
)toml";

std::vector<Assignment> units(int x, int t) {
  return {{"s", "1e" + std::to_string(x)}, {"c", "1e" + std::to_string(t)}};
}

LyapunovOptions options(double transient, double length, int x, int t) {
  LyapunovOptions result{.transient = transient, .length = length};
  result.flow.method = FlowMethod::automatic;
  result.flow.atol *= std::pow(10.0, std::min({x, x - t, 0}));
  return result;
}

TEST(NeighbourGrowth, APeriodThatRoundingDecidesIsNotStated) {
  // In 60 digits, with no impact missed, the motion sticks once in 32 periods, released each time in the same state: it repeats after 32.
  // In 16 digits the computed motion repeats, too, after 28, 36 or 40 in these units, as rounding has it.
  for (const auto& [x, t] : {std::pair{0, 0}, {3, 2}, {-2, 1}, {9, 6}}) {
    const LyapunovSpectrum s = Mechanics::of(forgetful, "", units(x, t)).spectrum(options(700.0, 300.0, x, t));
    EXPECT_EQ(s.verdict.kind, MotionKind::undecided) << x << " " << t << ": " << s.verdict.reason;
    // With less of a rebound it sticks in every period, and nothing has the time to grow.
    auto set = units(x, t);
    set.push_back({"e", "0.3"});
    const LyapunovSpectrum orbit = Mechanics::of(forgetful, "", set).spectrum(options(100.0, 100.0, x, t));
    EXPECT_EQ(orbit.verdict.kind, MotionKind::periodic) << x << " " << t << ": " << orbit.verdict.reason;
  }
}

/// Of the oscillator with lengths s and times c, after 700 periods and over 300.
Verdict verdict_in(double s, double c) {
  LyapunovOptions asked{.transient = 700.0, .length = 300.0};
  asked.flow.method = FlowMethod::automatic;
  return Mechanics::of(forgetful, "", {{"s", fmt::format("{:.17g}", s)}, {"c", fmt::format("{:.17g}", c)}})
      .spectrum(asked)
      .verdict;
}

TEST(NeighbourGrowth, GoesOnWhereContactHoldsAndReleasesBetweenTwoLooks) {
  // Whether it was held when looked at, and whether the run ends where x passes zero, is chance: the computed periods are 30, 56, 28, 28.
  const std::pair<double, double> units_of_chance[] = {{1e-7, 1e-3},
                                                       {4515.789788592434, 124.11662739015104},
                                                       {3148904.5421259557, 3813.004228820059},
                                                       {4169261.7351175337, 484510.09912960953}};
  for (const auto& [s, c] : units_of_chance) {
    const Verdict verdict = verdict_in(s, c);
    EXPECT_EQ(verdict.kind, MotionKind::undecided) << s << " " << c << ": " << verdict.reason;
  }
}

TEST(NeighbourGrowth, ACoordinateThatForgetsNothingDoesNotHideOneThatDoes) {
  // Beside the oscillator, in units of its own, a mass that it drives and that does not act on it.
  const std::string driven = R"toml(
[parameters]
b = 1
[mechanics]
coordinates = ["X", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["cos(2.8*t) - X - 0.04*X'", "b*X - 0.3*y - 0.02*y'"]
[[contact]]
name = "stop"
gap  = "0.05 - X"
restitution = "e"
[forcing]
period = "2*pi/2.8"
[initial]
X = -1
)toml";
  for (const char* b : {"1", "1e9", "1e-9"})
    for (const char* e : {"0.8", "0.3"}) {
      std::string text = driven;
      text.replace(text.find("\"e\""), 3, e);
      const LyapunovSpectrum s =
          Mechanics::of(text, "", {{"b", b}}).spectrum(options(700.0, 300.0, b[1] == 'e' ? -9 : 0, 0));
      EXPECT_EQ(s.verdict.kind, e == std::string("0.3") ? MotionKind::periodic : MotionKind::undecided)
          << b << " " << e << ": " << s.verdict.reason;
    }
}

TEST(NeighbourGrowth, AMotionThatContactMakesForgetIsNotSaidNotToRepeat) {
  const Mechanics oscillator = Mechanics::of(forgetful);
  const LyapunovStart start = oscillator.start();
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    SectionOptions look{.place = {SectionPlace::Kind::strobe}, .transient = 700.0, .length = 300.0};
    look.flow.method = method;
    const SectionPoints section = section_points(oscillator.kernels(), start.x, start.parameters, start.period, look);
    EXPECT_EQ(section.period, std::nullopt);
    EXPECT_TRUE(section.doubt);
  }
}

NeighbourGrowth growth_of(const std::string& force, double x, std::size_t periods) {
  const Mechanics mechanics = Mechanics::of("[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"" +
                                            force + "\"]\n[forcing]\nperiod = \"2\"\n");
  FlowRun from;
  Vector state(2);
  state << x, x;
  from.start = start_point(mechanics.kernels(), {}, state, LaneStepper::Carries::state);
  from.period = 2.0;
  from.parameters = mechanics.start().parameters;
  const StateSizes sizes{Vector::Ones(2), Vector::Constant(2, 1e-9)};
  return neighbour_growth(mechanics.kernels(), {}, from, periods, {}, sizes);
}

TEST(NeighbourGrowth, IsThatOfTheTangent) {
  const NeighbourGrowth saddle = growth_of("9*x", 0.0, 5);  // e³ per unit time
  EXPECT_NEAR(saddle.largest, 30.0, 1.5);
  EXPECT_FALSE(saddle.forgets);
  EXPECT_LT(growth_of("-x - x'", 0.0, 5).largest, 1.0);
}

}  // namespace
}  // namespace saltus
