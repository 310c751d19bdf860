#pragma once

#include <limits>
#include <vector>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// Where a figure or a file has no number.
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

inline std::vector<double> numbers_of(const Vector& x) { return {x.data(), x.data() + x.size()}; }

/// x[first], ..., x[first + count − 1].
inline std::vector<double> part(const Vector& x, std::size_t first, std::size_t count) {
  return {x.data() + first, x.data() + first + count};
}

}  // namespace saltus
