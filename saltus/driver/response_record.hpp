#pragma once

#include <span>
#include <vector>

#include "saltus/analysis/response/response.hpp"

namespace saltus {

/// A point of a response as a journal holds it, and back.
std::vector<double> record_of(const ResponsePoint& point);
ResponsePoint point_of_record(const std::vector<double>& numbers, std::size_t ramp, std::size_t place);

/// Can the numbers be what `record_of` has written, for a model of this dimension?
bool is_point_record(std::span<const double> numbers, std::size_t dimension);

}  // namespace saltus
