#pragma once

#include <span>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// A forced motion whose last `k` points of the strobe repeat, because contact makes it forget everything once in that time: does it
/// still, if every point is disturbed by what the computation does not resolve? What a contact annihilates may have grown by more than
/// all digits since the one before; then rounding decides when the next comes, and with it after how many points the motion repeats,
/// though the computed motion does so exactly. Each half of two rounds must come back to one of the points at its time.
bool repeats_despite_rounding(const Kernels& kernels, const FlowOptions& options, const FlowRun& at_end,
                              std::span<const Vector> points, std::size_t k, const Translations& translations,
                              const StateSizes& sizes);

}  // namespace saltus
