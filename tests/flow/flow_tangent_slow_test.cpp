// The tangent of the larger examples, through chatter, sliding on one and several contacts, and impacts while sliding.

#include "tests/flow/tangent_cases.hpp"

namespace saltus {
namespace {

using test::TangentCase;
using enum EventKind;

class LargeExampleTangent : public testing::TestWithParam<TangentCase> {};

TEST_P(LargeExampleTangent, AgreesWithCentralDifferencesAtSecondOrderInStatesAndParameters) {
  test::expect_tangent_of(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Examples, LargeExampleTangent,
    testing::Values(TangentCase{"double_pendulum_wall", "", 2.0, {"l1", "e_wall"}, {impact}},
                    TangentCase{"clearance_pair", "trilinear", 12.0, {"eta", "slope"}, {switched}},
                    // c1 has followers: c2 and c3 move with it. An early impact is nearly grazing: small steps only.
                    TangentCase{"triple_pendulum_barrier",
                                "fig3a",
                                8.0,
                                {"c1", "omega", "eta"},
                                {impact},
                                {},
                                {.h = 1e-5, .smallest = 1e-8}},
                    TangentCase{"triple_pendulum_barrier",
                                "fig3b",
                                10.0,
                                {"c1", "omega", "eta", "e"},
                                {impact, chatter, slide_start, slide_end}},
                    TangentCase{
                        "triple_pendulum_barrier", "fig4cd", 10.0, {"c1"}, {impact, chatter, slide_start, slide_end}},
                    TangentCase{"triple_pendulum_barrier", "fig4ef", 12.0, {"c1"}, {impact, slide_start, slide_end}},
                    TangentCase{"triple_pendulum_torque", "q1_163", 4.0, {"q1", "l1"}, {impact}, {}, {.h = 2e-4}},
                    TangentCase{"piston_crank",
                                "",
                                0.0032,
                                {"e"},
                                {impact},
                                {},
                                {.h = 4e-7, .smallest = 1e-8, .scale = {1, 1, 1, 300, 300, 300, 100}}}),
    test::name_of_case);

}  // namespace
}  // namespace saltus
