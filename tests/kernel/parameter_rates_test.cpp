#include "saltus/kernel/parameter_rates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/kernel/equations.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

/// w2 and w3 follow w, the forcing period follows w2.
const char* const chain = R"toml(
[parameters]
w  = 2.0
w2 = "w^2"
w3 = "w*w2 + 1"
free = 5.0
e = "w/10"
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-w3*x + cos(w2*t)"]
[[contact]]
name = "stop"
gap = "1 - x"
restitution = "e"
[forcing]
period = "2*pi/w2"
)toml";

struct Family {
  std::shared_ptr<const Model> model;
  Layout layout;
  Setup setup;

  static Family of(const std::vector<std::string>& varied, const std::vector<Assignment>& set = {}) {
    Family family;
    family.model = read_model("chain.toml", chain).model;
    KernelOptions options;
    for (const std::string& name : varied) options.varied.push_back(*parameter_index(*family.model, name));
    options.followed = followed_parameters(*family.model, "", set, options.varied);
    family.layout = equations_of(*family.model, options).layout;
    family.setup = *set_up(*family.model, "", set).setup;
    return family;
  }
  ParameterRates rates() const { return {model, layout, setup.parameters}; }
};

TEST(ParameterRates, FollowTheChainRuleOverTheExpressionsOfTheModel) {
  const Family family = Family::of({"w"});
  const ParameterPoint p = family.rates().at_start();
  ASSERT_EQ(p.inputs.size(), family.layout.parameter_inputs());
  // ∂w2/∂w = 2w, ∂w3/∂w = w2 + w·2w = 3w², ∂e/∂w = 1/10, ∂T/∂w = −4π/w³.
  const std::vector<double> expected = {4.0, 12.0, 0.1};
  EXPECT_CLOSE(std::vector<double>(p.inputs.begin() + 5, p.inputs.end()), expected, rounding(4));
  EXPECT_CLOSE(p.period_rates.at(0), -4.0 * std::numbers::pi / 8.0, rounding(8));
}

TEST(ParameterRates, AnotherValueGivesWhatTheModelGivesWhenItIsSetThere) {
  const Family family = Family::of({"w", "free"});
  for (const double w : {0.3, 1.7, 9.9}) {
    const ParameterPoint p = family.rates().at(std::vector<double>{w, 4.0});
    const saltus::Setup there = *set_up(*family.model, "", {{"w", fmt::format("{:.17g}", w)}, {"free", "4"}}).setup;
    EXPECT_CLOSE(std::vector<double>(p.inputs.begin(), p.inputs.begin() + 5), there.parameters, exact);
    EXPECT_CLOSE(p.period, there.forcing_period, exact);
    EXPECT_EQ(p.problem, "");
  }
}

TEST(ParameterRates, AParameterThatIsSetNoLongerFollows) {
  const Family family = Family::of({"w"}, {{"w2", "7"}});
  const ParameterPoint p = family.rates().at(std::vector<double>{3.0});
  EXPECT_CLOSE(p.inputs.at(1), 7.0, exact);
  EXPECT_CLOSE(p.inputs.at(2), 3.0 * 7.0 + 1.0, exact);
  EXPECT_CLOSE(p.period_rates.at(0), 0.0, exact);
  // A varied parameter is free of the others, too.
  const Family two = Family::of({"w", "w2"});
  const ParameterPoint q = two.rates().at(std::vector<double>{3.0, 1.0});
  EXPECT_CLOSE(q.inputs.at(1), 1.0, exact);
  EXPECT_CLOSE(q.inputs.at(2), 4.0, exact);
}

TEST(ParameterRates, ValuesWithoutMeaningAreSaid) {
  const Family family = Family::of({"w"});
  EXPECT_EQ(family.rates().at(std::vector<double>{11.0}).problem, "the restitution of contact 'stop' is 1.1");
  EXPECT_EQ(family.rates().at(std::vector<double>{0.0}).problem, "the period of the forcing is inf");
}

}  // namespace
}  // namespace saltus
