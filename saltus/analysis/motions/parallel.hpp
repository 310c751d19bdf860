#pragma once

#include <cstddef>
#include <functional>

namespace saltus {

/// Calls `body` for 0, 1, …, count − 1 in as many threads as asked for, also where there are fewer processors, and returns when all calls
/// have. What one of them throws is thrown again here. A build without TBB calls one after the other.
void parallel_for_each(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body);

}  // namespace saltus
