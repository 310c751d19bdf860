#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "saltus/analysis/motions/ramps.hpp"
#include "saltus/analysis/motions/signature.hpp"
#include "saltus/analysis/motions/tiles.hpp"
#include "tests/support/impact_oscillator_closed_form.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;

std::shared_ptr<const Model> model_of(const char* file) {
  const ModelReading reading = read_model_file(std::string("examples/") + file + ".toml");
  EXPECT_TRUE(reading.model);
  return reading.model;
}

Setup setup_of(const Model& model, const std::vector<Assignment>& assignments, const std::string& name = "") {
  SetupReading reading = set_up(model, name, assignments);
  EXPECT_TRUE(reading.setup);
  return *reading.setup;
}

Vector state_of(const Setup& setup) {
  return Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size()));
}

/// Tiles 0 … count − 1 of three points each; keeps what comes back.
class Collected final : public TileSource {
 public:
  explicit Collected(std::size_t count) : count_(count) {}
  std::optional<Tile> next() override {
    if (next_ == count_) return std::nullopt;
    const std::size_t k = next_++;
    return Tile{k, 3 * k, 3};
  }
  void done(const Tile& tile, std::vector<double>&& numbers) override { results[tile.index] = std::move(numbers); }
  std::map<std::size_t, std::vector<double>> results;

 private:
  std::size_t count_;
  std::size_t next_ = 0;
};

TEST(Tiles, NumbersDoNotDependOnLanesThreadsOrOrder) {
  const auto model = model_of("impact_oscillator");
  KernelOptions wanted;
  wanted.state_columns = 1;
  const unsigned width = host().lanes;
  const Kernels kernels(*model, wanted, {1, width});
  TileOptions options;
  options.numbers = 2;
  options.start = [&](std::size_t point) -> std::optional<PointStart> {
    if (point == 4) return std::nullopt;  // as a state inside an obstacle
    const auto setup = setup_of(*model, {{"omega", std::to_string(2.5 + 0.05 * static_cast<double>(point))}});
    return PointStart{
        {state_of(setup), setup.parameters, setup.forcing_period}, 10.0, 20.0 + static_cast<double>(point)};
  };
  options.measure = [](const MotionRun* motion, std::span<double> numbers) {
    if (!motion) return;
    numbers[0] = motion->spectrum().exponents.values.front();
    numbers[1] = motion->spectrum().end.x[0];
  };
  Collected reference(4);
  compute_tiles(kernels, options, reference);
  ASSERT_EQ(reference.results.size(), 4U);
  EXPECT_EQ(reference.results[1][2], 0.0);  // the point without a motion
  for (const unsigned threads : {1U, 3U}) {
    options.width = width;
    options.threads = threads;
    Collected wide(4);
    const LaneUse use = compute_tiles(kernels, options, wide);
    EXPECT_EQ(wide.results, reference.results);
    EXPECT_GT(use.busy, 0);
    EXPECT_LE(use.busy, use.slots);
  }
}

TEST(Tiles, OneColumnGivesTheLargestOfAllExponents) {
  const auto model = model_of("impact_oscillator");
  const auto setup = setup_of(*model, {{"omega", "2.6"}});
  MotionOptions options;
  options.transient = 100.0;
  options.length = 200.0;
  KernelOptions one;
  one.state_columns = 1;
  const Kernels all_kernels(*model, {});
  const Kernels one_kernel(*model, one);
  const auto largest = [&](const Kernels& kernels) {
    MotionRun motion(kernels, {state_of(setup), setup.parameters, setup.forcing_period}, options);
    FlowRun run;
    while (motion.next(run)) motion.take(flow(kernels, options.flow, run));
    return motion.spectrum();
  };
  const LyapunovSpectrum all = largest(all_kernels);
  const LyapunovSpectrum alone = largest(one_kernel);
  ASSERT_EQ(alone.exponents.values.size(), 1U);
  EXPECT_EQ(alone.verdict.period, 1U);
  // A stable focus: both exponents are half of the sum, ln e² / T − 2ζ, and one column turns round it within 1/time.
  const double expected = std::log(0.8) / setup.forcing_period - 0.05;
  EXPECT_NEAR(alone.exponents.values.front(), expected, 1.0 / alone.time);
  EXPECT_NEAR(all.exponents.values.front() + all.exponents.values.back(), 2.0 * expected, 1e-9);
}

/// The period of the motion at one acceleration of the vibrating table after following it up from 1.
std::vector<std::size_t> periods_along(const std::vector<double>& accelerations, Crossing way) {
  const auto model = model_of("vibrating_table");
  KernelOptions wanted;
  wanted.state_columns = 0;
  const Kernels kernels(*model, wanted);
  std::vector<RampValue> values;
  for (const double A : accelerations) {
    const auto setup = setup_of(*model, {{"A", std::to_string(A)}}, "period1");
    values.push_back({setup.parameters, setup.forcing_period, state_of(setup), 600.0, 40.0});
  }
  Ramp ramp;
  for (std::size_t i = 0; i < values.size(); ++i)
    ramp.values.push_back(way == Crossing::up ? i : values.size() - 1 - i);
  std::vector<std::size_t> periods(values.size());
  RampOptions options;
  options.observe = [](const std::vector<RecordedPoint>&, const RampValue&) { return std::vector<double>(); };
  options.found = [&](const RampResult& found) { periods[ramp.values[found.place]] = found.verdict.period; };
  follow_ramps(kernels, values, {ramp}, options);
  return periods;
}

TEST(Ramps, TheVibratingTableDoublesItsPeriodAtTheClosedFormAcceleration) {
  const double e = 0.8;
  const double critical =
      std::hypot(pi * (1.0 - e) / (1.0 + e), 2.0 * (1.0 + e * e) / ((1.0 + e) * (1.0 + e)));  // 1.0708
  const std::vector<double> accelerations = {critical - 0.02, critical - 0.01, critical + 0.01, critical + 0.02};
  EXPECT_EQ(periods_along(accelerations, Crossing::up), (std::vector<std::size_t>{1, 1, 2, 2}));
  EXPECT_EQ(periods_along(accelerations, Crossing::down), (std::vector<std::size_t>{1, 1, 2, 2}));
}

/// Period and impacts per forcing period of the impact oscillator along a ramp in one parameter.
struct Along {
  std::vector<std::size_t> periods;
  std::vector<double> impacts;
};
Along oscillator_along(const std::string& parameter, const std::vector<double>& at, const std::string& omega) {
  const auto model = model_of("impact_oscillator");
  KernelOptions wanted;
  wanted.state_columns = 0;
  const Kernels kernels(*model, wanted);
  std::vector<RampValue> values;
  Ramp ramp;
  for (const double value : at) {
    const auto setup = setup_of(*model, {{"omega", omega}, {parameter, fmt::format("{:.17g}", value)}});
    ramp.values.push_back(values.size());
    values.push_back({setup.parameters, setup.forcing_period, state_of(setup), 400.0, 40.0});
  }
  Along along;
  RampOptions options;
  options.observe = [](const std::vector<RecordedPoint>&, const RampValue&) { return std::vector<double>(); };
  options.found = [&](const RampResult& found) {
    along.periods.push_back(found.verdict.period);
    along.impacts.push_back(found.impacts_per_unit_time * values[ramp.values[found.place]].period);
  };
  follow_ramps(kernels, values, {ramp}, options);
  return along;
}

TEST(Ramps, TheImpactOscillatorDoublesItsPeriodAtTheClosedFormFrequency) {
  // At sigma = 0 the trace does not depend on the speed: a multiplier is −1 where tr + 1 + det = 0.
  const auto distance = [](double omega) {
    test::ImpactOscillator at{.omega = omega};
    return at.trace(1.0) + 1.0 + at.determinant();
  };
  double below = 2.5;
  double above = 2.8;
  ASSERT_GT(distance(below), 0.0);
  ASSERT_LT(distance(above), 0.0);
  for (int i = 0; i < 60; ++i) (distance(0.5 * (below + above)) > 0.0 ? below : above) = 0.5 * (below + above);
  const Along along = oscillator_along("omega", {below - 0.01, below - 0.005, below + 0.005, below + 0.01}, "2");
  EXPECT_EQ(along.periods, (std::vector<std::size_t>{1, 1, 2, 2}));
}

TEST(Ramps, ImpactsOfTheOscillatorBeginWhereItsAmplitudeGrazesTheStop) {
  const double R = test::ImpactOscillator{.omega = 2.0}.amplitude();
  const Along along = oscillator_along("sigma", {1.01 * R, 1.001 * R, 0.999 * R, 0.99 * R}, "2");
  EXPECT_EQ(along.impacts[0], 0.0);
  EXPECT_EQ(along.impacts[1], 0.0);
  EXPECT_GT(along.impacts[2], 0.0);
  EXPECT_GT(along.impacts[3], 0.0);
}

TEST(Ramps, GoOnFromWhatAnEarlierRunFoundWithTheSameResult) {
  const auto model = model_of("impact_oscillator");
  KernelOptions wanted;
  wanted.state_columns = 0;
  const Kernels kernels(*model, wanted);
  std::vector<RampValue> values;
  for (int i = 0; i < 6; ++i) {
    const auto setup = setup_of(*model, {{"omega", std::to_string(2.70 + 0.01 * i)}});
    values.push_back({setup.parameters, setup.forcing_period, state_of(setup), 20.0, 10.0});
  }
  const std::vector<Ramp> ramps = {{{0, 1, 2, 3, 4, 5}}};
  std::vector<RampResult> whole;
  RampOptions options;
  options.motion.recording = {Recording::Of::section};
  options.observe = [](const std::vector<RecordedPoint>& recorded, const RampValue&) {
    std::vector<double> numbers;
    for (const RecordedPoint& point : recorded) numbers.push_back(point.x_minus[0]);
    return numbers;
  };
  options.found = [&](const RampResult& found) { whole.push_back(found); };
  follow_ramps(kernels, values, ramps, options);
  ASSERT_EQ(whole.size(), 6U);
  EXPECT_EQ(whole.front().points.size(), 10U);
  std::vector<RampResult> rest;
  options.next = [&, given = false]() mutable -> std::optional<RampStart> {
    if (std::exchange(given, true)) return std::nullopt;
    return RampStart{0, 4, whole[3].end};
  };
  options.found = [&](const RampResult& found) { rest.push_back(found); };
  follow_ramps(kernels, values, ramps, options);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[1].end, whole[5].end);
  EXPECT_EQ(rest[1].points, whole[5].points);
}

TEST(Ramps, AStateInsideAnObstacleIsMovedOntoIt) {
  const auto model = model_of("impact_oscillator");
  KernelOptions wanted;
  wanted.state_columns = 0;
  const Kernels kernels(*model, wanted);
  const auto setup = setup_of(*model, {{"sigma", "0.25"}});
  const Vector inside = (Vector(2) << 0.4, -1.0).finished();
  EXPECT_CLOSE(admissible(kernels, setup.parameters, inside)[0], 0.25, rounding(4));
  const Vector outside = (Vector(2) << 0.2, -1.0).finished();
  EXPECT_EQ(admissible(kernels, setup.parameters, outside), outside);
}

/// Below the torque 1 the pendulum rests in the corner psi = (pi/2, 0, 0); above, link 1 turns for ever. Exactly 1 because the
/// gravity torque of link 1 with all it carries is sin(psi1) in these units, at most 1.
TEST(Ramps, TheEquilibriumOfTheTorqueModelIsLostAtOne) {
  const auto model = model_of("triple_pendulum_torque");
  KernelOptions wanted;
  wanted.state_columns = 0;
  wanted.surfaces = {model->section->surface.expr};
  const Kernels kernels(*model, wanted);
  std::vector<RampValue> values;
  for (const char* q1 : {"0.9", "0.99", "1.01"}) {
    const auto setup = setup_of(*model, {{"q1", q1}, {"psi1", "pi/2 + 0.05"}, {"psi2", "0"}, {"psi3", "0"}});
    values.push_back({setup.parameters, 0.0, state_of(setup), 8000.0, 50.0});
  }
  std::vector<MotionKind> kinds;
  RampOptions options;
  options.motion.section = Watch{0, model->section->direction, 2.0 * pi};
  options.observe = [](const std::vector<RecordedPoint>&, const RampValue&) { return std::vector<double>(); };
  options.found = [&](const RampResult& found) { kinds.push_back(found.verdict.kind); };
  follow_ramps(kernels, values, {{{0, 1, 2}}}, options);
  ASSERT_EQ(kinds.size(), 3U);
  EXPECT_EQ(kinds[0], MotionKind::equilibrium);
  EXPECT_EQ(kinds[1], MotionKind::equilibrium);
  EXPECT_NE(kinds[2], MotionKind::equilibrium);
}

/// The same bound to nine digits: in the corner itself the contact of the tip holds below 1, and lets go above.
TEST(Ramps, TheCornerOfTheTorqueModelHoldsBelowOneAndLetsGoAboveIt) {
  const auto model = model_of("triple_pendulum_torque");
  KernelOptions wanted;
  wanted.state_columns = 0;
  const Kernels kernels(*model, wanted);
  const auto moved = [&](const char* q1) {
    const auto setup = setup_of(*model, {{"q1", q1}, {"psi1", "pi/2"}, {"psi2", "0"}, {"psi3", "0"}});
    const Vector x = state_of(setup);
    const FlowRun run{.start = start_point(kernels, {}, x, LaneStepper::Carries::state),
                      .end = {0, 10.0},
                      .parameters = setup.parameters};
    return flow(kernels, {}, run).end.x[0] - x[0];
  };
  EXPECT_LE(std::abs(moved("1 - 1e-9")), 1e-12);
  EXPECT_GT(moved("1 + 1e-9"), 1e-10);  // it creeps away with the acceleration 10⁻⁹ times a mass below 1
}

/// Above its Hopf bifurcation the valve comes to rest: then its velocity is rounding, and the section is met by chance or never.
TEST(Ramps, ReturnsAreNotWaitedForWhereTheReliefValveComesToRest) {
  const auto model = model_of("relief_valve");
  KernelOptions wanted;
  wanted.state_columns = 0;
  wanted.surfaces = {model->section->surface.expr};
  const Kernels kernels(*model, wanted);
  std::vector<RampValue> values;
  for (const char* q : {"4", "9.3", "10"}) {
    const auto setup = setup_of(*model, {{"q", q}});
    values.push_back({setup.parameters, 0.0, state_of(setup), 1024.0, 32.0});
  }
  std::vector<MotionKind> kinds;
  std::vector<std::size_t> counts;
  RampOptions options;
  options.motion.flow.rtol = 1e-10;
  options.motion.flow.atol = 1e-10;
  options.motion.unit = MotionOptions::Unit::returns;
  options.motion.section = Watch{0, model->section->direction, 0.0};
  options.motion.recording = {Recording::Of::section};
  options.observe = [](const std::vector<RecordedPoint>& points, const RampValue&) {
    return std::vector<double>{static_cast<double>(points.size())};
  };
  options.found = [&](const RampResult& found) {
    kinds.push_back(found.verdict.kind);
    counts.push_back(static_cast<std::size_t>(found.points.front()));
  };
  follow_ramps(kernels, values, {{{0}}, {{1}}, {{2}}}, options);
  EXPECT_EQ(kinds, (std::vector<MotionKind>{MotionKind::periodic, MotionKind::equilibrium, MotionKind::equilibrium}));
  EXPECT_EQ(counts.front(), 32U);
}

TEST(Signature, DoesNotDependOnTheFirstPointOfAnOrbitAndReadsBack) {
  LyapunovSpectrum a;
  a.outcome = Outcome::reached_end;
  a.verdict = {MotionKind::periodic, 2, 0, ""};
  const Vector p = (Vector(2) << 0.3, -1.0).finished();
  const Vector q = (Vector(2) << 7.0, 0.5).finished();
  a.section_points = {p, q, p, q};
  a.sizes = {(Vector(2) << 6.7, 1.5).finished(), Vector::Zero(2)};
  LyapunovSpectrum b = a;
  const Vector turned = (Vector(2) << 0.3 + 2.0 * pi, -1.0).finished();
  b.section_points = {q, p, q, turned};
  const Translations angle = Translations::of_angles(2, {2.0 * pi});
  const Signature first = signature_of(a, angle);
  EXPECT_TRUE(same_attractor(first, signature_of(b, angle)));
  EXPECT_FALSE(same_attractor(first, signature_of(b, {})));
  std::vector<double> numbers(Signature::size(2));
  first.write(numbers);
  EXPECT_TRUE(same_attractor(first, Signature::read(numbers)));
  EXPECT_EQ(Signature::read(numbers).period, 2U);
  b.verdict.period = 4;
  EXPECT_FALSE(same_attractor(first, signature_of(b, angle)));
}

}  // namespace
}  // namespace saltus
