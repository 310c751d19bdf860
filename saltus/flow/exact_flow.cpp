#include "saltus/flow/exact_flow.hpp"

#include "saltus/flow/exact_road.hpp"

namespace saltus {

bool flows_exactly(const Kernels& kernels, const FlowOptions& options) {
  if (options.method == FlowMethod::runge_kutta) return false;
  if (kernels.is_piecewise_linear()) return true;
  if (options.method == FlowMethod::exact)
    throw Error(ExitCode::usage, "method 'exact' needs a model that is linear in every mode\n  use method 'rk'");
  return false;
}

LaneUse exact_flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width,
                         LaneStepper::Carries carries, LaneWork& work) {
  LaneUse use;
  for (std::size_t lane = 0; lane < width; ++lane) use += ExactRoad(kernels, options, carries, work, lane).run();
  return use;
}

}  // namespace saltus
