#pragma once

#include "saltus/report/continuation.hpp"

namespace saltus {

/// The special points of a branch; of a curve in two parameters, which consists of special orbits, what is met along it besides.
std::vector<const BranchPoint*> special_points(const ContinueResult& result);

/// {re, im, abs, log_abs}: ln of the modulus also where that is smaller than any number, null where contact annihilates.
Json multipliers_json(const BranchPoint& point);

/// ln |μ| of multiplier k.
double log_abs(const BranchPoint& point, std::size_t k);

/// The multipliers of the special points, a line each.
std::vector<std::string> multiplier_lines(const ContinueResult& result);

/// Special points with their places and multipliers; `most`: how many multipliers there are.
void add_special_points(ResultFile& file, const ContinueResult& result, std::size_t most);

}  // namespace saltus
