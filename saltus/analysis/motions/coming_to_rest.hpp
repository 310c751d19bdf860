#pragma once

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// An autonomous motion that has nearly come to rest repeats to any tolerance that its former ranges give, also on the way of a spiral.
/// `seen` without its period if between two of its returns, for the time `once` from `at_end` on, the motion goes by so little of the
/// sizes that its points must repeat by so much better, and do not.
Recurrence unless_coming_to_rest(Recurrence seen, std::span<const Vector> points, const Kernels& kernels,
                                 const FlowOptions& options, const FlowRun& at_end, double once,
                                 const Translations& translations, const StateSizes& sizes);

}  // namespace saltus
