// Of a build without TBB.

#include "saltus/analysis/motions/parallel.hpp"

namespace saltus {

void parallel_for_each(std::size_t count, unsigned /*threads*/, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace saltus
