// Every analysis as a program that links the library asks for it, against closed forms. The same tests run in the build without LLVM, TBB,
// MPI and NetCDF.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <saltus/saltus.hpp>

#include "tests/support/tolerance.hpp"

namespace {

using namespace saltus::test;
using saltus::vary;
constexpr double pi = std::numbers::pi;

// x'' + c x' + x = F cos(2t)
const std::string driven = R"toml(
[parameters]
c = 0.2
F = 1
omega = 2
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["F*cos(omega*t) - c*x' - x"]
[forcing]
period = "2*pi/omega"
)toml";

// Its periodic motion is the real part of F response(ω) exp(iωt).
std::complex<double> response(double omega) { return 1.0 / std::complex(1.0 - omega * omega, 0.2 * omega); }

const std::string two_wells = R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["x - x^3 - x'"]
[initial]
x = 0.5
)toml";

const std::string damped = R"toml(
[parameters]
c = 2.5
k = 1
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-c*x' - k*x"]
[initial]
x = 1
)toml";

const std::string ball = R"toml(
[mechanics]
coordinates = ["z"]
mass = [["1"]]
force = ["-9.81"]
[[contact]]
name = "floor"
gap = "z"
restitution = 0.8
[section]
surface = "z'"
direction = "down"
[initial]
z = 1
)toml";

template <class Request>
Request request_of(const std::string& text) {
  Request request;
  request.model = "model.toml";
  request.text = text;
  request.options.threads = 1;
  return request;
}

template <class Request>
Request long_run(const std::string& text, double transient, double length) {
  Request request = request_of<Request>(text);
  request.transient = transient;
  const bool forced = text.find("[forcing]") != std::string::npos;
  (forced ? request.periods : request.time) = length;
  return request;
}

TEST(Library, TellsWhereAModelIsWrong) {
  const saltus::ModelReading reading = saltus::read_model("wrong.toml", "[mechanics]\ncoordinates = [\"x\"]\n");
  EXPECT_EQ(reading.model, nullptr);
  EXPECT_FALSE(reading.diagnostics.empty());
  try {
    run(request_of<saltus::SimulateRequest>("[mechanics]\ncoordinates = [\"x\"]\n"));
    FAIL();
  } catch (const saltus::ModelError& error) {
    EXPECT_EQ(error.code(), saltus::ExitCode::model);
    EXPECT_THAT(error.what(), testing::HasSubstr("model.toml:1"));
  }
}

TEST(Library, FollowsAMotionWithItsTangent) {
  saltus::Request request{.model = "model.toml", .text = damped, .case_name = "", .assignments = {{"c", "0"}}};
  const saltus::PreparedModel model = prepared(request);
  const saltus::Kernels kernels(*model.model, {});
  saltus::FlowRun run;
  run.start = start_point(kernels, {}, initial_state(model), saltus::LaneStepper::Carries::state_and_tangent);
  run.end = {0, 1.0};
  run.parameters = model.setup.parameters;
  const saltus::FlowPoint end = flow(kernels, {}, run).end;
  const saltus::Matrix turned{{std::cos(1.0), std::sin(1.0)}, {-std::sin(1.0), std::cos(1.0)}};
  EXPECT_CLOSE(end.x, turned.col(0), integration(1e-10, 10.0));
  EXPECT_CLOSE(end.tangent, turned, integration(1e-9, 10.0));
}

TEST(Library, HasTheMethodOfTheProgramAsItsDefault) {
  EXPECT_EQ(saltus::FlowOptions{}.method, saltus::FlowMethod::automatic);
  saltus::SimulateRequest request = request_of<saltus::SimulateRequest>(ball);
  request.time = 1.0;
  EXPECT_EQ(run(request).options.method, saltus::FlowOptions{}.method);
}

TEST(Library, SimulatesABallThatComesToRestAtTheSumOfItsFlights) {
  saltus::SimulateRequest request = request_of<saltus::SimulateRequest>(ball);
  request.time = 5.0;
  const saltus::SimulateResult result = run(request);
  ASSERT_TRUE(result.complete());
  EXPECT_EQ(result.flow.end.x.norm(), 0.0);
  const double rest = std::sqrt(2.0 / 9.81) * (1.0 + 0.8) / (1.0 - 0.8);
  EXPECT_CLOSE(result.flow.events.back().t, rest, integration(1e-10, 10.0));
}

TEST(Library, TakesTheSpectrumOfALinearSystemFromItsEigenvalues) {
  const saltus::LyapunovResult result = run(long_run<saltus::LyapunovRequest>(damped, 60.0, 60.0));
  EXPECT_CLOSE(result.spectra.at(0).exponents.values, (std::vector{-0.5, -2.0}), integration(1e-8, 10.0));
  EXPECT_EQ(result.spectra[0].verdict.kind, saltus::MotionKind::equilibrium);
}

TEST(Library, MarksTheTopsOfFlightsOnASection) {
  saltus::SectionRequest request = request_of<saltus::SectionRequest>(ball);
  request.time = 3.0;
  const saltus::SectionResult result = run(request);
  const auto& points = result.tracks.at(0).section.points;
  ASSERT_GT(points.size(), 3U);
  for (std::size_t k = 1; k < points.size(); ++k)
    EXPECT_CLOSE(points[k].x[0], points[k - 1].x[0] * 0.8 * 0.8, integration(1e-10, 10.0));
}

TEST(Library, DrawsADiagramOfALinearResponse) {
  saltus::DiagramRequest request = long_run<saltus::DiagramRequest>(driven, 60.0, 5.0);
  request.vary = {vary("F", 1.0, 2.0, 3)};
  const saltus::DiagramResult result = run(request);
  const auto& values = result.branches.at(0).results;
  ASSERT_EQ(values.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    for (const double x : values[i].points)
      EXPECT_CLOSE(x, result.range.at(i) * response(2.0).real(), integration(1e-8, 10.0));
}

TEST(Library, MapsExponentsOverTwoParameters) {
  saltus::MapRequest request = long_run<saltus::MapRequest>(damped, 10.0, 60.0);
  request.vary = {vary("c", 2.5, 3.0, 2), vary("k", 1.0, 1.2, 2)};
  const saltus::MapResult result = run(request);
  std::size_t seen = 0;
  result.numbers.for_each([&](std::size_t point, std::span<const double> numbers) {
    const std::vector<double> at = result.numbers.grid.at(point);
    EXPECT_CLOSE(numbers[0], (-at[0] + std::sqrt(at[0] * at[0] - 4.0 * at[1])) / 2.0, integration(1e-6, 10.0));
    ++seen;
  });
  EXPECT_EQ(seen, 4U);
}

TEST(Library, SharesAPlaneOfStartsBetweenTwoWellsByTheirSymmetry) {
  saltus::BasinRequest request = long_run<saltus::BasinRequest>(two_wells, 60.0, 20.0);
  request.vary = {vary("x", -1.5, 1.5, 6), vary("x'", -1.0, 1.0, 6)};
  const saltus::BasinResult result = run(request);
  ASSERT_EQ(result.attractors.size(), 2U);
  for (const saltus::BasinAttractor& attractor : result.attractors) {
    EXPECT_EQ(attractor.share, 0.5);
    EXPECT_CLOSE(std::abs(attractor.spectrum.end.x[0]), 1.0, integration(1e-8, 1.0));
  }
}

TEST(Library, FindsAPeriodicOrbitWithItsMultipliers) {
  saltus::OrbitRequest request = request_of<saltus::OrbitRequest>(driven);
  const saltus::OrbitResult result = run(request);
  ASSERT_EQ(result.orbits.size(), 1U);
  const saltus::PeriodicOrbit& orbit = result.orbits[0].orbit;
  EXPECT_CLOSE(orbit.x[0], response(2.0).real(), integration(1e-10, 10.0));
  EXPECT_TRUE(orbit.stable);
  ASSERT_EQ(orbit.multipliers.size(), 2U);
  for (const saltus::Multiplier& multiplier : orbit.multipliers)
    EXPECT_CLOSE(std::abs(multiplier.value), std::exp(-0.1 * pi), integration(1e-9, 10.0));
}

TEST(Library, ContinuesABranchOfOrbits) {
  saltus::ContinueRequest request = request_of<saltus::ContinueRequest>(driven);
  request.vary = {vary("F", 1.0, 2.0)};
  request.period = 1;
  const saltus::ContinueResult result = run(request);
  ASSERT_TRUE(result.complete()) << stop_message(result);
  ASSERT_GT(result.branch.points.size(), 2U);
  for (const saltus::BranchPoint& point : result.branch.points)
    EXPECT_CLOSE(point.x()[0], point.parameter * response(2.0).real(), integration(1e-9, 10.0));
  EXPECT_EQ(result.branch.points.front().parameter, 1.0);
  EXPECT_EQ(result.branch.points.back().parameter, 2.0);
}

TEST(Library, MeasuresAmplitudesOverAFrequency) {
  saltus::ResponseRequest request = long_run<saltus::ResponseRequest>(driven, 0.0, 4.0);
  request.transient = 60.0;
  request.vary = {vary("omega", 0.5, 2.0, 4)};
  const saltus::ResponseResult result = run(request);
  const auto& points = result.curves.at(0).points;
  ASSERT_EQ(points.size(), 4U);
  for (const saltus::ResponseEntry& point : points)
    EXPECT_CLOSE(point.amplitudes.steady, std::abs(response(point.parameter)), integration(1e-5, 1.0));
}

TEST(Library, ContinuesAResponseWithTheModelThatItHasRead) {
  const std::string file = testing::TempDir() + "saltus_response_test.toml";
  std::ofstream(file) << driven;
  saltus::ResponseRequest request;
  request.model = file;
  request.options.threads = 1;
  request.periods = 16;
  request.transient = 200;
  request.vary = {vary("omega", 0.5, 2.0, 3)};
  request.continued = true;
  request.advanced = [&](const saltus::SweepProgress&) { std::filesystem::remove(file); };
  const saltus::ResponseResult result = run(request);
  ASSERT_EQ(result.curves.size(), 2U) << stop_message(result);
  EXPECT_GT(result.curves[1].points.size(), 5U);
  for (const saltus::ResponseEntry& point : result.curves[1].points)
    EXPECT_CLOSE(point.amplitudes.steady, std::abs(response(point.parameter)), integration(1e-7, 10.0));
}

TEST(Library, KnowsTheCriticalRestitutionOfMathieusEquation) {
  saltus::HillRequest request;
  request.model = "examples/mathieu_stop.toml";
  request.options.threads = 1;
  const saltus::HillResult result = run(request);
  ASSERT_TRUE(result.point);
  // The text of the example, from Leine 2012.
  EXPECT_CLOSE(result.point->stability.discriminant, -2.6124, printed("-2.6124"));
  EXPECT_CLOSE(result.point->stability.critical_restitution, 0.4659, printed("0.4659"));
  request.vary = {vary("alpha", 0.0, 2.0, 3), vary("beta", 0.0, 0.5, 2)};
  EXPECT_EQ(run(request).chart.critical_restitution.size(), 6U);
}

// m l² φ'' = −m g l sin φ.
TEST(Library, ShowsTheStagesBetweenModelAndCode) {
  saltus::ShowRequest request;
  request.model = "model.toml";
  request.text = ball;
  const saltus::ShowResult model = run(request);
  const auto shown = [&](const std::string& name) {
    return *std::find_if(model.expressions.begin(), model.expressions.end(),
                         [&](const auto& e) { return e.name == name; });
  };
  EXPECT_TRUE(shown("force on z").expr.is_constant(-9.81));
  EXPECT_EQ(shown("gap of floor").span.line, 8);
  EXPECT_THAT(to_text(model), testing::HasSubstr("= -9.81\n"));
  request.stage = saltus::Stage::kernel;
  request.kernel = "field";
  const saltus::ShowResult kernel = run(request);
  ASSERT_EQ(kernel.kernels.size(), 1U);
  EXPECT_EQ(kernel.kernels[0].program.outputs.size(), 2U);  // z' and z''
  EXPECT_EQ(to_json(kernel)["kernels"][0]["instructions"], kernel.kernels[0].program.code.size());
}

TEST(Library, NamesSettingsInItsMessagesNotOptionsOfACommandLine) {
  try {
    run(request_of<saltus::SimulateRequest>(ball));
    FAIL();
  } catch (const saltus::Error& error) {
    EXPECT_STREQ(error.what(), "how long? ⟨time⟩ is not given\n  expected ⟨time⟩ T, such as ⟨time⟩ 10");
  }
}

TEST(Library, DerivesEquationsFromEnergiesAndDescribesTheModel) {
  const std::string pendulum =
      "[parameters]\nm = 2\nl = 3\n[mechanics]\ncoordinates = [\"phi\"]\nkinetic = \"m*l^2*phi'^2/2\"\n"
      "potential = \"-m*9.81*l*cos(phi)\"\n";
  saltus::EquationsRequest equations{{.model = "model.toml", .text = pendulum, .case_name = "", .assignments = {}}};
  EXPECT_THAT(to_text(run(equations)), testing::HasSubstr("sin(phi)"));
  saltus::CheckRequest check{{.model = "model.toml", .text = pendulum, .case_name = "", .assignments = {}}};
  EXPECT_THAT(to_text(run(check)), testing::HasSubstr("given by energies"));
}

}  // namespace
