#pragma once

#include <string>
#include <vector>

#include "saltus/driver/continuation.hpp"

namespace saltus {

/// The values of the varied parameters in the order of --vary.
std::vector<double> values_of(const BranchPoint& point);

/// "sigma = 0.1, e = 0.8".
std::string place_of(const ContinueResult& result, const BranchPoint& point);

/// The point at which the branch has its end.
const BranchPoint& point_at_end(const ContinueResult& result, std::size_t end);

}  // namespace saltus
