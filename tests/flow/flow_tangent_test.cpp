// The tangent through every kind of event, in states and parameters, against central differences of the flow.

#include "tests/flow/tangent_cases.hpp"
#include "tests/support/oracles.hpp"

namespace saltus {
namespace {

using test::TangentCase;
using enum EventKind;

class ExampleTangent : public testing::TestWithParam<TangentCase> {};

TEST_P(ExampleTangent, AgreesWithCentralDifferencesAtSecondOrderInStatesAndParameters) {
  test::expect_tangent_of(GetParam());
}

const std::vector<TangentCase> linear_cases = {
    {"bouncing_ball", "", 1.2, {"g", "e"}, {impact}},
    {"bouncing_ball", "plastic", 0.6, {"g"}, {impact, slide_start}},
    {"vibrating_table", "", 8.0, {"A", "omega", "e"}, {impact}},
    {"vibrating_table", "resting", 9.0, {"A", "omega", "e"}, {impact, chatter, slide_start}},
    {"newton_cradle", "", 3.0, {"e", "m2"}, {impact}, {}, {.h = 2e-4}},
    {"impact_oscillator", "", 7.0, {"omega", "sigma"}, {impact}},
    {"impact_pair", "", 8.0, {"L", "omega"}, {impact}}};

std::vector<TangentCase> closed_forms() {
  std::vector<TangentCase> cases;
  for (const TangentCase& c : linear_cases) cases.push_back(test::in_closed_form(c));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Linear, ExampleTangent, testing::ValuesIn(linear_cases), test::name_of_case);
INSTANTIATE_TEST_SUITE_P(LinearInClosedForm, ExampleTangent, testing::ValuesIn(closed_forms()), test::name_of_case);
INSTANTIATE_TEST_SUITE_P(
    Examples, ExampleTangent,
    testing::Values(TangentCase{"driven_pendulum_stop", "", 5.0, {"beta", "epsilon"}, {impact}},
                    TangentCase{"friction_belt", "", 11.0, {"delta", "belt"}, {filippov_start, filippov_end}}),
    test::name_of_case);

TEST(Tangent, OfAnImpactWhileSlidingAgreesWithCentralDifferences) {
  // A block falls on a curved plastic floor, slides down along it and strikes a leaning wall.
  const test::Motion m = test::Motion::of(R"toml([parameters]
e = 0.5
k = 0.5
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["-k*x", "-1"]
[[contact]]
name = "floor"
gap = "y + x^2/8"
restitution = "0"
[[contact]]
name = "wall"
gap = "1 - x + x*y/2"
restitution = "e"
[initial]
y = 0.02
"x'" = 1.4
)toml",
                                          {.varied = {"e", "k"}, .options = test::tight()});
  const FlowResult result = m.until(1.2);
  std::size_t while_sliding = 0;
  for (const Event& event : result.events)
    while_sliding += event.kind == impact && event.index == 1 && event.t > result.events.front().t ? 1 : 0;
  EXPECT_CLOSE(test::count_of(result, slide_start) > 0, true, exact);
  EXPECT_GE(while_sliding, 1U) << test::sequence_of(result);
  test::expect_tangent(m, 1.2);
}

TEST(Tangent, OfContactsStruckInOneInstantIsThatOfEachAlone) {
  const std::string rest = R"toml([forcing]
period = "pi"
[initial]
x = -1
)toml";
  const std::string front = R"toml([[contact]]
name = "front"
gap = "0.1 - x"
restitution = 0.7
)toml";
  const test::Motion one = test::Motion::of(R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(2*t) - 0.2*x' - x"]
)toml" + front + rest,
                                            {.options = test::tight()});
  const test::Motion two = test::Motion::of(R"toml([mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["cos(2*t) - 0.2*x' - x", "cos(2*t) - 0.2*y' - y"]
)toml" + front + R"toml([[contact]]
name = "rear"
gap = "0.1 - y"
restitution = 0.7
)toml" + rest + "y = -1\n",
                                            {.options = test::tight()});
  const FlowResult alone = one.until(7.0, test::Carries::state_and_tangent);
  const FlowResult both = two.until(7.0, test::Carries::state_and_tangent);
  ASSERT_GE(test::count_of(alone, impact), 2U);
  ASSERT_EQ(test::count_of(both, impact), 2 * test::count_of(alone, impact));
  const Matrix& X = both.end.tangent;
  for (const Eigen::Index body : {0, 1}) {
    const std::vector<Eigen::Index> own = {body, body + 2};
    const std::vector<Eigen::Index> other = {1 - body, 3 - body};
    EXPECT_CLOSE(Matrix(X(own, own)), alone.end.tangent, integration(1e-9, 1.0, 1.0));
    EXPECT_CLOSE(Matrix(X(own, other)), Matrix(Matrix::Zero(2, 2)), integration(1e-9, 1.0, 1.0));
  }
}

}  // namespace
}  // namespace saltus
