// Steady and effective amplitudes against sinusoids, sawteeth and parabolas.
#include "saltus/analysis/amplitude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/linear_response.hpp"
#include "saltus/analysis/response.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

Amplitudes of_a_sine(int pieces) {
  // w = 5 + 3 sin t over one period: both amplitudes are 3.
  AmplitudeMeter meter;
  const double h = 2.0 * std::numbers::pi / pieces;
  for (int i = 0; i < pieces; ++i) {
    const auto end = [](double t) { return AmplitudeMeter::End{5.0 + 3.0 * std::sin(t), 3.0 * std::cos(t)}; };
    meter.add_cubic(h, end(0.3 + i * h), end(0.3 + (i + 1) * h));
  }
  return meter.amplitudes();
}

TEST(Amplitude, BothAmplitudesOfASinusoidAreItsOwnWithTheFourthPowerOfThePieces) {
  const Amplitudes coarse = of_a_sine(16);
  const Amplitudes fine = of_a_sine(32);
  EXPECT_NEAR(std::log2((3.0 - coarse.effective) / (3.0 - fine.effective)), 4.0, 0.3);
  EXPECT_NEAR(fine.steady, 3.0, 1e-4);
  EXPECT_NEAR(of_a_sine(256).steady, 3.0, 1e-8);
  EXPECT_NEAR(of_a_sine(256).effective, 3.0, 1e-8);
  EXPECT_CLOSE(fine.mean, 5.0, rounding(20));
}

/// The kernels of a model with a quantity to measure.
struct Measured {
  std::shared_ptr<const Model> model;
  Setup setup;
  Kernels kernels;

  Measured(const std::string& text, const std::string& coordinate, bool rate)
      : model(read_model("model.toml", text).model),
        setup(*set_up(*model, "", {}).setup),
        kernels(*model, {.observables = QuantityMeter::observables(quantity(coordinate, rate), *model)}) {}

  Expr quantity(const std::string& name, bool rate) const {
    for (std::size_t i = 0; i < model->n(); ++i)
      if (model->coordinates[i] == name) return rate ? model->v[i] : model->q[i];
    throw std::runtime_error(name);
  }
  Amplitudes from(const Vector& x, long periods, FlowMethod method, std::size_t samples = 128) const {
    FlowOptions options{.method = method};
    return amplitudes_from(kernels, options, setup.parameters, setup.forcing_period, x, periods, samples).value();
  }
};

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

TEST(Amplitude, ABouncingBallIsAParabolaAndItsVelocityASawtooth) {
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
    // From the height 1.5 on its way up: v = 1. The top is 2, the mean 4/3, the mean square 8/15 · 4. The impact lies inside a
    // period and inside a piece; without its break the sawtooth would be off by a part of a piece.
    const Vector start = Vector{{1.5, 1.0}};
    const Amplitudes height = Measured(elastic_ball, "z", false).from(start, 3, method, 31);
    EXPECT_NEAR(height.steady, 1.0, 1e-9);
    EXPECT_NEAR(height.mean, 4.0 / 3.0, 1e-9);
    EXPECT_NEAR(height.effective, 2.0 * std::sqrt(8.0 / 45.0), 1e-9);
    const Amplitudes speed = Measured(elastic_ball, "z", true).from(start, 3, method, 31);
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
  const Measured m(pair_without_clearance, "x", false);
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
  const Measured m(R"toml(
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
                   "x", false);
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
    follow_responses(m.kernels, values, ramps, options);
    EXPECT_EQ(count, 4U);
  }
}

}  // namespace
}  // namespace saltus::test
