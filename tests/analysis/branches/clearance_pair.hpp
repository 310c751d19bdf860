#pragma once
// Two masses with clearances in a test's own words.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/analysis/orbits/orbit.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {

constexpr double trace_of_damping = 2.0 * (0.05 + 0.05 * 1.1);  // of Z: 2 (ζ11 + ζ22 ω22)

inline FlowOptions road(FlowMethod method) {
  FlowOptions options = orbit_flow_options();
  options.method = method;
  return options;
}

inline Motion pair(const std::string& case_name, FlowMethod method, const std::vector<Assignment>& set = {},
                   const std::vector<std::string>& varied = {}) {
  return Motion::example("clearance_pair",
                         {.case_name = case_name, .set = set, .varied = varied, .options = road(method)});
}

/// The branch in η between two bounds through the motion of some periods that a simulation from rest leads to at `eta`.
inline Branch branch_from_rest(const std::string& case_name, FlowMethod method, const std::string& eta, double lower,
                               double upper, long periods = 1) {
  const Motion m = pair(case_name, method, {{"eta", eta}}, {"eta"});
  const Vector settled = m.flow_from({}, m.start(), {400, 0.0}).end.x;
  const OrbitSystem system{m.kernels(), m.options, m.rates(), {}};
  const PlanReading read = read_plan(m.kernels(), m.options, m.rates(), m.rates().start(), settled, periods, {});
  if (!read.orbit) throw std::runtime_error(read.problem);
  BranchOptions bounds;
  bounds.curve.lower = lower;
  bounds.curve.upper = upper;
  bounds.names = event_names(m.model());
  const CorrectedOrbit orbit = nearby_orbit(system, *read.orbit, {});
  if (!orbit.orbit) throw std::runtime_error(orbit.problem);
  return branch_through(system, *orbit.orbit, bounds);
}

}  // namespace saltus::test
