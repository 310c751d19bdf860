#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/orbits/orbit_plan.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/parameter_rates.hpp"

namespace saltus {

/// Where returns are counted: once per forcing period, or at a section.
struct ReturnPlace {
  std::optional<Watch> section;  // of an autonomous system
  double longest = 1e4;  // time between two returns of an autonomous system
  std::optional<double> duration = {};  // of an autonomous orbit: then the section is not asked
};

/// The motion from x (at phase 0) over k returns as a guess of an orbit: its sequence is read off the event-driven motion.
struct PlanReading {
  std::optional<PlannedOrbit> orbit;
  std::string problem;  // why there is none: "contacts are struck together", "the section is not met again"
  std::vector<std::size_t> contacts;  // that it is about
};
PlanReading read_plan(const Kernels& kernels, const FlowOptions& options, const ParameterRates& rates,
                      const std::vector<double>& varied, const Vector& x, long k, const ReturnPlace& place);

}  // namespace saltus
