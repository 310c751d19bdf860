#include "saltus/report/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "tests/support/small_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;

const std::string free_oscillator = R"toml(
[parameters]
omega = 2
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x"]
[forcing]
period = "2*pi/omega"
[initial]
x = 1
[observe]
energy = "(x^2 + x'^2)/2"
)toml";

const std::string corner = R"toml(
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0.5"], ["0.5", "1"]]
force = ["0", "0"]
[[contact]]
name = "wall"
gap = "x"
restitution = 0.5
[[contact]]
name = "floor"
gap = "y"
restitution = 0.9
[initial]
x = 1
y = 1
"x'" = -1
"y'" = -1
)toml";

const std::string falls_into_a_pole = R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["sqrt(x)"]
[initial]
x = 1
"x'" = -2
[[contact]]
name = "far"
gap = "10 - x"
restitution = 1
)toml";

SimulateRequest simulated_for(const std::string& text, double time) {
  SimulateRequest request = request_for<SimulateRequest>(text);
  request.time = time;
  return request;
}

std::string usage_error(const SimulateRequest& request) {
  try {
    run(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "no error";
}

TEST(Simulate, SamplesAreEquallySpacedFromTheStartToTheEnd) {
  SimulateRequest request = simulated_for(free_oscillator, 5.0);
  request.samples = 11;
  const SimulateResult result = run(request);
  ASSERT_EQ(result.flow.samples.size(), 11U);
  for (std::size_t k = 0; k < 11; ++k) {
    const double t = 0.5 * static_cast<double>(k);
    EXPECT_CLOSE(result.flow.samples[k].t, t, rounding(4, 1.0));
    // The rotation has growth 1; dense output of a step is of order 7.
    EXPECT_CLOSE(result.flow.samples[k].x[0], std::cos(t), integration(1e-9, 1.0, 1.0));
  }
  EXPECT_CLOSE(result.t_end(), 5.0, rounding(4));
}

TEST(Simulate, PeriodsAreThoseOfTheForcing) {
  SimulateRequest request = request_for<SimulateRequest>(free_oscillator);
  request.periods = 3;
  request.samples = 4;
  const SimulateResult result = run(request);
  EXPECT_CLOSE(result.t_end(), 3.0 * std::numbers::pi, rounding(4));
  for (const Time& t : result.sample_times) EXPECT_EQ(t.phase, 0.0);
  EXPECT_CLOSE(result.flow.end.x[0], -1.0,
               integration(1e-10, 100.0));  // 3π of rotation: errors of some 30 steps add up
}

TEST(Simulate, ObservablesAreSampledWithTheState) {
  SimulateRequest request = simulated_for(free_oscillator, 2.0);
  request.samples = 5;
  const auto columns = sample_columns(run(request));
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[2].name, "energy");
  for (const double energy : columns[2].values) EXPECT_CLOSE(energy, 0.5, integration(1e-9, 1.0));
}

TEST(Simulate, AnObservableMayBearTheNameOfAGapAndEveryColumnStillHasItsOwn) {
  std::string text = test::ball;
  text.replace(text.find("height ="), 8, "gap_floor =");
  SimulateRequest request = simulated_for(text, 2.0);
  request.samples = 3;
  const auto columns = sample_columns(run(request));
  std::set<std::string> names;
  for (const SampleColumn& column : columns) names.insert(column.name);
  EXPECT_EQ(names.size(), columns.size());
  EXPECT_TRUE(names.contains("gap_floor") && names.contains("gap_floor_"));
}

TEST(Simulate, TheJsonObjectKeepsItsContract) {
  SimulateRequest request = simulated_for(test::ball, 2.0);
  request.samples = 3;
  const Json json = to_json(run(request));
  for (const char* key : {"final", "events", "outcome", "report", "samples", "diagnostics"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["outcome"], "reached_end");
  EXPECT_EQ(json["samples"]["z"].size(), 3U);
  ASSERT_FALSE(json["events"].empty());
  const Json& first = json["events"][0];
  EXPECT_EQ(first["kind"], "impact");
  EXPECT_EQ(first["contact"], "floor");
  // Newton: γ⁺ = −e γ⁻ with e = 0.4, and M (v⁺ − v⁻) = Λ with M = 2.
  EXPECT_CLOSE(first["gamma_plus"].get<double>(), -0.4 * first["gamma_minus"].get<double>(), rounding(10));
  EXPECT_CLOSE(2.0 * (first["v_plus"][0].get<double>() - first["v_minus"][0].get<double>()),
               first["impulse"].get<double>(), rounding(10));
}

TEST(Simulate, TheModelsSolverSettingsApplyUnlessOverridden) {
  const std::string text = free_oscillator + "[solver]\nrtol = 1e-6\natol = 1e-7\n";
  SimulateRequest request = simulated_for(text, 1.0);
  EXPECT_EQ(run(request).options.rtol, 1e-6);
  EXPECT_EQ(run(request).options.atol, 1e-7);
  request.options.rtol = 1e-8;
  EXPECT_EQ(run(request).options.rtol, 1e-8);
  EXPECT_EQ(run(request).options.atol, 1e-7);
}

TEST(Simulate, WithoutALengthItSaysWhatIsMissing) {
  EXPECT_THAT(usage_error(request_for<SimulateRequest>(test::pendulum)), HasSubstr("⟨time⟩ T"));
  EXPECT_THAT(usage_error(request_for<SimulateRequest>(free_oscillator)), HasSubstr("⟨periods⟩ N"));
  SimulateRequest request = request_for<SimulateRequest>(test::pendulum);
  request.periods = 3;
  EXPECT_THAT(usage_error(request), HasSubstr("use ⟨time⟩ T instead"));
  EXPECT_THAT(usage_error(simulated_for(test::pendulum, -1.0)), HasSubstr("⟨time⟩ -1 is no length"));
  EXPECT_THAT(usage_error(simulated_for(test::hill, 1.0)), HasSubstr("[hill]"));
}

TEST(Simulate, AnAmbiguousImpactNamesTheContactsAndTheRemedy) {
  const SimulateResult result = run(simulated_for(corner, 3.0));
  EXPECT_EQ(result.flow.outcome, Outcome::ambiguous_impact);
  EXPECT_EQ(exit_code(result), ExitCode::stopped_early);
  EXPECT_FALSE(result_file(result).complete);
  const std::string message = stop_message(result);
  EXPECT_THAT(message,
              HasSubstr("model.toml: stopped at t = 1: contacts 'wall' and 'floor' are struck at the same instant"));
  EXPECT_THAT(message, HasSubstr("v differs by"));
  EXPECT_THAT(message, HasSubstr("impact_law = \"moreau\" in [solver]"));
}

TEST(Simulate, TheSameCornerIsPassedWithMoreausLaw) {
  const SimulateResult result = run(simulated_for(corner + "[solver]\nimpact_law = \"moreau\"\n", 3.0));
  EXPECT_EQ(result.flow.outcome, Outcome::reached_end);
  EXPECT_EQ(stop_message(result), "");
}

TEST(Simulate, AForceThatIsNoNumberEndsTheMotionWithTimeStateAndContact) {
  const SimulateResult result = run(simulated_for(falls_into_a_pole, 5.0));
  EXPECT_EQ(exit_code(result), ExitCode::stopped_early);
  EXPECT_TRUE(result.flow.end.x.allFinite());
  const std::string message = stop_message(result);
  EXPECT_THAT(message, HasSubstr("model.toml: stopped at t = 0."));
  EXPECT_THAT(message, HasSubstr("the state there: x = "));
  EXPECT_THAT(message, HasSubstr("the nearest is 'far', gap"));
}

TEST(Simulate, AMassMatrixThatBecomesSingularIsNamed) {
  const std::string text = R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["x"]]
force = ["-1"]
[initial]
x = 1
)toml";
  const SimulateResult result = run(simulated_for(text, 5.0));
  EXPECT_EQ(exit_code(result), ExitCode::stopped_early);
  EXPECT_THAT(stop_message(result), HasSubstr("the mass matrix is singular from here on"));
}

TEST(Simulate, AnInterruptKeepsWhatIsDoneAndMarksIt) {
  SimulateRequest request = simulated_for(free_oscillator, 1e6);
  request.samples = 1001;
  int asked = 0;
  request.interrupted = [&asked] { return ++asked == 20; };
  double part = 0.0;
  request.progress = [&part](double done) { part = done; };
  const SimulateResult result = run(request);
  EXPECT_EQ(exit_code(result), ExitCode::interrupted);
  EXPECT_GT(result.t_end(), 0.0);
  EXPECT_CLOSE(part, result.t_end() / 1e6, rounding(4));
  EXPECT_FALSE(result_file(result).complete);
  EXPECT_EQ(to_json(result)["complete"], false);
  EXPECT_LT(result.flow.samples.size(), 1001U);
}

TEST(Simulate, TheRecipeRepeatsTheCommandWithAllItsSettings) {
  SimulateRequest request = simulated_for(test::ball, 2.0);
  request.case_name = "elastic";
  request.assignments = {{"z'", "-g/10"}};
  request.samples = 5;
  const Recipe recipe = result_file(run(request)).recipe;
  EXPECT_EQ(recipe.command, "saltus simulate model.toml --case elastic --set 'z'\\''=-g/10' --time 2 --samples 5");
  EXPECT_EQ(recipe.model_text, test::ball);
  EXPECT_EQ(recipe.assignments, (std::vector<std::pair<std::string, std::string>>{{"z'", "-g/10"}}));
  EXPECT_THAT(recipe.settings, testing::Contains(std::pair<std::string, std::string>("rtol", "1e-10")));
}

TEST(SimulateFigure, AHistoryHoldsBothSidesOfEveryImpactAndMarksIt) {
  SimulateRequest request = simulated_for(test::ball, 2.0);
  request.samples = 100;
  const SimulateResult result = run(request);
  const Figure picture = figure(result, MotionPlot::time, {"z'"});
  ASSERT_EQ(picture.panels.size(), 1U);
  const Curve& history = picture.panels[0].curves[0];
  const Curve& marks = picture.panels[0].curves[1];
  EXPECT_EQ(history.x.size(), 100U + 2U * result.flow.events.size());
  EXPECT_TRUE(std::is_sorted(history.x.begin(), history.x.end()));
  EXPECT_EQ(static_cast<long>(marks.x.size()), result.flow.ledger.impacts);
}

TEST(SimulateFigure, WhatTheModelDoesNotHaveIsRefusedBeforeTheMotionIsComputed) {
  const PreparedModel model = prepared(request_for<SimulateRequest>(test::ball));
  const auto message = [&](MotionPlot kind, const std::vector<std::string>& names) -> std::string {
    try {
      require_drawable(*model.model, kind, names);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  EXPECT_THAT(message(MotionPlot::time, {"hight"}), HasSubstr("did you mean 'height'?"));
  EXPECT_THAT(message(MotionPlot::phase, {"z"}), HasSubstr("two quantities"));
  EXPECT_THAT(message(MotionPlot::configuration, {}), HasSubstr("[draw]"));
  EXPECT_EQ(message(MotionPlot::forces, {}), "");
}

TEST(Simulate, AfterATransientTheMotionIsShownFromItsEndOnAndIsTheSame) {
  SimulateRequest request = request_for<SimulateRequest>(free_oscillator);  // x = cos t, period π
  request.periods = 3;
  request.transient = 2.0;
  request.samples = 4;
  const SimulateResult result = run(request);
  ASSERT_EQ(result.flow.samples.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const double t = (2.0 + static_cast<double>(k)) * std::numbers::pi;
    EXPECT_CLOSE(result.flow.samples[k].t, t, rounding(10));
    EXPECT_CLOSE(result.flow.samples[k].x[0], std::cos(t), integration(1e-10, 100.0));
  }
  EXPECT_CLOSE(result.t_end(), 5.0 * std::numbers::pi, rounding(10));
  EXPECT_THAT(result_file(result).recipe.command, HasSubstr("--periods 3 --transient 2 --samples 4"));
  request.transient = -1.0;
  EXPECT_THAT(usage_error(request), HasSubstr("⟨transient⟩ -1 is no length"));
}

// x' = sign x from x = 0: both x = t and x = -t are motions, and so are those that wait.
TEST(Simulate, WarnsOfAStartThatMayBeLeftToEitherSide) {
  const std::string text = "[mechanics]\nstates = [\"x\"]\nrates = [\"if(x < 0, -1, 1)\"]\n";
  const SimulateResult result = run(simulated_for(text, 1.5));
  EXPECT_EQ(std::abs(result.flow.end.x[0]), 1.5);
  ASSERT_EQ(result.warnings().size(), 1u);
  EXPECT_THAT(result.warnings().front().message, HasSubstr("lies on x = 0"));
  EXPECT_THAT(result.warnings().front().suggestion,
              HasSubstr(result.flow.end.x[0] > 0.0 ? "side x > 0" : "side -(x) > 0"));
  // Passed, slid along, or at rest on a kink: determined.
  for (const std::string rate : {"2 + sign(x)", "-sign(x)", "-abs(x)"}) {
    const std::string other = "[mechanics]\nstates = [\"x\"]\nrates = [\"" + rate + "\"]\n";
    EXPECT_TRUE(run(simulated_for(other, 1.0)).warnings().empty()) << rate;
  }
}

}  // namespace
}  // namespace saltus
