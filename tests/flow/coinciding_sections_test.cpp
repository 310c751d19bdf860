// Sections on surfaces where something else happens: no crossing is lost, none is counted twice.

#include "saltus/flow/coinciding_sections.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

// The same systems every time, few enough for two seconds; RC_PARAMS in the environment asks for others.
const int seeded_sections = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

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

// x = 1.0002 cos t turns just beyond x = ±1: within one step it passes a level and comes back.
TEST_P(LinearSection, ModuloCountsLevelsThatWerePassedTheOtherWayJustBefore) {
  const Motion motion =
      of("[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x\"]\n"
         "[section]\nsurface = \"x\"\n[initial]\nx = 1.0002\n");
  for (const auto& [modulo, up] : {std::pair{1.0, 30u}, std::pair{0.5, 50u}, std::pair{0.1, 210u}})
    for (const Crossing direction : {Crossing::up, Crossing::down}) {
      FlowRun run = motion.run_from({}, motion.start(), {0, 62.9}, Carries::state);
      run.watches = {{0, direction, modulo}};
      EXPECT_EQ(count_of(motion.moved(run, Carries::state), EventKind::section),
                up + (direction == Crossing::down ? 1u : 0u))
          << modulo;
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

/// When a motion passes its surface, whichever way.
std::vector<double> passages(const Motion& motion, double T, double modulo = 0.0) {
  FlowRun run = motion.run_from({}, motion.start(), {0, T}, Carries::state);
  run.watches = {{0, Crossing::both, modulo}};
  std::vector<double> times;
  for (const Event& event : motion.moved(run, Carries::state).events)
    if (event.kind == EventKind::section) times.push_back(event.t);
  return times;
}

std::string thrown_at_a_wall(const std::string& surface, int wall = 10) {
  return fmt::format(
      "[mechanics]\ncoordinates = [\"a\"]\nmass = [[\"1\"]]\nforce = [\"0\"]\n"
      "[[contact]]\nname = \"wall\"\ngap = \"{0} - a\"\nrestitution = 0.5\n[section]\nsurface = \"{1}\"\n"
      "[initial]\na = \"{0} - 9.5\"\n\"a'\" = 1\n",
      wall, surface);
}

// The wall stands on a zero of the surface, which has others: they are passed on the way there and on the way back, at half the speed.
TEST_P(LinearSection, WithAZeroOnAWallIsCrossedAtItsOtherZerosToo) {
  const auto expect = [](const std::vector<double>& times, const std::vector<double>& wanted) {
    ASSERT_EQ(times.size(), wanted.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], wanted[i], 1e-9);
  };
  const std::vector<double> whole = {0.5, 1.5, 2.5, 3.5,  4.5,  5.5,  6.5,  7.5,
                                     8.5, 9.5, 9.5, 11.5, 13.5, 15.5, 17.5, 19.5};
  for (const int wall : {10, 100, 10000}) expect(passages(of(thrown_at_a_wall("a", wall)), 20.0, 1.0), whole);
  expect(passages(of(thrown_at_a_wall("sin(pi*a)")), 20.0), whole);
  expect(passages(of(thrown_at_a_wall("(10 - a)*(8 - a)")), 20.0), {7.5, 9.5, 9.5, 13.5});
}

// v jumps from −0.8ⁿ to 0.8ⁿ⁺¹ at each impact, and is zero at the top of each flight only.
TEST_P(LinearSection, OfVelocitiesIsNotMetByImpactsThatJumpAcrossIt) {
  const auto ball = [&](const std::string& surface) {
    return of(
        "[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-1\"]\n"
        "[[contact]]\nname = \"floor\"\ngap = \"z\"\nrestitution = 0.8\n[section]\nsurface = \"" +
        surface + "\"\n[initial]\nz = 0.5\n");
  };
  const std::vector<double> tops = passages(ball("z'"), 4.5);
  ASSERT_EQ(tops.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(tops[i], (std::vector{1.8, 3.24, 4.392})[i], 1e-9);
  EXPECT_EQ(count_of(watched(ball("z'"), 4.5, Crossing::up), EventKind::section), 0u);
  // The energy is lost at impacts only: none of its levels is ever met.
  EXPECT_TRUE(passages(ball("z + z'^2/2 - 0.4"), 4.5).empty());
  // Just before the first impact z' is −1, and falls.
  EXPECT_EQ(count_of(watched(ball("z' + 1"), 4.5, Crossing::down), EventKind::section), 1u);
  EXPECT_EQ(count_of(watched(ball("z' + 1"), 4.5, Crossing::up), EventKind::section), 0u);
}

// ---- slides: the motion is on the surface, and leaves it --------------------------------------------------------------

/// A crossing: when, and +1 upwards, −1 downwards.
struct Passed {
  double t;
  double direction;
};

std::vector<Passed> sections_in(const FlowResult& result) {
  std::vector<Passed> passed;
  for (const Event& event : result.events)
    if (event.kind == EventKind::section) passed.push_back({event.t, event.gamma_minus});
  return passed;
}

/// The surface at a state.
double surface_at(const Motion& motion, double t, const Vector& x) {
  const Layout& layout = motion.layout();
  const Vector values = motion.mechanism().events(t, x, Vector::Zero(x.size())).value;
  return values[static_cast<Eigen::Index>(layout.contacts + layout.switches)];
}

/// From `begin` on, the start of the run being passed over before; with its kinds of events, or without.
FlowResult watched_after(const Motion& motion, double begin, double T, const std::vector<Time>& samples = {}) {
  FlowRun run = motion.run_from({}, motion.start(), {0, begin}, Carries::state);
  if (begin > 0.0) run.start = flow(motion.kernels(), motion.options, run).end;
  run.end = {0, T};
  run.watches = {{0, Crossing::both, 0.0}};
  run.samples = samples;
  return flow(motion.kernels(), motion.options, run);
}

/// Passages and ends of slides of the only switch, and nothing else; between them the surface is on the side that they led to.
void expect_passages_and_departures(const Motion& motion, double begin, double T) {
  RC_ASSERT(motion.layout().switches == 1u);
  RC_LOG() << "from " << begin << ", rtol " << motion.options.rtol << "\n";
  const FlowResult result = watched_after(motion, begin, T);
  RC_LOG() << name_of(result.outcome) << " at " << result.end.t.phase << "\n";
  RC_ASSERT(result.outcome == Outcome::reached_end);
  std::vector<double> meetings;  // all of the switch
  std::vector<double> expected;
  for (const Event& event : result.events) {
    if (event.kind == EventKind::section || event.t <= begin) continue;
    meetings.push_back(event.t);
    if (event.kind == EventKind::switched || event.kind == EventKind::filippov_end) expected.push_back(event.t);
  }
  meetings.push_back(result.end.t.absolute(motion.period()));
  const std::vector<Passed> passed = sections_in(result);
  RC_ASSERT(passed.size() == expected.size());
  std::vector<Time> middles;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    RC_ASSERT(passed[i].t == expected[i]);
    const double next = *std::upper_bound(meetings.begin(), meetings.end() - 1, passed[i].t);
    middles.push_back({0, 0.5 * (passed[i].t + next)});
  }
  const FlowResult again = watched_after(motion, begin, T, middles);
  RC_ASSERT(again.samples.size() == passed.size());
  for (std::size_t i = 0; i < passed.size(); ++i)
    RC_ASSERT(passed[i].direction * surface_at(motion, again.samples[i].t, again.samples[i].x) > 0.0);
}

std::string some(int low, int high) { return fmt::format("({}/100)", *rc::gen::inRange(low, high)); }

/// The function itself, or a multiple of it, or as much of it as the place says.
std::string like(const std::string& function, const std::string& place) {
  const std::string factor = *rc::gen::element<std::string>("1", "-1", "250", "-0.001", "(2 + " + place + "^2)");
  return factor + "*(" + function + ")";
}

Motion with_any_tolerance(const std::string& text, FlowMethod method) {
  FlowOptions options;
  options.method = method;
  options.rtol = std::pow(10.0, -*rc::gen::inRange(6, 12));
  options.atol = 1e-2 * options.rtol;
  return Motion::of(text, {.options = options});
}

RC_GTEST_PROP(Section, OnABeltIsPassedWhenABlockSlipsThroughOrLeavesItAndNeverElse, ()) {
  const std::string belt = some(-60, 61) + " + " + some(-80, 81) + "*sin(" + some(30, 150) + "*t)";
  const std::string text = fmt::format(
      "[define]\nr1 = \"x1' - ({})\"\n[mechanics]\ncoordinates = [\"x1\", \"x2\"]\nmass = [[\"1\", \"0\"], [\"0\", "
      "\"1\"]]\n"
      "force = [\"-x1 - {}*(x1 - x2) - {}*sign(r1)/(1 + {}*abs(r1))\", \"-x2 - x2' - {}*(x2 - x1) + {}*cos(t)\"]\n"
      "[section]\nsurface = \"{}\"\n[initial]\nx1 = \"{}\"\n\"x1'\" = \"{}\"\n",
      belt, some(20, 200), some(20, 150), some(0, 300), some(20, 200), some(0, 200), like("x1' - (" + belt + ")", "x2"),
      some(-100, 101), some(-100, 101));
  RC_LOG() << text;
  const Motion motion = with_any_tolerance(text, FlowMethod::runge_kutta);
  expect_passages_and_departures(motion, 0.0, 40.0);
  expect_passages_and_departures(motion, 0.01 * *rc::gen::inRange(1, 3000), 40.0);
}

RC_GTEST_PROP(Section, OnARelayIsPassedWhenItSwitchesOrIsLetGoAndNeverElseByBothMethods, ()) {
  const std::string offset = some(-30, 31);
  const std::string text = fmt::format(
      "[mechanics]\nstates = [\"y1\", \"y2\", \"y3\"]\nrates = [\"-{}*y1 + y2 - {}*sign(y1 - {})\", "
      "\"-{}*y1 + y3 + {}*sign(y1 - {})\", \"-{}*y1 + {}*sin(t) - sign(y1 - {})\"]\n"
      "[section]\nsurface = \"{}\"\n[initial]\ny1 = \"{}\"\ny2 = 0.1\ny3 = \"{}\"\n",
      some(50, 300), some(50, 150), offset, some(500, 5000), some(0, 250), offset, some(100, 900), some(0, 150), offset,
      like("y1 - " + offset, "y3"), some(-50, 51), some(-100, 101));
  RC_LOG() << text;
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    const Motion motion = with_any_tolerance(text, method);
    expect_passages_and_departures(motion, 0.0, 20.0);
    expect_passages_and_departures(motion, 0.01 * *rc::gen::inRange(1, 1500), 20.0);
  }
}

bool is_of_the_contact(EventKind kind) {
  return kind == EventKind::impact || kind == EventKind::chatter || kind == EventKind::slide_start ||
         kind == EventKind::slide_end;
}

/// Down at every impact, up unless the contact stays closed, and up where it opens.
void expect_arrivals_and_departures(const Motion& motion, double begin, double T) {
  RC_LOG() << "from " << begin << ", rtol " << motion.options.rtol << "\n";
  const FlowResult result = watched_after(motion, begin, T);
  RC_LOG() << name_of(result.outcome) << " at " << result.end.t.phase << "\n";
  RC_ASSERT(result.outcome == Outcome::reached_end);
  std::vector<Event> events;
  for (const Event& event : result.events)
    if (is_of_the_contact(event.kind) && event.t > begin) events.push_back(event);
  std::vector<Passed> expected;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::slide_end) expected.push_back({events[i].t, 1.0});
    if (events[i].kind != EventKind::impact) continue;
    expected.push_back({events[i].t, -1.0});
    const bool stays = i + 1 < events.size() &&
                       (events[i + 1].kind == EventKind::chatter || (events[i + 1].kind == EventKind::slide_start));
    if (!stays) expected.push_back({events[i].t, 1.0});
  }
  const std::vector<Passed> passed = sections_in(result);
  RC_ASSERT(passed.size() == expected.size());
  for (std::size_t i = 0; i < passed.size(); ++i) {
    RC_ASSERT(passed[i].t == expected[i].t);
    RC_ASSERT(passed[i].direction == expected[i].direction);
  }
}

RC_GTEST_PROP(Section, OnAShakenFloorIsPassedAtEveryImpactAndWhereABodyIsThrownOff, ()) {
  const std::string floor = fmt::format("{}*sin({}*t)", some(50, 150), some(100, 500));
  const std::string text = fmt::format(
      "[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-5 - {}*z'{}\"]\n"
      "[[contact]]\nname = \"floor\"\ngap = \"z - {}\"\nrestitution = \"{}\"\n"
      "[section]\nsurface = \"{}\"\n[initial]\nz = 2\n",
      some(0, 50), *rc::gen::element<std::string>("", " - z'*abs(z')/10"), floor, some(0, 70),
      *rc::gen::element<std::string>("1", "40", "(3 + z)") + "*(z - " + floor + ")");
  RC_LOG() << text;
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    const Motion motion = with_any_tolerance(text, method);
    expect_arrivals_and_departures(motion, 0.0, 20.0);
    expect_arrivals_and_departures(motion, 0.01 * *rc::gen::inRange(1, 1500), 20.0);
  }
}

// A block on a running belt: it is caught from below, rides, and slips back. It never passes the belt's speed upwards.
TEST(Section, OfABlockThatIsCaughtAndSlipsBackIsPassedDownwardsWhereItSlips) {
  const std::string text =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x - sign(x' - 0.2)\"]\n"
      "[section]\nsurface = \"x' - 0.2\"\n[initial]\nx = 0.5\n\"x'\" = 0.2\n";
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    const Motion motion = Motion::of(text, {.options = {.method = method}});
    EXPECT_EQ(count_of(watched(motion, 20.0, Crossing::up), EventKind::section), 0u);
    const FlowResult down = watched(motion, 20.0, Crossing::down);
    const std::vector<Passed> passed = sections_in(down);
    // x = 0.5 + 0.2 t reaches the largest friction, 1, at t = 2.5; Coulomb's friction keeps it at rest relative to the belt or lets it
    // swing about x = 1 with the amplitude 0.2, a circle of 2π back to the same point, where it rides on without an end.
    ASSERT_GE(passed.size(), 1u);
    EXPECT_NEAR(passed.front().t, 2.5, 1e-9);
    for (const Event& event : down.events)
      if (event.kind == EventKind::section) { EXPECT_NEAR(event.x_plus[1], 0.2, 1e-12); }
  }
}

// x' is zero as long as the body lies on the plate, to rounding: no crossing; it rises when the plate falls faster than the body.
TEST(Section, OnTheSpeedOfABodyThatLiesIsPassedWhereItIsPulledOff) {
  const std::string text =
      "[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [\"-10 + 12*sin(t)\"]\n"
      "[[contact]]\nname = \"plate\"\ngap = \"z - 1\"\nrestitution = 0\n"
      "[section]\nsurface = \"z'\"\n[initial]\nz = 1\n";
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    FlowOptions options;
    options.method = method;
    const std::vector<Passed> passed = sections_in(watched_after(Motion::of(text, {.options = options}), 0.0, 6.0));
    ASSERT_EQ(passed.size(), 2u);  // pulled off, and the top of the flight
    EXPECT_NEAR(passed[0].t, std::asin(10.0 / 12.0), 1e-9);
    EXPECT_EQ(passed[0].direction, 1.0);
    EXPECT_EQ(passed[1].direction, -1.0);
  }
}

}  // namespace
}  // namespace saltus::test
