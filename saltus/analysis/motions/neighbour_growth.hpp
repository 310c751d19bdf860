#pragma once

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/analysis/motions/state_sizes.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// A forced motion and its neighbours.
struct NeighbourGrowth {
  double largest = 0.0;  // ln of the factor by which their distance grows at most, from any instant to a later one
  bool forgets = false;  // a contact makes them the same
};

/// Followed for so many forcing periods, the neighbour set back again and again to a small distance; where a contact makes both the same
/// another one is followed.
NeighbourGrowth neighbour_growth(const Kernels& kernels, const FlowOptions& options, const FlowRun& from,
                                 std::size_t periods, const Translations& translations, const StateSizes& sizes);

/// A forced motion that is somewhere held by a contact, and forgets there all that came before, repeats as computed, to the last bit; but
/// where neighbours part by more than all digits until the next such contact, rounding decides when that comes: then `seen` without its
/// period. If it was not seen to repeat, it is not said that it does not.
Recurrence unless_by_rounding(Recurrence seen, const Kernels& kernels, const FlowOptions& options, const FlowRun& from,
                              const Translations& translations, const StateSizes& sizes);

}  // namespace saltus
