// Steady and effective amplitudes against sinusoids, sawteeth and parabolas; quantities that bend and jump.
#include "saltus/analysis/motions/amplitude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "saltus/analysis/motions/drifting_amplitude.hpp"
#include "saltus/analysis/response/linear_response.hpp"
#include "saltus/analysis/response/response.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

/// The kernels of a model with a quantity to measure.
struct Measured {
  std::shared_ptr<const Model> model;
  Setup setup;
  ObservedQuantity quantity;
  Kernels kernels;

  /// The quantity is the model's first observable.
  explicit Measured(const std::string& text)
      : model(read_model("model.toml", text).model),
        setup(*set_up(*model, "", {}).setup),
        quantity(model->observables.front().value.expr, *model),
        kernels(*model, {.observables = quantity.observables()}) {}

  Amplitudes from(const Vector& x, long periods, FlowMethod method) const {
    const FlowOptions options{.method = method};
    return amplitudes_from(kernels, quantity, options, setup.parameters, setup.forcing_period, x, periods).value();
  }
};

std::string observing(const std::string& model, const std::string& w) {
  return model + "[observe]\nw = \"" + w + "\"\n";
}

/// An elastic ball thrown up with v = 2 under g = 1 comes back after 4: the "period" of a load that does nothing.
constexpr const char* elastic_ball = R"toml(
[mechanics]
coordinates = ["z"]
mass  = [["1"]]
force = ["-1"]
[[contact]]
name = "floor"
gap = "z"
restitution = "1"
[forcing]
period = "4"
)toml";

TEST(Amplitude, OfAQuantityThatDriftsIsThatOfWhatRepeats) {
  // x'' = cos t from x = −1, x' = 1: x = t − cos t, which gains 2π in a period.
  const std::string model =
      "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"cos(t)\"]\n[forcing]\nperiod = \"2*pi\"\n";
  const auto measured = [&](const std::string& w, long periods) {
    const Measured of(observing(model, w));
    const Vector x = Vector{{-1.0, 1.0}};
    const Vector shift = Vector{{2.0 * std::numbers::pi * static_cast<double>(periods), 0.0}};
    const auto go_round = [&](PathFollower& follower) {
      FlowRun run;
      run.start = start_point(of.kernels, {}, x, LaneStepper::Carries::state);
      run.end = {periods, 0.0};
      run.period = of.setup.forcing_period;
      run.parameters = of.setup.parameters;
      run.follower = &follower;
      return flow(of.kernels, {}, run).outcome == Outcome::reached_end;
    };
    return amplitudes_of_period(of.kernels, of.setup.parameters, of.quantity, 0.0, x, shift, go_round).value();
  };
  for (const long periods : {1L, 2L, 7L}) {
    const Amplitudes position = measured("3*x", periods);
    EXPECT_NEAR(position.steady, 3.0, 1e-8) << periods;
    EXPECT_NEAR(position.effective, 3.0, 1e-8) << periods;
    EXPECT_TRUE(std::isnan(position.mean) && std::isnan(position.largest)) << periods;
    const Amplitudes velocity = measured("x'", periods);  // 1 + sin t
    EXPECT_NEAR(velocity.steady, 1.0, 1e-8) << periods;
    EXPECT_NEAR(velocity.mean, 1.0, 1e-8) << periods;
    EXPECT_NEAR(velocity.largest, 2.0, 1e-8) << periods;
    const Amplitudes turned = measured("sin(x)", periods);  // a whole turn in a period
    EXPECT_NEAR(turned.steady, 1.0, 1e-8) << periods;
    EXPECT_FALSE(std::isnan(turned.mean)) << periods;
    EXPECT_TRUE(std::isnan(measured("x^2", periods).steady)) << periods;
  }
}

TEST(Amplitude, ABouncingBallIsAParabolaAndItsVelocityASawtooth) {
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    // From the height 1.5 on its way up: v = 1. The top is 2, the mean 4/3, the mean square 8/15 · 4.
    const Vector start = Vector{{1.5, 1.0}};
    const Amplitudes height = Measured(observing(elastic_ball, "z")).from(start, 3, method);
    EXPECT_NEAR(height.steady, 1.0, 1e-9);
    EXPECT_NEAR(height.mean, 4.0 / 3.0, 1e-9);
    EXPECT_NEAR(height.effective, 2.0 * std::sqrt(8.0 / 45.0), 1e-9);
    const Amplitudes speed = Measured(observing(elastic_ball, "z'")).from(start, 3, method);
    EXPECT_NEAR(speed.steady, 2.0, 1e-9);
    EXPECT_NEAR(speed.effective, 2.0 * std::sqrt(2.0 / 3.0), 1e-9);
    EXPECT_NEAR(speed.mean, 0.0, 1e-9);
  }
}

constexpr const char* pair_without_clearance = R"toml(
[parameters]
w = 0.7
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "2"]]
force = ["0.4 + cos(w*t) - 0.2*x' - 2*x + y", "0.1*sin(2*w*t) - 0.1*y' + x - 3*y"]
[forcing]
period = "2*pi/w"
)toml";

TEST(Amplitude, TheResponseOfALinearSystemIsItsSteadyMotion) {
  const Measured m(observing(pair_without_clearance, "x"));
  FlowRun run;
  run.start = start_point(m.kernels, {}, Vector::Zero(4), LaneStepper::Carries::state);
  run.end = {400, 0.0};
  run.period = m.setup.forcing_period;
  run.parameters = m.setup.parameters;
  const Vector settled = flow(m.kernels, {}, run).end.x;
  const auto q = linear_response(m.kernels, m.setup.parameters, m.setup.forcing_period);
  EXPECT_LE((q(0.0) - settled.head(2)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LE((q(1.0) - q(0.0)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Response, SimulatedOscillatorHasTheAmplitudeOfTheFormulaWhateverTheSweep) {
  // |x| of ẍ + 2ζẋ + x = cos ηt: 1/√((1 − η²)² + (2ζη)²).
  const Measured m(observing(R"toml(
[parameters]
eta = 0.7
zeta = 0.2
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(eta*t) - 2*zeta*x' - x"]
[forcing]
period = "2*pi/eta"
)toml",
                             "x"));
  std::vector<RampValue> values;
  for (const double eta : {0.5, 0.7, 1.0, 1.4})
    values.push_back({{eta, 0.2}, 2.0 * std::numbers::pi / eta, Vector::Zero(2), 30.0, 12.0});
  for (const auto& ramps : {std::vector<Ramp>{{{0, 1, 2, 3}}}, std::vector<Ramp>{{{3, 2, 1, 0}}},
                            std::vector<Ramp>{{{0}}, {{1}}, {{2}}, {{3}}}}) {
    ResponseOptions options;
    std::size_t count = 0;
    options.found = [&](const ResponsePoint& point) {
      ++count;
      const double eta = values[ramps[point.ramp].values[point.place]].parameters[0];
      const double expected = 1.0 / std::hypot(1.0 - eta * eta, 0.4 * eta);
      EXPECT_NEAR(point.amplitudes.steady, expected, 1e-6);
      EXPECT_NEAR(point.amplitudes.effective, expected, 1e-6);
      EXPECT_EQ(point.period, 1U);
      EXPECT_EQ(point.stability, Stability::stable);
    };
    follow_responses(m.kernels, m.quantity, values, ramps, options);
    EXPECT_EQ(count, 4U);
  }
}

// ---- quantities with pieces of their own -----------------------------------------------------------------------------

/// x = cos t, x' = −sin t from (1, 0), for ever.
constexpr const char* free_oscillator = R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x"]
[forcing]
period = "2*pi"
)toml";

struct PiecewiseQuantity {
  const char* w;
  double mean, effective, largest, smallest;
};

TEST(Amplitude, WhereAQuantityBendsOrJumpsItsPiecesAreMeasuredApart) {
  const double pi = std::numbers::pi;
  const double overlap = std::sqrt(0.75) / pi - 1.0 / 6.0;  // mean of max(cos t − 1/2, 0): (√3/2 − π/6)/π
  const double square = (pi / 3.0 * 1.5 - 1.5 * std::sqrt(0.75)) / (2.0 * pi);  // of its square
  const PiecewiseQuantity cases[] = {
      {"abs(x)", 2.0 / pi, std::sqrt(2.0 * (0.5 - 4.0 / (pi * pi))), 1.0, 0.0},
      {"sign(x)", 0.0, std::sqrt(2.0), 1.0, -1.0},
      {"max(x, 0.5) - 0.5", overlap, std::sqrt(2.0 * (square - overlap * overlap)), 0.5, 0.0},
      // A window of 2e-3 of a period, which no step ends at: 1 for |t − 2| < π/500.
      {"if(abs(t - 2) < pi/500, 1, 0)", 2e-3, std::sqrt(2.0 * (2e-3 - 4e-6)), 1.0, 0.0},
      {"if(abs(abs(x) - 0.5) < 0.25, 1, -1)", 0.0, 0.0, 1.0, -1.0},
      {"x + 1e-3*abs(x')", 2e-3 / pi, 0.0, std::sqrt(1.0 + 1e-6), -1.0},
  };
  for (const PiecewiseQuantity& each : cases)
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
      const Amplitudes a = Measured(observing(free_oscillator, each.w)).from(Vector{{1.0, 0.0}}, 1, method);
      EXPECT_NEAR(a.largest, each.largest, 1e-9) << each.w;
      EXPECT_NEAR(a.smallest, each.smallest, 1e-9) << each.w;
      if (std::string(each.w).starts_with("if(abs(abs")) {
        // |x| in (1/4, 3/4): 4 (asin 3/4 − asin 1/4)/2π of the time.
        const double share = 2.0 / pi * (std::asin(0.75) - std::asin(0.25));
        EXPECT_NEAR(a.mean, 2.0 * share - 1.0, 1e-9);
        continue;
      }
      EXPECT_NEAR(a.mean, each.mean, 1e-9) << each.w;
      if (each.effective > 0.0) { EXPECT_NEAR(a.effective, each.effective, 1e-9) << each.w; }
    }
}

TEST(Amplitude, TheForceOfAStiffStopIsFoundHoweverShortTheBlow) {
  // The blow lasts 1e-3 of the period. The truth by a run with rtol 1e-13 and the maximum of the closed form between its switches.
  const Measured m(observing(R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(2*t) - x - 0.1*x' - if(x > 0, 1e6*x + 100*x', 0)"]
[forcing]
period = "pi"
)toml",
                             "if(x > 0, 1e6*x, 0)"));
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    FlowRun run;
    run.start = start_point(m.kernels, {}, Vector{{-0.2, 0.0}}, LaneStepper::Carries::state);
    run.end = {120, 0.0};
    run.period = m.setup.forcing_period;
    run.parameters = m.setup.parameters;
    const Vector settled = flow(m.kernels, {.method = method}, run).end.x;
    const Amplitudes a = m.from(settled, 1, method);
    EXPECT_NEAR(a.steady, 2119.39, 5e-3);
    EXPECT_NEAR(a.largest, 4238.783966, 1e-3);
    EXPECT_NEAR(a.smallest, 0.0, 1e-9);
  }
}

TEST(Amplitude, WhileABlockSticksItsFrictionIsWhatHoldsIt) {
  // x'' = −x − sign(x' − 1): sticking on the belt the friction −sign is x, so that x + sign(x' − 1) vanishes; slipping it is x − 1.
  const std::string belt = R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x - sign(x' - 1)"]
[forcing]
period = "0.5"
)toml";
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    const Amplitudes stuck = Measured(observing(belt, "x + sign(x' - 1)")).from(Vector{{0.0, 1.0}}, 1, method);
    EXPECT_NEAR(stuck.largest, 0.0, 1e-9);
    EXPECT_NEAR(stuck.smallest, 0.0, 1e-9);
    const Amplitudes friction = Measured(observing(belt, "-sign(x' - 1)")).from(Vector{{0.0, 1.0}}, 1, method);
    EXPECT_NEAR(friction.largest, 0.5, 1e-9);  // x = t
    EXPECT_NEAR(friction.mean, 0.25, 1e-9);
  }
}

// ---- parts and turning points ----------------------------------------------------------------------------------------

/// Meters of a function over θ = 0 … 1, with guards.
template <class Meter>
Meter measured(const std::function<double(double)>& w, const std::vector<std::function<double(double)>>& guards = {}) {
  SmoothParts parts(guards.size());
  Meter meter;
  const auto rows = [&](double theta, std::vector<double>& values) {
    values[0] = w(theta);
    for (std::size_t g = 0; g < guards.size(); ++g) values[g + 1] = guards[g](theta);
  };
  const auto exact = [&] { return std::vector<double>(guards.size() + 1, 0.0); };
  parts.cut(1.0, rows, exact, std::vector<char>(guards.size(), 0), [&](const SmoothPart& part) { meter.add(part); });
  return meter;
}

TEST(SmoothParts, AJumpThatNoGuardTellsOfIsFoundByHalving) {
  const auto w = [](double theta) { return theta < 0.37123 ? theta : 5.0 - theta; };
  const Amplitudes a = measured<AmplitudeMeter>(w).amplitudes();
  EXPECT_NEAR(a.largest, 5.0 - 0.37123, 1e-10);
  EXPECT_NEAR(a.smallest, 0.0, 1e-12);
  const double mean = 0.5 * 0.37123 * 0.37123 + 5.0 * (1.0 - 0.37123) - 0.5 * (1.0 - 0.37123 * 0.37123);
  EXPECT_NEAR(a.mean, mean, 1e-10);
}

TEST(SmoothParts, WhatCannotBeResolvedIsNoNumber) {
  // 1e5 waves in one piece: no 400 parts resolve them.
  const Amplitudes a = measured<AmplitudeMeter>([](double theta) { return std::sin(6e5 * theta); }).amplitudes();
  EXPECT_TRUE(std::isnan(a.steady));
  EXPECT_TRUE(std::isnan(a.mean));
}

TEST(SmoothParts, RoundingOfAQuantityIsNoFeature) {
  int calls = 0;
  const auto w = [&](double theta) {
    ++calls;
    return (1e8 + std::sin(3.0 * theta)) - 1e8;  // known to 1.5e-8
  };
  const Amplitudes a = measured<AmplitudeMeter>(w).amplitudes();
  EXPECT_NEAR(a.largest, 1.0, 1e-7);
  EXPECT_LT(calls, 1000);
}

TEST(SmoothParts, RandomFunctionsHaveTheExtremesOfADenseSearch) {
  std::mt19937 random(20261);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    double a[6];
    for (double& each : a) each = number(random);
    const double place = 0.5 + 0.4 * a[5];
    const auto smooth = [&](double theta) {
      return a[0] * std::sin(9.0 * theta + a[1]) + a[2] * std::exp(a[3] * theta) + a[4] * theta * theta;
    };
    const auto guard = [&](double theta) { return smooth(theta) - smooth(place); };
    const auto w = [&](double theta) { return std::abs(guard(theta)) + 0.3 * smooth(theta); };
    const Amplitudes found = measured<AmplitudeMeter>(w, {guard}).amplitudes();
    double largest = -1e300, smallest = 1e300, sum = 0.0;
    constexpr int dense = 20000;
    for (int i = 0; i <= dense; ++i) {
      const double value = w(static_cast<double>(i) / dense);
      largest = std::max(largest, value);
      smallest = std::min(smallest, value);
      sum += (i == 0 || i == dense ? 0.5 : 1.0) * value / dense;
    }
    EXPECT_GE(found.largest, largest - 1e-11);
    EXPECT_LE(found.smallest, smallest + 1e-11);
    EXPECT_NEAR(found.largest, largest, 1e-3 / dense * 100.0);
    EXPECT_NEAR(found.smallest, smallest, 20.0 / dense);
    EXPECT_NEAR(found.mean, sum, 1e-6);
  }
}

TEST(TurningPoints, AreThoseOfTheWavesAndNotOfTheirRounding) {
  const double pi = std::numbers::pi;
  const auto turns = measured<TurningPoints>([&](double theta) { return std::sin(6.0 * pi * theta); }).values();
  ASSERT_EQ(turns.size(), 6U);
  for (std::size_t i = 0; i < turns.size(); ++i) EXPECT_NEAR(turns[i], i % 2 == 0 ? 1.0 : -1.0, 1e-12);
  // At rest but for rounding, and then one wave.
  const auto late = [&](double theta) {
    return theta < 0.5 ? 1e-15 * std::sin(300.0 * theta) : std::sin(2.0 * pi * theta);
  };
  const auto one = measured<TurningPoints>(late, {[](double theta) { return theta - 0.5; }}).values();
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NEAR(one[0], -1.0, 1e-12);
}

}  // namespace
}  // namespace saltus::test
