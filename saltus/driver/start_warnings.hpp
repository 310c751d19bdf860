#pragma once

#include <vector>

#include "saltus/base/diagnostic.hpp"
#include "saltus/kernel/kernels.hpp"
#include "saltus/model/model.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// A warning for each switching surface on which the initial state lies and that it may leave to either side: the model does not say
/// which, and the motion that is shown is one of several.
std::vector<Diagnostic> start_warnings(const Kernels& kernels, const Model& model, const Vector& x,
                                       const std::vector<double>& parameters);

/// Adds them to the warnings of a command, of which several motions begin at such a state: those of the first one are enough. Returns
/// whether there were any.
bool warn_of_start(std::vector<Diagnostic>& warnings, const Kernels& kernels, const Model& model, const Vector& x,
                   const std::vector<double>& parameters);

}  // namespace saltus
