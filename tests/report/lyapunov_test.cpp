#include "saltus/report/lyapunov.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/support/small_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;
using testing::Not;

// x'' + 2.5 x' + x = 0: exponents −1/2 and −2.
const std::string overdamped = R"toml(
title = "Overdamped"
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-2.5*x' - x"]
[initial]
x = 1
)toml";

// Two wells: x = −1 and x = 1 attract.
const std::string two_wells = R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["x - x^3 - x'"]
[initial]
x = 0.5
)toml";

const std::string riding = R"toml(
[mechanics]
coordinates = ["z"]
mass = [["1"]]
force = ["-1"]
[[contact]]
name = "table"
gap = "z - 0.1*cos(t)"
restitution = 0.2
[forcing]
period = "2*pi"
[initial]
z = 0.2
)toml";

LyapunovRequest timed(const std::string& text, double transient, double time) {
  LyapunovRequest request = request_for<LyapunovRequest>(text);
  request.transient = transient;
  request.time = time;
  return request;
}

TEST(LyapunovCommand, TextHasVerdictExponentsUnitAndSumRule) {
  const std::string text = to_text(run(timed(overdamped, 60.0, 60.0)));
  for (const char* part : {"motion        equilibrium: the state does not move any more", "-0.5000   -2.0000",
                           "natural logarithms per unit time, over t = 60", "Kaplan-Yorke  0.000", "sum rule"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(LyapunovCommand, JsonHasTheMembersOfTheContractInBothBases) {
  LyapunovRequest request = timed(overdamped, 60.0, 60.0);
  request.base = LogBase::two;
  const Json json = to_json(run(request));
  for (const char* name :
       {"exponents", "standard_errors", "trivial_zero", "kaplan_yorke", "verdict", "reason", "period", "frequencies",
        "impacts_per_unit_time", "sliding_fraction", "sum_rule_residual", "exponents_natural", "exponents_bits",
        "section", "time", "outcome", "message", "diagnostics"})
    EXPECT_TRUE(json.contains(name)) << name;
  EXPECT_EQ(json["base"], 2);
  EXPECT_EQ(json["exponents"], json["exponents_bits"]);
  EXPECT_CLOSE(json["exponents_natural"][0].get<double>(), -0.5, integration(1e-9, 10.0));
  EXPECT_CLOSE(json["exponents_bits"][0].get<double>(), -0.5 / std::numbers::ln2, integration(1e-9, 10.0));
  EXPECT_EQ(json["verdict"], "equilibrium");
  EXPECT_FALSE(json["trivial_zero"]);
  EXPECT_FALSE(json.contains("attractors"));
  EXPECT_FALSE(json.contains("tangent_check"));
}

TEST(LyapunovCommand, DirectionsThatContactAnnihilatesAreInfiniteInTextAndJsonAndHaveNoPicture) {
  const LyapunovResult result = run(timed(riding, 60.0, 60.0));
  EXPECT_THAT(to_text(result), HasSubstr("-inf      -inf         0"));
  EXPECT_THAT(to_text(result), HasSubstr("sliding       100.00 % of the time"));
  const Json json = to_json(result);
  EXPECT_EQ(json["exponents"], (Json{"-inf", "-inf"}));
  EXPECT_TRUE(json["sum_rule_residual"].is_null());
  EXPECT_TRUE(json["trivial_zero"]);
  EXPECT_THROW(figure(result), Error);
}

TEST(LyapunovCommand, TheFileHoldsTheHistoryTheExponentsAndTheRecipe) {
  const LyapunovResult result = run(timed(overdamped, 60.0, 60.0));
  const ResultFile file = result_file(result);
  EXPECT_THAT(file.recipe.command, HasSubstr("saltus lyapunov model.toml --time 60 --transient 60"));
  ASSERT_EQ(file.variables.front().name, "t");
  const auto column = [&](const std::string& name) {
    for (const Variable& variable : file.variables)
      if (variable.name == name) return std::get<std::vector<double>>(variable.values);
    ADD_FAILURE() << "no " << name;
    return std::vector<double>();
  };
  EXPECT_EQ(column("t").size(), column("exponent_1").size());
  EXPECT_CLOSE(column("t").back(), 60.0, rounding(1000));
  EXPECT_CLOSE(column("exponent_1").back(), column("exponents")[0], rounding(1000));
  EXPECT_CLOSE(column("error_2").back(), column("standard_errors")[1], rounding(1e5, 1.0));
}

TEST(LyapunovCommand, TheFigureHasABandAroundEveryFiniteExponent) {
  const Figure picture = figure(run(timed(overdamped, 10.0, 60.0)));
  ASSERT_EQ(picture.panels.size(), 1U);
  ASSERT_EQ(picture.panels[0].curves.size(), 4U);
  EXPECT_EQ(picture.panels[0].curves[0].stroke, Stroke::band);
  EXPECT_EQ(picture.panels[0].curves[1].label, "ℓ1");
  EXPECT_CLOSE(picture.panels[0].curves[1].y.back(), -0.5, integration(1e-9, 100.0));
  EXPECT_THAT(picture.title, HasSubstr("Overdamped"));
}

TEST(LyapunovCommand, SeveralStartsFindTheAttractorsAndTellWhichReachedWhich) {
  LyapunovRequest request = timed(two_wells, 60.0, 60.0);
  request.starts.count = 8;
  request.starts.seed = 3;
  request.starts.spread = 3.0;  // of the range of the motion from the model's start, which stays in one well
  const LyapunovResult result = run(request);
  ASSERT_EQ(result.attractors.size(), 2U);
  EXPECT_THAT(to_text(result), HasSubstr("8 starts reached 2 attractors"));
  const Json json = to_json(result);
  EXPECT_EQ(json["attractors"].size(), 2U);
  EXPECT_EQ(json["attractors"][0]["starts"].size() + json["attractors"][1]["starts"].size(), 8U);
  // Every start in the right well at the end has the same number.
  const ResultFile file = result_file(result);
  EXPECT_EQ(file.axes.front().name, "start");
  const auto& numbers = std::get<std::vector<double>>(file.variables.back().values);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(numbers[i] == numbers[0], result.spectra[i].end.x[0] * result.spectra[0].end.x[0] > 0.0) << i;
}

class StartsList : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "saltus_starts_" + std::to_string(getpid()) + ".csv"; }
  void TearDown() override { std::remove(path_.c_str()); }
  LyapunovRequest with(const std::string& csv, const std::string& model = two_wells) const {
    std::ofstream(path_) << csv;
    LyapunovRequest request = timed(model, 40.0, 40.0);
    request.starts.file = path_;
    return request;
  }
  std::string complaint(const std::string& csv, const std::string& model = two_wells) const {
    try {
      run(with(csv, model));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::file);
      return error.what();
    }
    return "";
  }

 private:
  std::string path_;
};

TEST_F(StartsList, TakesComponentsByNameAndTheRestFromTheModel) {
  const LyapunovResult result = run(with("# a comment\nt,x'\n0,3\n0,-3\n\n0,0\n"));
  ASSERT_EQ(result.states.size(), 3U);
  EXPECT_EQ(result.states[1], (Vector(2) << 0.5, -3.0).finished());
  EXPECT_EQ(result.attractors.size(), 2U);
  EXPECT_THAT(to_text(result), HasSubstr("3 starts reached 2 attractors"));
}

TEST_F(StartsList, WhatCannotBeReadIsToldWithItsLine) {
  EXPECT_THAT(complaint("x,y\n1,2\n"), HasSubstr(":1: 'y' is no component of the state\n  expected x, x'"));
  EXPECT_THAT(complaint("x\n1\nabc\n"), HasSubstr(":3: 'abc' is no number\n  expected a number"));
  EXPECT_THAT(complaint("x,x'\n1\n"), HasSubstr(":2: 1 numbers\n  expected 2"));
  EXPECT_THAT(complaint("x\n"), HasSubstr("no states\n  expected a line of names"));
  EXPECT_THAT(complaint("t\n1\n"), HasSubstr("no column is a component of the state"));
  EXPECT_THAT(complaint("z\n0.05\n", riding),
              HasSubstr("the state lies inside contact 'table' (gap -0.05)\n  move it"));
}

TEST(LyapunovCommand, TheTangentCheckFindsAgreementOfSecondOrder) {
  LyapunovRequest request = timed(two_wells, 0.0, 8.0);
  request.tangent_check = true;
  const LyapunovResult result = run(request);
  ASSERT_TRUE(result.tangent_agreement);
  EXPECT_EQ(result.tangent_agreement->windows, 8U);
  EXPECT_LT(result.tangent_agreement->worst, 1e-8);
  ASSERT_TRUE(result.tangent_agreement->order);
  EXPECT_NEAR(*result.tangent_agreement->order, 2.0, 0.1);
  EXPECT_THAT(to_text(result), HasSubstr("of differences of the flow, order 2.0"));
  EXPECT_EQ(to_json(result)["tangent_check"]["windows"], 8);
}

TEST(LyapunovCommand, ATransientLongerThanTheRunAndTimeWithoutForcingAreWarnedOf) {
  const auto warnings = [](const LyapunovRequest& request) { return rendered(run(request).warnings()); };
  EXPECT_THAT(
      warnings(timed(two_wells, 10.0, 5.0)),
      HasSubstr("the transient of 10 is longer than the 5 that are measured after it\n  make ⟨time⟩ or ⟨periods⟩"));
  EXPECT_EQ(warnings(timed(two_wells, 5.0, 10.0)), "");
  std::string shaken = two_wells;
  shaken.replace(shaken.find("x - x^3"), 7, "x - x^3 + 0.1*cos(t)");
  EXPECT_THAT(warnings(timed(shaken, 5.0, 10.0)),
              HasSubstr("model.toml:5:11: warning: the model depends on t, but has no [forcing]"));
}

}  // namespace
}  // namespace saltus
