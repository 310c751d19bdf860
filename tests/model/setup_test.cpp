#include <fmt/format.h>

#include <cmath>

#include "saltus/model/varied_setup.hpp"
#include "tests/model/model_text.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::model_of;

const std::string text = R"toml([parameters]
a = 1
b = "2*a"
c = "a + b"

[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["-x", "-y"]

[[contact]]
name = "wall"
gap = "a - x"
restitution = "0.1*c"

[forcing]
period = "2*pi/b"

[initial]
x = "a/2"
"y'" = 0.25

[case.double]
title = "twice"
a = 2
initial = { y = "c" }
)toml";

Setup setup_of(const std::string& case_name, const std::vector<Assignment>& assignments) {
  const auto model = model_of(text);
  const SetupReading reading = set_up(*model, case_name, assignments);
  EXPECT_EQ(rendered(reading.diagnostics), "");
  return reading.setup.value_or(Setup{});
}

std::string refused(const std::string& case_name, const std::vector<Assignment>& assignments) {
  const auto model = model_of(text);
  const SetupReading reading = set_up(*model, case_name, assignments);
  EXPECT_FALSE(reading.setup.has_value());
  return rendered(reading.diagnostics);
}

TEST(Setup, DefaultsAreTheValuesOfTheFileAndZeroElsewhere) {
  const auto setup = setup_of("", {});
  EXPECT_EQ(setup.parameters, (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(setup.initial, (std::vector<double>{0.5, 0.0, 0.0, 0.25}));
  EXPECT_CLOSE(setup.forcing_period, M_PI, rounding(2));
}

TEST(Setup, InACaseDependentParametersFollow) {
  const auto setup = setup_of("double", {});
  EXPECT_EQ(setup.parameters, (std::vector<double>{2.0, 4.0, 6.0}));
  EXPECT_EQ(setup.initial, (std::vector<double>{1.0, 6.0, 0.0, 0.25}));
}

TEST(Setup, AssignmentsComeAfterTheCaseAndTheLastOneCounts) {
  const auto setup = setup_of("double", {{"a", "3"}, {"a", "1.5"}, {"y'", "b/3"}});
  EXPECT_EQ(setup.parameters, (std::vector<double>{1.5, 3.0, 4.5}));
  EXPECT_EQ(setup.initial, (std::vector<double>{0.75, 4.5, 0.0, 1.0}));
}

TEST(Setup, AnAssignmentMayUseParametersFurtherDown) {
  EXPECT_EQ(setup_of("", {{"b", "0.5"}, {"a", "4*b"}}).parameters, (std::vector<double>{2.0, 0.5, 2.5}));
}

TEST(Setup, AnUnknownNameIsRefusedWithTheNearestOne) {
  EXPECT_EQ(refused("", {{"x''", "1"}}),
            "⟨set⟩ x'':1:1: error: unknown name 'x'''\n"
            "  1 | x''=1\n"
            "    | ^~~\n"
            "  expected a parameter (a, b, c) or an initial value (x, y, x', y')\n"
            "  did you mean 'x''?\n");
}

TEST(Setup, AWrongValueIsShownWithACaret) {
  EXPECT_EQ(refused("", {{"y'", "2*d + 1"}}),
            "⟨set⟩ y':1:6: error: unknown name 'd' in the value of y'\n"
            "  1 | y'=2*d + 1\n"
            "    |      ^\n"
            "  expected a parameter (a, b, c)\n");
}

TEST(Setup, AnUnknownCaseIsRefused) {
  EXPECT_EQ(refused("doble", {}),
            "model.toml: error: unknown case 'doble'\n  expected one of double\n  did you mean 'double'?\n");
}

TEST(Setup, AssignmentsThatDependOnEachOtherAreRefused) {
  EXPECT_NE(refused("", {{"a", "c"}}).find("the parameter 'a' depends on itself: a → c → a"), std::string::npos);
}

TEST(Setup, AnAssignmentIntoAnObstacleIsRefused) {
  EXPECT_EQ(refused("", {{"x", "a + 0.5"}}),
            "⟨set⟩ x:1:3: error: the initial state is inside the obstacle of contact 'wall': its gap is -0.5\n"
            "  1 | x=a + 0.5\n"
            "    |   ^~~~~~~\n"
            "  expected an initial gap of 0 or more\n"
            "  the motion starts from x = 1.5\n"
            "model.toml:13:8: note: the gap is here\n"
            "  13 | gap = \"a - x\"\n"
            "     |        ^~~~~\n");
}

TEST(Setup, TouchingAnObstacleToRoundingIsNotPenetration) {
  EXPECT_EQ(setup_of("", {{"x", "a + 1e-13"}}).initial[0], 1.0 + 1e-13);
  EXPECT_NE(refused("", {{"x", "a + 1e-11"}}), "");
}

TEST(Setup, RestitutionIsCheckedWithItsNumbers) {
  EXPECT_NE(refused("", {{"c", "12"}}).find("the restitution of contact 'wall' is 1.2"), std::string::npos);
}

TEST(Setup, ANonFiniteParameterIsRefused) {
  EXPECT_NE(refused("", {{"b", "1/(a - 1)"}}).find("the value of parameter 'b' is not a finite number"),
            std::string::npos);
}

TEST(VariedSetup, GivesToTheLastBitWhatTheSettingsGiveOneByOne) {
  const auto model = model_of(text);
  const VariedSetup varied(*model, "double", {{"b", "3*a"}, {"y'", "7"}, {"x", "a/3"}}, {"a", "y'"});
  for (const double a : {0.1, 0.7, 1.0 / 3.0})
    for (const double speed : {-0.25, 1e-300}) {
      const auto at = [](double value) { return fmt::format("{:.17g}", value); };
      const auto expected =
          set_up(*model, "double", {{"b", "3*a"}, {"x", "a/3"}, {"a", at(a)}, {"y'", at(speed)}}).setup;
      const auto found = varied.at(std::vector<double>{a, speed});
      ASSERT_TRUE(expected && found);
      EXPECT_EQ(found->parameters, expected->parameters);
      EXPECT_EQ(found->initial, expected->initial);
      EXPECT_EQ(found->forcing_period, expected->forcing_period);
    }
}

TEST(VariedSetup, HasNothingWhereTheSettingsWouldBeRefused) {
  const auto model = model_of(text);
  const VariedSetup varied(*model, "", {}, {"a", "x"});
  EXPECT_TRUE(varied.at(std::vector<double>{1.0, 0.5}));
  EXPECT_FALSE(varied.at(std::vector<double>{1.0, 1.5}));   // inside the wall
  EXPECT_FALSE(varied.at(std::vector<double>{5.0, 0.5}));   // restitution 1.5
  EXPECT_FALSE(varied.at(std::vector<double>{-1.0, -2.0}));  // a negative period
  EXPECT_FALSE(VariedSetup(*model, "no such case", {}, {"a"}).at(std::vector<double>{1.0}));
  EXPECT_FALSE(VariedSetup(*model, "", {{"b", "unknown"}}, {"a"}).at(std::vector<double>{1.0}));
}

}  // namespace
}  // namespace saltus
