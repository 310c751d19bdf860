#include "saltus/analysis/motions/neighbour_growth.hpp"

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
