#include "saltus/model/invariance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "saltus/expr/print.hpp"
#include "tests/model/model_text.hpp"

namespace saltus {
namespace {

/// The forms of a force on x beside a free y, as text: "3*x mod 6.283", or "x - y" where it is held.
std::vector<std::string> forms_of(const std::string& force) {
  const auto model = test::model_of(
      "[parameters]\nk = 2\n[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1\", \"0\"], [\"0\", \"1\"]]\nforce "
      "= "
      "[\"" +
      force + "\", \"0\"]\n");
  std::vector<std::string> texts;
  for (const LinearForm& form : model->invariance.forms) {
    std::string text;
    for (const auto& [component, coefficient] : form.coefficients)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", model->component_names()[component],
                          printed(coefficient, 100));
    if (form.period > 0.0) text += fmt::format(" mod {:.4g}", form.period);
    texts.push_back(text);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Invariance, AFreeModelHasNoForms) {
  EXPECT_EQ(forms_of("-x' + cos(t)"), Texts{});
  EXPECT_EQ(forms_of("-sign(x')*k"), Texts{});
}

TEST(Invariance, LinearFormsAreHeldAndThoseUnderPeriodicFunctionsHaveTheirPeriod) {
  EXPECT_EQ(forms_of("-k*x"), Texts{"x: -k"});
  EXPECT_EQ(forms_of("sin(3*x + t)"), Texts{"x: 3 mod 6.283"});
  EXPECT_EQ(forms_of("tan(k*x - k*y)"), (Texts{"x: -k, y: k mod 3.142"}));
  EXPECT_EQ(forms_of("exp(x - y)"), (Texts{"x: 1, y: -1"}));
}

TEST(Invariance, BranchesAndConditionsCountWhetherTheyAreMetOrNot) {
  EXPECT_EQ(forms_of("if(y > 1e9, cos(x), 0)"), (Texts{"x: 1 mod 6.283", "y: 1"}));
  EXPECT_EQ(forms_of("max(x - y, 0)*t"), (Texts{"x: 1, y: -1"}));
}

TEST(Invariance, TermsWithACommonFactorAreOneForm) {
  EXPECT_EQ(forms_of("x*x' - y*x'"), (Texts{"x: 1, y: -1"}));
  EXPECT_EQ(forms_of("(x - y)*sin(x - y)"), (Texts{"x: 1, y: -1", "x: 1, y: -1 mod 6.283"}));
}

TEST(Invariance, NothingLinearHoldsAllThatIsInIt) {
  EXPECT_EQ(forms_of("x*y"), (Texts{"x: 1", "y: 1"}));
  EXPECT_EQ(forms_of("sin(x*y)"), (Texts{"x: 1", "y: 1"}));
}

}  // namespace
}  // namespace saltus
