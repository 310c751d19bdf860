// Motions in closed form: against formulas, against Runge-Kutta steps, and through every kind of event.
#include "saltus/flow/exact_flow.hpp"

#include <fmt/format.h>

#include <numbers>
#include <random>
#include <set>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/polynomial_roots.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

FlowOptions exactly() { return {.method = FlowMethod::exact}; }

Motion moved(const std::string& name, const std::string& case_name, const std::vector<Assignment>& set,
             const FlowOptions& options, const std::vector<std::string>& varied = {}) {
  return Motion::example(name, {.case_name = case_name, .set = set, .varied = varied, .options = options});
}

/// Largest difference of two vectors or matrices, relative to 1 + their size.
template <class A, class B>
double distance(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

/// What a road computes by a formula, and what it comes near with steps of the default tolerance over a time t.
Tolerance of_the_road(const Road& road, double rounding_errors, double t) {
  return road.method == FlowMethod::exact ? rounding(rounding_errors) : integration(FlowOptions{}.rtol, 10.0 * t, 1.0);
}

/// Linear motions: what is said of one road is said of the other.
class ClosedForm : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, ClosedForm, every_road, name_of_road);

// ---- closed forms ------------------------------------------------------------------------------------------------------

/// A free mass (eigenvalue 0 twice) under c + k t² + a cos(wt + φ), without friction.
constexpr const char* driven_mass = R"toml(
[parameters]
c = 0.3
k = -0.2
a = 1.7
w = 2.3
phi = 0.4
[mechanics]
coordinates = ["x"]
mass  = [["2"]]
force = ["c + k*t^2 + a*cos(w*t + phi)"]
[initial]
x = 0.5
"x'" = -0.25
)toml";

TEST_P(ClosedForm, OfAFreeMassUnderConstantQuadraticAndHarmonicForceIsMet) {
  const Motion m = of(driven_mass);
  const double t = 7.0;
  const double x = 0.5 - 0.25 * t + 0.5 * (0.3 * t * t / 2 - 0.2 * t * t * t * t / 12) -
                   0.5 * 1.7 / (2.3 * 2.3) * (std::cos(2.3 * t + 0.4) - std::cos(0.4) + 2.3 * t * std::sin(0.4));
  EXPECT_CLOSE(m.until(t).end.x[0], x, of_the_road(GetParam(), 100, t));
}

TEST_P(ClosedForm, OfAnOscillatorAtResonanceIsMet) {
  // ẍ + x = cos t from rest: x = ½ t sin t. The eigenvalues of motion and force coincide.
  const Motion m = of(R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x + cos(t)"]
)toml");
  const double t = 50.0;
  EXPECT_CLOSE(m.until(t).end.x[0], 0.5 * t * std::sin(t), of_the_road(GetParam(), 200, t));
}

TEST_P(ClosedForm, OfParameterColumnsIsMet) {
  // ∂x/∂w of a free mass under cos wt from rest, x = (1 − cos wt)/w².
  const Motion m = of(R"toml(
[parameters]
w = 2.0
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(w*t)"]
)toml",
                      {.varied = {"w"}});
  const double t = 3.0;
  const double w = 2.0;
  const FlowResult result = m.until(t, Carries::state_and_tangent);
  const double expected = t * std::sin(w * t) / (w * w) - 2.0 * (1.0 - std::cos(w * t)) / (w * w * w);
  EXPECT_CLOSE(result.end.tangent(0, 2), expected, of_the_road(GetParam(), 100, 100.0 * t));
  EXPECT_CLOSE(result.end.tangent(0, 1), t, of_the_road(GetParam(), 10, t));
}

// ---- the clearances of Kranjčević et al. ---------------------------------------------------------------------------------------------

class Clearance : public testing::TestWithParam<const char*> {};

/// The regions (stage of q1, stage of q2) that the ten periods from x pass through; both roads are compared on the way.
std::set<std::pair<int, int>> regions_met(const Motion& exact, const Motion& general, const Vector& start) {
  const FlowResult a = exact.flow_from({}, start, {10, 0.0});
  const FlowResult b = general.flow_from({}, start, {10, 0.0});
  EXPECT_LE((a.end.x - b.end.x).cwiseAbs().maxCoeff(), 1e-10 * tolerance_scale());
  EXPECT_EQ(a.events.size(), b.events.size());
  const auto stage = [](double q) { return q > 1.0 ? 1 : q < -1.0 ? -1 : 0; };
  std::set<std::pair<int, int>> regions = {{stage(start[0]), stage(start[1])}};
  for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); ++i) {
    EXPECT_EQ(a.events[i].index, b.events[i].index);
    EXPECT_LE(std::abs(a.events[i].t - b.events[i].t), 1e-10 * tolerance_scale());
    // The middle between this switch and the next lies in a region.
    const double next = i + 1 < a.events.size() ? a.events[i + 1].t : 10.0 * exact.period();
    const double middle = 0.5 * (a.events[i].t + next);
    const Time end = {static_cast<long>(middle / exact.period()), std::fmod(middle, exact.period())};
    const Vector x = exact.flow_from({}, start, end).end.x;
    regions.insert({stage(x[0]), stage(x[1])});
  }
  return regions;
}

TEST_P(Clearance, MeetsTheRungeKuttaRoadAfterTenPeriodsThroughAllNineRegions) {
  const std::vector<Assignment> at = {{"eta", "0.65"}};
  const Motion exact = moved("clearance_pair", GetParam(), at, exactly());
  const Motion general = moved("clearance_pair", GetParam(), at, tight());
  // From rest the motion passes through eight of them, and never through q1 < -1, q2 > 1: a second start begins there.
  std::set<std::pair<int, int>> regions = regions_met(exact, general, exact.start());
  EXPECT_GE(regions.size(), 8U);
  regions.merge(regions_met(exact, general, Vector{{-1.5, 1.5, 0.0, 0.0}}));
  EXPECT_EQ(regions.size(), 9U);
}

TEST_P(Clearance, CarriesTheTangentOfTheRungeKuttaRoad) {
  const std::vector<Assignment> at = {{"eta", "0.65"}};
  const std::vector<std::string> varied = {"eta", "w12", "slope", "f01"};
  const Motion exact = moved("clearance_pair", GetParam(), at, exactly(), varied);
  const Motion general = moved("clearance_pair", GetParam(), at, tight(), varied);
  const FlowResult a = exact.flow_from({}, exact.start(), {3, 0.0}, Carries::state_and_tangent);
  const FlowResult b = general.flow_from({}, general.start(), {3, 0.0}, Carries::state_and_tangent);
  EXPECT_LE(distance(a.end.tangent, b.end.tangent), 1e-9 * tolerance_scale());
}

TEST_P(Clearance, ContractsPhaseVolumeByTheTraceOfTheDamping) {
  const Motion m = moved("clearance_pair", GetParam(), {{"eta", "0.65"}}, exactly());
  const FlowResult result = m.flow_from({}, m.start(), {1, 0.0}, Carries::state_and_tangent);
  const double trace = 2.0 * (0.05 + 0.05 * 1.1);  // of Z: 2 (ζ11 + ζ22 ω22)
  EXPECT_CLOSE(LuFactors(result.end.tangent).determinant(), std::exp(-trace * m.period()), rounding(1000));
}

INSTANTIATE_TEST_SUITE_P(Laws, Clearance, testing::Values("ideal", "trilinear"));

// ---- the other linear examples, with impacts, chatter, sliding and stick-slip ----------------------------------------------

struct Linear {
  const char* name;
  const char* case_name;
  double time;
};

class LinearExample : public testing::TestWithParam<Linear> {};

TEST_P(LinearExample, GivesTheEventsAndTheStateOfTheRungeKuttaRoad) {
  const auto& [name, case_name, time] = GetParam();
  const FlowResult a = moved(name, case_name, {}, exactly()).until(time, Carries::state_and_tangent);
  const FlowResult b = moved(name, case_name, {}, tight()).until(time, Carries::state_and_tangent);
  ASSERT_EQ(a.outcome, b.outcome);
  const auto without_grazing = [](const FlowResult& result) {
    std::vector<Event> events;
    for (const Event& event : result.events)
      if (event.kind != EventKind::grazing) events.push_back(event);
    return events;
  };
  const auto ours = without_grazing(a);
  const auto theirs = without_grazing(b);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].kind, theirs[i].kind) << i;
    EXPECT_LE(std::abs(ours[i].t - theirs[i].t), 1e-9 * tolerance_scale()) << i;
  }
  EXPECT_LE(distance(a.end.x, b.end.x), 1e-9 * tolerance_scale());
  EXPECT_LE(distance(a.end.tangent, b.end.tangent), 1e-6 * tolerance_scale());
}

INSTANTIATE_TEST_SUITE_P(Examples, LinearExample,
                         testing::Values(Linear{"bouncing_ball", "", 4.0}, Linear{"impact_oscillator", "", 30.0},
                                         Linear{"vibrating_table", "", 3.0}, Linear{"newton_cradle", "", 3.0},
                                         Linear{"impact_pair", "", 6.0}, Linear{"gear_rattle", "", 60.0},
                                         Linear{"clearance_chain", "", 9.0}),
                         [](const auto& example) { return std::string(example.param.name); });

TEST(ExactFlow, SticksAndSlipsAsTheRungeKuttaRoadDoes) {
  // Dry friction of constant size on a moving belt, the mass shaken: Filippov sliding begins and ends.
  const auto belt = [](const FlowOptions& options) {
    return Motion::of(R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x - 0.1*x' - sign(x' - 0.5) + 1.5*cos(0.7*t)"]
[initial]
x = 2
)toml",
                      {.options = options})
        .until(30.0, Carries::state_and_tangent);
  };
  const FlowResult a = belt(exactly());
  const FlowResult b = belt(tight());
  ASSERT_EQ(a.events.size(), b.events.size());
  int slides = 0;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].kind, b.events[i].kind) << i;
    EXPECT_LE(std::abs(a.events[i].t - b.events[i].t), 1e-9 * tolerance_scale()) << i;
    slides += a.events[i].kind == EventKind::filippov_start ? 1 : 0;
  }
  EXPECT_GE(slides, 2);
  EXPECT_LE(distance(a.end.x, b.end.x), 1e-9 * tolerance_scale());
  EXPECT_LE(distance(a.end.tangent, b.end.tangent), 1e-7 * tolerance_scale());
}

TEST_P(ClosedForm, OfTheReleaseByATableThatFallsAwayIsMetOnceInEachPeriod) {
  // Where A cos t = 1 gap, rate and acceleration vanish together: whether the ball leaves is the third derivative's to say.
  for (const double A : {1.0006, 1.0007, 1.001, 1.02, 1.3}) {
    const Motion ball = example("vibrating_table", {.set = {{"A", std::to_string(A)}, {"e", "0.4"}, {"z", "A"}}});
    const FlowResult result = ball.flow_from({}, ball.start(), {5, 0.0});
    EXPECT_EQ(test::count_of(result, EventKind::slide_end), 5U) << A;
    const double release = -std::acos(1.0 / A);
    for (const Event& event : result.events) {
      if (event.kind != EventKind::slide_end) continue;
      const double late = std::remainder(event.t - release, 2.0 * std::numbers::pi);
      // Steps find a force that vanishes without their own rate: measured 6.6e-9.
      const double within = GetParam().method == FlowMethod::exact ? 1e-11 : 5e-8;
      EXPECT_CLOSE(late, 0.0, integration(within, 1.0, 1.0)) << A;
    }
  }
}

// ---- random systems: no switch is missed, and none is met in a wrong place --------------------------------------------------

/// Two coupled oscillators under two harmonics, with springs of random stiffness behind random clearances.
class RandomClearances {
 public:
  explicit RandomClearances(const FlowOptions& options)
      : motion_(Motion::of(R"toml(
[parameters]
k1 = 1
k2 = 1
s1 = 1
s2 = 1
s3 = 1
s4 = 1
w1 = 1
w2 = 1
g1 = 1
g2 = 1
g3 = 1
g4 = 1
a = 1
b = 1
c1 = 0
c2 = 0
k12 = 0
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0.2"], ["0.2", "1.5"]]
force = [
  "-k1*x - k12*y - c1*x' - s1*max(x - g1, 0) - s2*min(x + g2, 0) + a*cos(w1*t)",
  "-k12*x - k2*y - c2*y' - s3*max(y - g3, 0) - s4*min(y - x + g4, 0) + b*sin(w2*t)",
]
[initial]
x = 0.3
"y'" = 0.5
)toml",
                           {.options = options})) {}

  const Motion& motion() const { return motion_; }

  /// The motion until t with the numbers of a seed.
  FlowRun run(unsigned seed, double t, Carries carries) const {
    std::mt19937 generator(seed);
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
    FlowRun run = motion_.run_from({}, motion_.start(), {0, t}, carries);
    for (std::size_t i = 0; i < 17; ++i)
      run.parameters[i] = i < 8 ? between(0.2, 4.0) : i < 14 ? between(0.05, 1.5) : between(-0.1, 0.3);
    return run;
  }
  FlowResult result(const FlowRun& run) const { return flow(motion_.kernels(), motion_.options, run); }
  /// The switches at a state.
  Vector switches(const FlowRun& run, double t, const Vector& x) const {
    return Mechanism(motion_.kernels(), run.parameters).events(t, x, Vector::Zero(4)).value;
  }

 private:
  Motion motion_;
};

TEST(ExactFlow, MeetsTheSwitchesOfRandomSystemsInTheOrderAndAtTheTimesOfTheRungeKuttaRoad) {
  const RandomClearances exact(exactly());
  const RandomClearances general(tight());
  std::size_t met = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const FlowResult a = exact.result(exact.run(seed, 40.0, Carries::state_and_tangent));
    const FlowResult b = general.result(general.run(seed, 40.0, Carries::state_and_tangent));
    const double growth = 1.0 + largest(b.end.tangent);
    EXPECT_EQ(sequence_of(a), sequence_of(b)) << seed;
    for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); ++i)
      EXPECT_LE(std::abs(a.events[i].t - b.events[i].t), 1e-10 * growth * tolerance_scale()) << seed << " " << i;
    EXPECT_LE(distance(a.end.x, b.end.x), 1e-11 * growth * tolerance_scale()) << seed;
    EXPECT_LE(distance(a.end.tangent, b.end.tangent), 1e-9 * growth * tolerance_scale()) << seed;
    met += a.events.size();
  }
  EXPECT_GE(met, 200U);
}

class RandomSwitches : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, RandomSwitches, both_roads, name_of_road);

TEST_P(RandomSwitches, HaveEverySampleOnTheRightSide) {
  const RandomClearances random({.method = GetParam().method});
  for (unsigned seed = 101; seed <= 115; ++seed) {
    FlowRun run = random.run(seed, 60.0, Carries::state);
    for (int i = 1; i < 6000; ++i) run.samples.push_back({0, 0.01 * i});
    const FlowResult result = random.result(run);
    ASSERT_EQ(result.samples.size(), run.samples.size());
    for (const Sample& sample : result.samples) {
      const Vector s = random.switches(run, sample.t, sample.x);
      // At a switch itself either side is right, to rounding.
      for (std::size_t k = 0; k < random.motion().layout().switches; ++k)
        ASSERT_GE(sample.mode.side(k) * s[static_cast<Eigen::Index>(k)], -1e-12) << seed << " " << sample.t;
    }
  }
}

TEST_P(RandomSwitches, AreStoodOnWhenTheyAreSaidToBeMet) {
  // The switch met is zero at the recorded state to rounding, so that its time is exact to that over the speed.
  const RandomClearances random({.method = GetParam().method});
  for (unsigned seed = 201; seed <= 220; ++seed) {
    const FlowRun run = random.run(seed, 60.0, Carries::state);
    for (const Event& event : random.result(run).events) {
      const Vector s = random.switches(run, event.t, event.x_minus);
      EXPECT_LE(std::abs(s[static_cast<Eigen::Index>(event.index)]), 1e-13 * tolerance_scale()) << seed;
    }
  }
}

TEST(ExactFlow, FollowsAChainThatIsTooLongForTables) {
  // Nine masses between springs, each with a stop on one side: N = 18.
  constexpr int n = 9;
  std::string names, mass, force;
  for (int i = 0; i < n; ++i) {
    const char* const comma = i > 0 ? ", " : "";
    names += fmt::format("{}\"x{}\"", comma, i);
    mass += comma + std::string("[");
    for (int j = 0; j < n; ++j) mass += fmt::format("{}\"{}\"", j > 0 ? ", " : "", i == j ? 1 : 0);
    mass += "]";
    const std::string left = i > 0 ? fmt::format(" + x{}", i - 1) : " + cos(0.7*t)";
    const std::string right = i + 1 < n ? fmt::format(" + x{}", i + 1) : "";
    force += fmt::format("{0}\"-2*x{1} - 0.05*x{1}' - 3*max(x{1} - 0.4, 0){2}{3}\"", comma, i, left, right);
  }
  const auto chain = [&](const FlowOptions& options) {
    return Motion::of(fmt::format("[mechanics]\ncoordinates = [{}]\nmass = [{}]\nforce = [{}]\n", names, mass, force),
                      {.options = options})
        .until(30.0, Carries::state_and_tangent);
  };
  const FlowResult a = chain(exactly());
  const FlowResult b = chain(tight());
  EXPECT_EQ(sequence_of(a), sequence_of(b));
  EXPECT_GE(a.events.size(), 20U);
  EXPECT_LE(distance(a.end.x, b.end.x), 1e-9 * tolerance_scale());
  EXPECT_LE(distance(a.end.tangent, b.end.tangent), 1e-8 * tolerance_scale());
}

TEST(ExactFlow, RefusesAModelThatIsNotLinear) {
  const Motion m = Motion::of(R"toml(
[mechanics]
coordinates = ["q"]
mass  = [["1"]]
force = ["-sin(q)"]
)toml",
                              {.options = exactly()});
  EXPECT_THROW(m.until(1.0), Error);
}

// ---- roots -----------------------------------------------------------------------------------------------------------------

TEST(PolynomialRoots, FindsTheFirstFallOfManyRoots) {
  // Π (θ − (2i−1)/16), i = 1 … 8: falls at every second root, the first of them at 1/16 with the sign turned.
  std::vector<double> c = {1.0};
  for (int i = 1; i <= 8; ++i) {
    std::vector<double> next(c.size() + 1, 0.0);
    for (std::size_t k = 0; k < c.size(); ++k) {
      next[k + 1] += c[k];
      next[k] -= c[k] * (2 * i - 1) / 16.0;
    }
    c = next;
  }
  const auto first = first_fall(c);
  ASSERT_TRUE(first.has_value());
  EXPECT_NEAR(*first, 1.0 / 16.0, 1e-14);
  for (double& value : c) value = -value;
  EXPECT_NEAR(first_fall(c).value_or(0.0), 3.0 / 16.0, 1e-13);
}

TEST(PolynomialRoots, FindsTheFirstFallAmongRandomRootsAndAFactorWithoutAny) {
  std::mt19937 generator(7);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
  for (int trial = 0; trial < 2000; ++trial) {
    // Roots outside and inside [0, 1], some of them in close pairs, times 1 + θ² and a sign.
    std::vector<double> roots;
    while (roots.size() < 1 + static_cast<std::size_t>(trial % 5)) {
      roots.push_back(between(-0.5, 1.5));
      if (trial % 3 == 0) roots.push_back(roots.back() + between(1e-5, 1e-3));
    }
    std::vector<double> c = {between(0.0, 1.0) < 0.5 ? -1.0 : 1.0, 0.0, 0.0};
    c[2] = c[0];
    for (const double root : roots) {
      c.push_back(0.0);
      for (std::size_t k = c.size(); k-- > 0;) c[k] = (k > 0 ? c[k - 1] : 0.0) - root * c[k];
    }
    std::sort(roots.begin(), roots.end());
    const auto inside = [](double root) { return root > 0.0 && root <= 1.0; };
    double sign = c[0] > 0.0 ? 1.0 : -1.0;
    std::optional<double> expected;
    for (const double root : roots) {
      if (!inside(root)) continue;
      if (sign > 0.0 && !expected) expected = root;
      sign = -sign;
    }
    const auto found = first_fall(c);
    ASSERT_EQ(found.has_value(), expected.has_value()) << trial;
    if (!found) continue;
    // Rounding of the coefficients moves roots that are 1e-5 apart by some 1e-8; worst of these measured: 2e-8.
    EXPECT_NEAR(*found, *expected, 1e-7) << trial;
    EXPECT_EQ(first_fall(c, *expected - 1e-6).has_value(), false) << trial;
    EXPECT_TRUE(first_fall(c, std::min(1.0, *expected + 1e-6)).has_value()) << trial;
  }
}

TEST(PolynomialRoots, TellsATouchFromACrossing) {
  // (θ − ½)² ∓ d: with d = 1e-14 two roots 2e-7 apart, the first a fall; raised by as much, none.
  EXPECT_NEAR(first_fall(std::vector<double>{0.25 - 1e-14, -1.0, 1.0}).value_or(0.0), 0.5 - 1e-7, 1e-9);
  EXPECT_FALSE(first_fall(std::vector<double>{0.25 + 1e-14, -1.0, 1.0}).has_value());
  EXPECT_NEAR(first_minimum(std::vector<double>{0.25, -1.0, 1.0}).value_or(0.0), 0.5, 1e-15);
}

}  // namespace
}  // namespace saltus::test
