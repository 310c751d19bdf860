#pragma once

#include "saltus/flow/exact_mode.hpp"

namespace saltus {

/// The motion in one mode at given parameters, read off the programs of the kernels, with all its tables.
ExactMode assembled_mode(const Kernels& kernels, const std::vector<double>& parameter_inputs, const Mode& mode);

}  // namespace saltus
