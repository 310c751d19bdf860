#include "saltus/model/switches.hpp"

#include "tests/model/model_text.hpp"

namespace saltus {
namespace {

std::vector<std::string> surfaces_of_force(const std::string& force) {
  const auto model =
      test::model_of("[parameters]\na = 0.5\nb = 2\n[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"" +
                     force + "\"]\n[initial]\nx = 0.1\n");
  std::vector<std::string> texts;
  if (model)
    for (const Switch& s : model->switches) texts.push_back(s.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Switches, ASmoothForceHasNone) { EXPECT_EQ(surfaces_of_force("-x - x'"), Texts{}); }

TEST(Switches, EachKindOfPieceHasItsSurface) {
  EXPECT_EQ(surfaces_of_force("if(x > 1, 1, 0)"), Texts{"x - 1"});
  EXPECT_EQ(surfaces_of_force("if(x' >= a, 1, 0)"), Texts{"x' - a"});
  EXPECT_EQ(surfaces_of_force("-abs(x - a)"), Texts{"x - a"});
  EXPECT_EQ(surfaces_of_force("-sign(x')"), Texts{"x'"});
  EXPECT_EQ(surfaces_of_force("min(x, b*x')"), Texts{"x - b*x'"});
  EXPECT_EQ(surfaces_of_force("max(0, x - 1)"), Texts{"x - 1"});
  EXPECT_EQ(surfaces_of_force("if(cos(t) > 0, 1, -1)"), Texts{"cos(t)"});
}

TEST(Switches, BothDirectionsOfAComparisonAreOneSurface) {
  EXPECT_EQ(surfaces_of_force("if(x > 1, 1, 0) + if(x < 1, 2, 0) + if(1 <= x, 1, 0) - abs(1 - x)"), Texts{"x - 1"});
}

TEST(Switches, ConditionsOnParametersAloneAreNotSwitches) {
  EXPECT_EQ(surfaces_of_force("if(a > 1, x, -x) + max(a, b)*x + abs(a)"), Texts{});
}

TEST(Switches, TheyStandInOrderOfAppearance) {
  EXPECT_EQ(surfaces_of_force("sign(x') + abs(x) + if(t > 3, 1, 0)"), (Texts{"x'", "x", "t - 3"}));
  EXPECT_EQ(surfaces_of_force("if(t > 3, 1, 0) + abs(x) + sign(x')"), (Texts{"t - 3", "x", "x'"}));
}

TEST(Switches, BothConditionsOfAConjunctionCount) {
  EXPECT_EQ(surfaces_of_force("if(x > 1 and not x' > 2, 1, 0)"), (Texts{"x - 1", "x' - 2"}));
}

TEST(Switches, RatesOfStatesHaveThemToo) {
  const auto model = test::model_of(test::ball + "states = [\"p\"]\nrates = [\"-abs(p)\"]\n");
  ASSERT_TRUE(model);
  ASSERT_EQ(model->switches.size(), 1U);
  EXPECT_EQ(model->switches[0].text, "p");
  EXPECT_EQ(model->switches[0].span.line, 6);
}

}  // namespace
}  // namespace saltus
