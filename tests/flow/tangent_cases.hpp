#pragma once
// An example model over a run with events, its tangent against central differences of the flow.

#include "tests/support/flow_support.hpp"

namespace saltus::test {

struct TangentCase {
  std::string name, case_name;
  double T;
  std::vector<std::string> varied;
  std::vector<EventKind> passes;  // what the run must contain
  std::vector<Assignment> set = {};
  TangentCheck check = {};
  FlowMethod method = FlowMethod::runge_kutta;
};

/// The same by the other road, for models that are piecewise linear.
inline TangentCase in_closed_form(TangentCase c) {
  c.method = FlowMethod::exact;
  return c;
}

inline void expect_tangent_of(const TangentCase& c) {
  FlowOptions options = tight();
  options.method = c.method;
  const Motion motion =
      Motion::example(c.name, {.case_name = c.case_name, .set = c.set, .varied = c.varied, .options = options});
  const FlowResult result = motion.until(c.T);
  for (const EventKind kind : c.passes)
    EXPECT_GT(count_of(result, kind), 0U) << name_of(kind) << " is not met\n" << sequence_of(result);
  expect_tangent(motion, c.T, c.check);
}

inline std::string name_of_case(const testing::TestParamInfo<TangentCase>& tested) {
  return tested.param.name + "_" + tested.param.case_name + "_" + std::to_string(tested.index);
}

}  // namespace saltus::test
