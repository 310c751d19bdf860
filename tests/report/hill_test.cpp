#include "saltus/report/hill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/small_models.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;

const std::string mathieu = R"toml(
[parameters]
alpha = 1
beta = 0.5
half = "beta/2"
epsilon = 0.6
[hill]
g = "alpha + 4*half*cos(2*t)"
period = "pi"
restitution = "epsilon"
)toml";

HillRequest mathieu_request() { return request_for<HillRequest>(mathieu); }

TEST(HillCommand, APointHoldsWhatTheContractPromises) {
  const Json json = to_json(run(mathieu_request()));
  EXPECT_CLOSE(json.at("discriminant").get<double>(), -2.61241890662466, rounding(100));
  EXPECT_EQ(json.at("zeros"), 0);
  EXPECT_EQ(json.at("m1"), 1);
  const double multiplier = json.at("multiplier").get<double>();
  EXPECT_CLOSE(json.at("critical_restitution").get<double>(), 1.0 / std::abs(multiplier), rounding(10));
  EXPECT_EQ(json.at("verdict"), "unstable");
  EXPECT_CLOSE(json.at("wronskian").get<double>(), 1.0, rounding(20));
  const Json& map = json.at("map");
  for (std::size_t i = 0; i < 2; ++i)  // A₂ = −ε A₁
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_CLOSE(map.at("A2")[i][j].get<double>(), -0.6 * map.at("A1")[i][j].get<double>(), rounding(4));
  EXPECT_LT(json.at("approximations").at("extrapolated").at("critical_restitution_error").get<double>(), 1e-9);
  EXPECT_GT(json.at("approximations").at("averaging").at("critical_restitution_error").get<double>(), 1e-3);
}

TEST(HillCommand, VerificationFollowsTheMotionOnBothSides) {
  HillRequest request = mathieu_request();
  request.verify = true;
  const HillResult result = run(request);
  ASSERT_EQ(result.point->verification.size(), 2U);
  const HillVerification& below = result.point->verification[0];
  const HillVerification& above = result.point->verification[1];
  EXPECT_LT(below.growth.factor, 1.0);
  EXPECT_GT(above.growth.factor, 1.0);
  EXPECT_NEAR(below.growth.factor, 0.98, 1e-7);  // m₁ = 1: the restitution itself is the factor
  EXPECT_NEAR(above.growth.factor, 1.02, 1e-7);
  EXPECT_EQ(exit_code(result), ExitCode::done);
}

TEST(HillCommand, AChartIsWhatTheSinglePointsAreAlsoWithDependentParametersAndAnyNumberOfThreads) {
  HillRequest request = mathieu_request();
  request.vary = {"alpha=0:5:6", "beta=0:2:5"};
  request.options.threads = 1;
  const HillResult one = run(request);
  request.options.threads = 4;
  const HillResult four = run(request);
  EXPECT_EQ(one.chart.critical_restitution, four.chart.critical_restitution);
  EXPECT_EQ(to_json(one), to_json(four));
  for (const auto& [ix, iy] : {std::pair(0U, 1U), std::pair(4U, 4U), std::pair(5U, 2U)}) {
    HillRequest single = mathieu_request();
    single.assignments = {{"alpha", std::to_string(ix)}, {"beta", std::to_string(0.5 * iy)}};
    const HillResult point = run(single);
    EXPECT_EQ(one.chart.discriminant[iy * 6 + ix], point.point->stability.discriminant);
    EXPECT_EQ(one.chart.critical_restitution[iy * 6 + ix], point.point->stability.critical_restitution);
  }
}

TEST(HillCommand, TheChartAsAFileHasBothAxesAndTheRecipe) {
  HillRequest request = mathieu_request();
  request.vary = {"alpha=0:5:6", "beta=0:2:5"};
  request.approximations = true;
  const ResultFile file = result_file(run(request));
  ASSERT_EQ(file.axes.size(), 2U);
  EXPECT_EQ(file.axes[0].name, "beta");
  EXPECT_EQ(file.axes[1].size, 6U);
  std::vector<std::string> names;
  for (const Variable& variable : file.variables) names.push_back(variable.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"critical_restitution", "discriminant", "zeros", "m1", "alpha", "beta",
                                            "averaging", "hill_determinant"}));
  EXPECT_THAT(file.recipe.command, HasSubstr("--vary alpha=0:5:6 --vary beta=0:2:5 --approximations"));
}

TEST(HillCommand, TheFigureOfAChartNamesItsDomains) {
  HillRequest request = mathieu_request();
  request.vary = {"alpha=-2:5:36", "beta=0:4:21"};
  const Figure chart = figure(run(request));
  ASSERT_EQ(chart.panels.size(), 1U);
  EXPECT_TRUE(chart.panels[0].image.has_value());
  EXPECT_THAT(chart.panels[0].curves.back().names, testing::ElementsAre("0", "1", "2"));
  request.approximations = true;
  EXPECT_THAT(figure(run(request)).panels[0].curves, testing::SizeIs(6));
}

TEST(HillCommand, AveragingElsewhereIsDeclinedInWords) {
  HillRequest request = mathieu_request();
  request.assignments = {{"alpha", "4"}};
  EXPECT_THAT(to_text(run(request)), HasSubstr("first-order averaging has no parametric term at resonance 2"));
  request.assignments = {{"alpha", "-1"}};
  EXPECT_THAT(to_text(run(request)), HasSubstr("too small for an oscillation to average"));
}

TEST(HillCommand, AStiffnessThatDoesNotRepeatIsWarnedAbout) {
  HillRequest request = request_for<HillRequest>("[hill]\ng = \"1 + cos(3*t)\"\nperiod = \"pi\"\nrestitution = 0.5\n");
  const HillResult result = run(request);
  ASSERT_EQ(result.warnings().size(), 1U);
  EXPECT_THAT(result.warnings()[0].message, HasSubstr("does not repeat after its period 3.14159"));
  request = request_for<HillRequest>("[hill]\ng = \"1 + sign(sin(2*t))\"\nperiod = \"pi\"\nrestitution = 0.5\n");
  EXPECT_TRUE(run(request).warnings().empty());
}

TEST(HillCommand, DampingCanMakeEveryRestitutionStable) {
  HillRequest request =
      request_for<HillRequest>("[hill]\ng = \"1 + cos(2*t)\"\nperiod = \"pi\"\nrestitution = 1\ndamping = 0.6\n");
  request.verify = true;
  const HillResult result = run(request);
  EXPECT_CLOSE(result.point->stability.critical_restitution, 1.0, exact);
  EXPECT_EQ(result.point->verdict, HillVerdict::asymptotically_stable);
  EXPECT_LT(result.point->verification.at(0).growth.factor, 1.0);
}

TEST(HillCommand, SolutionsThatGrowBeyondAllNumbersAreSaidToDoSo) {
  HillRequest request =
      request_for<HillRequest>("[hill]\ng = \"-1e6 + cos(2*t)\"\nperiod = \"pi\"\nrestitution = 0.5\n");
  const HillResult result = run(request);
  EXPECT_EQ(exit_code(result), ExitCode::stopped_early);
  EXPECT_THAT(stop_message(result), HasSubstr("not finite after one period"));
}

}  // namespace
}  // namespace saltus
