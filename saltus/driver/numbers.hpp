#pragma once

#include <limits>
#include <string>
#include <vector>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// Where a figure or a file has no number.
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

inline std::vector<double> numbers_of(const Vector& x) { return {x.data(), x.data() + x.size()}; }

/// "1 step", "3 steps".
inline std::string counted(long count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// x[first], ..., x[first + count − 1].
inline std::vector<double> part(const Vector& x, std::size_t first, std::size_t count) {
  return {x.data() + first, x.data() + first + count};
}

}  // namespace saltus
