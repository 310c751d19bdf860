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

INSTANTIATE_TEST_SUITE_P(
    Examples, ExampleTangent,
    testing::Values(TangentCase{"bouncing_ball", "", 1.2, {"g", "e"}, {impact}},
                    TangentCase{"bouncing_ball", "plastic", 0.6, {"g"}, {impact, slide_start}},
                    TangentCase{"vibrating_table", "", 8.0, {"A", "omega", "e"}, {impact}},
                    TangentCase{"vibrating_table", "resting", 9.0, {"A", "omega", "e"}, {impact, chatter, slide_start}},
                    TangentCase{"friction_belt", "", 11.0, {"delta", "belt"}, {filippov_start, filippov_end}},
                    TangentCase{"newton_cradle", "", 3.0, {"e", "m2"}, {impact}, {}, {.h = 2e-4}},
                    TangentCase{"driven_pendulum_stop", "", 5.0, {"beta", "epsilon"}, {impact}},
                    TangentCase{"impact_oscillator", "", 7.0, {"omega", "sigma"}, {impact}},
                    TangentCase{"impact_pair", "", 8.0, {"L", "omega"}, {impact}}),
    test::name_of_case);

}  // namespace
}  // namespace saltus
