#pragma once

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// True if the runs of these kernels are computed in closed form. Throws Error(usage) if that is asked for and impossible.
bool flows_exactly(const Kernels& kernels, const FlowOptions& options);

/// flow_lanes for models that are linear in every mode: x(t + τ) by the exponential of the system augmented with its
/// forcing, event times from the roots of the closed form, tangent and parameter columns likewise. Lanes are served one after
/// the other.
LaneUse exact_flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width,
                         LaneStepper::Carries carries, LaneWork& work);

}  // namespace saltus
