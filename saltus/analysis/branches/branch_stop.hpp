#pragma once

#include "saltus/analysis/branches/orbit_branch.hpp"

namespace saltus {

/// PD, or PD2 behind the second.
std::string in_words(const BranchStop& stop);

/// The first of points in their order at which one of the stops is met, and which.
struct MetStop {
  std::size_t point;
  BranchStop stop;
};
std::optional<MetStop> met_stop(const std::vector<BranchPoint>& points, const std::vector<BranchStop>& stops);

}  // namespace saltus
