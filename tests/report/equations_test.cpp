#include "saltus/report/equations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/small_models.hpp"

namespace saltus {
namespace {

using test::request_for;
using testing::HasSubstr;

TEST(Equations, EnergiesOfAPendulumGiveItsMomentOfInertiaAndWeight) {
  const Json json = to_json(run(request_for<EquationsRequest>(test::pendulum)));
  EXPECT_EQ(json["mass"], Json::array({Json::array({"l^2*m"})}));
  EXPECT_EQ(json["force"], Json::array({"-g*l*m*sin(phi)"}));
  EXPECT_TRUE(json["gaps"].empty());
}

TEST(Equations, TheRateOfAGapHasTheSpeedOfTheMovingWall) {
  const Json gaps = to_json(run(request_for<EquationsRequest>(test::ball)))["gaps"];
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0]["contact"], "floor");
  EXPECT_EQ(gaps[0]["gap"], "z - 0.25*sin(2*t)");
  EXPECT_EQ(gaps[0]["rate"], "z' - 0.5*cos(2*t)");  // ∂h/∂q · v + ∂h/∂t
  EXPECT_EQ(gaps[0]["restitution"], "weaker");
}

TEST(Equations, DerivingThemLeavesTheGraphOfTheModelAsItWas) {
  const PreparedModel before = prepared(request_for<Request>(test::ball));
  const EquationsResult result = run(request_for<EquationsRequest>(test::ball));
  EXPECT_EQ(result.prepared.model->graph->size(), before.model->graph->size());
}

TEST(Equations, TheTextHasOneEntryALineAndTheValuesOfTheParameters) {
  const std::string text = to_text(run(request_for<EquationsRequest>(test::ball)));
  EXPECT_THAT(text, HasSubstr("\nmass matrix\n  M[1,1]  = 2\n"));
  EXPECT_THAT(text, HasSubstr("\nswitching surfaces\n  s[1]  = z - 1\n"));
  EXPECT_THAT(text, HasSubstr("\nparameters\n  g       = 9.81\n"));
}

/// What LaTeX refuses first: braces, delimiters and environments that do not close.
void expect_balanced(const std::string& latex) {
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = latex.find(what); at != std::string::npos; at = latex.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("{"), count("}"));
  EXPECT_EQ(count("\\left"), count("\\right"));
  EXPECT_EQ(count("\\begin"), count("\\end"));
  EXPECT_THAT(latex, testing::StartsWith("\\begin{align*}\n"));
  EXPECT_THAT(latex, testing::EndsWith("\\end{align*}\n"));
}

TEST(Equations, LatexIsOneBalancedBlockForEveryForm) {
  for (const std::string& text : {test::ball, test::pendulum, test::hill}) {
    EquationsRequest request = request_for<EquationsRequest>(text);
    request.notation = Notation::latex;
    expect_balanced(to_text(run(request)));
  }
}

}  // namespace
}  // namespace saltus
