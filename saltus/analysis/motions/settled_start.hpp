#pragma once

#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/parameter_rates.hpp"

namespace saltus {

/// A state put on the surfaces on which it rests: contacts that it touches to the accuracy of a stored orbit, or that have moved over it
/// with the parameter, and switches that it lies on to that accuracy and from which neither side leads away. A slide is then recognised
/// as one, also where an orbit is cut in the middle of it.
Vector settled_start(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const Time& t,
                     const Vector& x);

}  // namespace saltus
