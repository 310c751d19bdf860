#include "saltus/report/section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/support/small_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;
constexpr double pi = std::numbers::pi;

// x = cos t, seen once per half turn: +1, −1, …
const std::string oscillator = R"toml(
title = "Oscillator"
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x"]
[forcing]
period = "pi"
[initial]
x = 1
[observe]
energy = "(x^2 + x'^2)/2"
)toml";

// A pendulum that turns: phi grows by 2π from crossing to crossing.
const std::string turning = R"toml(
[mechanics]
coordinates = ["phi"]
mass = [["1"]]
force = ["-sin(phi)"]
[section]
surface = "phi"
modulo = "2*pi"
[initial]
"phi'" = 3
)toml";

SectionRequest timed(const std::string& text, double time) {
  SectionRequest request = request_for<SectionRequest>(text);
  request.time = time;
  return request;
}

TEST(SectionCommand, GivesTheStrobesAsCsvAndJsonWithVerdict) {
  const SectionResult result = run(timed(oscillator, 20.0 * pi));
  ASSERT_EQ(result.tracks.size(), 1U);
  ASSERT_EQ(result.tracks[0].rows.size(), 20U);
  EXPECT_EQ(to_csv(result).substr(0, 14), "t,x,x',energy\n");
  EXPECT_CLOSE(result.tracks[0].rows[0][0], -1.0, integration(1e-10, 100.0));
  EXPECT_CLOSE(result.tracks[0].rows[1][0], 1.0, integration(1e-10, 100.0));
  EXPECT_EQ(verdict_text(result), "periodic: the last points of 20 repeat after 2\n");
  const Json json = to_json(result);
  for (const char* name :
       {"points", "verdict", "reason", "period", "columns", "times", "section", "outcome", "message"})
    EXPECT_TRUE(json.contains(name)) << name;
  EXPECT_EQ(json["points"].size(), 20U);
  EXPECT_EQ(json["columns"], (Json{"x", "x'", "energy"}));
  EXPECT_EQ(json["period"], 2);
  EXPECT_EQ(exit_code(result), ExitCode::done);
}

TEST(SectionCommand, SeveralStartsKeepTheirPointsApart) {
  SectionRequest request = timed(oscillator, 10.0 * pi);
  request.starts.count = 3;
  request.options.threads = 2;
  const SectionResult result = run(request);
  ASSERT_EQ(result.tracks.size(), 3U);
  EXPECT_THAT(to_csv(result), HasSubstr("start,t,x,x',energy\n1,"));
  EXPECT_THAT(verdict_text(result), HasSubstr("start 3: periodic"));
  // Each keeps the energy of its own start.
  for (const SectionTrack& track : result.tracks)
    for (const auto& row : track.rows)
      EXPECT_CLOSE(row[2], 0.5 * track.start.squaredNorm(), integration(1e-10, 100.0, 1.0));
  const Json json = to_json(result);
  EXPECT_EQ(json["start"].size(), 30U);
  EXPECT_EQ(json["tracks"].size(), 3U);
  request.options.threads = 1;
  EXPECT_EQ(to_csv(run(request)), to_csv(result));
}

TEST(SectionCommand, TheFileHoldsThePointsWithNamesAndTheRecipe) {
  const SectionResult result = run(timed(oscillator, 10.0 * pi));
  const ResultFile file = result_file(result);
  EXPECT_THAT(file.recipe.command, HasSubstr("saltus section model.toml --time 31.41592653589793"));
  ASSERT_EQ(file.variables.size(), 4U);
  EXPECT_EQ(file.variables[0].name, "t");
  EXPECT_EQ(file.variables[3].long_name, "observable energy");
  EXPECT_EQ(std::get<std::vector<double>>(file.variables[2].values).size(), 10U);
}

TEST(SectionCommand, TheFigureShowsAnyQuantityOverAnyOtherColouredByAThird) {
  const SectionResult result = run(timed(oscillator, 10.0 * pi));
  const Figure usual = figure(result, {});
  EXPECT_EQ(usual.panels[0].x_label, "x");
  EXPECT_EQ(usual.panels[0].y_label, "x'");
  EXPECT_TRUE(usual.panels[0].curves[0].values.empty());
  const Figure chosen = figure(result, {.x = "t", .y = "energy", .colour = "x"});
  const Curve& dots = chosen.panels[0].curves[0];
  EXPECT_EQ(dots.stroke, Stroke::dots);
  EXPECT_CLOSE(dots.x[0], pi, rounding(10));
  EXPECT_CLOSE(dots.y[0], 0.5, integration(1e-10, 100.0));
  EXPECT_CLOSE(dots.values[0], -1.0, integration(1e-10, 100.0));
  EXPECT_EQ(chosen.panels[0].colours.label, "x");
  EXPECT_THROW(figure(result, {.x = "enrgy", .y = "", .colour = ""}), Error);
}

TEST(SectionCommand, AnglesAreDrawnModuloATurn) {
  const SectionResult result = run(timed(turning, 30.0));
  ASSERT_GT(result.tracks[0].rows.size(), 5U);
  EXPECT_GT(result.tracks[0].rows.back()[0], 10.0);
  const Figure picture = figure(result, {});
  for (const double phi : picture.panels[0].curves[0].x) EXPECT_NEAR(phi, 0.0, 1e-6);
}

TEST(SectionCommand, ASectionThatIsNeverMetIsToldWithARemedy) {
  SectionRequest request = timed(oscillator, 10.0);
  request.surface = "x - 5";
  const SectionResult result = run(request);
  EXPECT_EQ(exit_code(result), ExitCode::stopped_early);
  EXPECT_THAT(stop_message(result),
              HasSubstr("the section was never met until t = 10: x - 5 = 0, upwards\n  make the"));
}

}  // namespace
}  // namespace saltus
