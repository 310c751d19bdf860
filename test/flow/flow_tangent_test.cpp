// The tangent through every kind of event, against central differences of the flow.

#include "test/support/flow_support.hpp"

namespace saltus {
namespace {

using test::count_of;
using test::expect_tangent;
using test::Motion;
using test::tight;

struct Case {
  std::string name, case_name;
  double T;
  std::vector<std::string> varied;
  std::vector<Assignment> set = {};
  test::TangentCheck check = {};
};

class ExampleTangent : public testing::TestWithParam<Case> {};

TEST_P(ExampleTangent, AgreesWithCentralDifferencesAtSecondOrderInStatesAndParameters) {
  const Case& c = GetParam();
  const Motion motion = Motion::example(c.name, {.case_name = c.case_name, .set = c.set, .varied = c.varied, .options = tight()});
  expect_tangent(motion, c.T, c.check);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, ExampleTangent,
    testing::Values(Case{"bouncing_ball", "", 1.2, {"g", "e"}},
                    Case{"bouncing_ball", "plastic", 0.6, {"g"}},
                    Case{"vibrating_table", "", 8.0, {"A", "omega", "e"}},
                    Case{"vibrating_table", "resting", 9.0, {"A", "omega", "e"}},
                    Case{"friction_belt", "", 3.0, {"delta", "belt"}},
                    Case{"newton_cradle", "", 3.0, {"e", "m2"}, {}, {.h = 2e-4}},
                    Case{"double_pendulum_wall", "", 2.0, {"l1", "e_wall"}},
                    Case{"driven_pendulum_stop", "", 5.0, {"beta", "epsilon"}},
                    Case{"impact_oscillator", "", 7.0, {"omega", "sigma"}},
                    Case{"impact_pair", "", 8.0, {"L", "omega"}},
                    Case{"clearance_pair", "trilinear", 12.0, {"eta", "slope"}},
                    Case{"triple_pendulum_barrier", "fig3a", 8.0, {"c1", "omega", "eta"}, {}, {.h = 1e-5, .smallest = 1e-8}},
                    Case{"triple_pendulum_barrier", "fig3b", 10.0, {"c1", "omega", "eta", "e"}},
                    Case{"triple_pendulum_barrier", "fig4cd", 10.0, {"c1"}},
                    Case{"triple_pendulum_barrier", "fig4ef", 12.0, {"c1"}},
                    Case{"triple_pendulum_torque", "q1_2", 6.0, {"q1", "l1"}},
                    Case{"piston_crank", "", 0.003, {"e"}, {}, {.h = 2e-7, .smallest = 1e-11}}),
    [](const auto& tested) {
      return tested.param.name + "_" + tested.param.case_name + "_" + std::to_string(tested.index);
    });

}  // namespace
}  // namespace saltus
