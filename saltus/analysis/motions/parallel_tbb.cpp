#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "saltus/analysis/motions/parallel.hpp"

namespace saltus {

void parallel_for_each(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body) {
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // More threads than processors are computed too, only not at once; without leave the library would complain.
  const tbb::global_control leave(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner()); });
}

}  // namespace saltus
