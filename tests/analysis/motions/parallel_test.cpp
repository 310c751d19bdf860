#include "saltus/analysis/motions/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace saltus {
namespace {

TEST(ParallelForEach, CallsEachIndexOnceWithAnyNumberOfThreads) {
  for (const unsigned threads : {0U, 1U, 2U, 9U}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for_each(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelForEach, OfNothingCallsNothing) {
  parallel_for_each(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelForEach, ThrowsWhatACallThrows) {
  for (const unsigned threads : {1U, 4U})
    EXPECT_THROW(
        parallel_for_each(8, threads, [](std::size_t i) { i == 5 ? throw std::runtime_error("five") : void(); }),
        std::runtime_error);
}

// Jobs that wait for each other end only if there are as many threads as asked for, even with fewer processors.
TEST(ParallelForEach, HasAsManyThreadsAsAskedFor) {
  constexpr std::size_t threads = 6;
  std::atomic<std::size_t> there = 0;
  parallel_for_each(threads, threads, [&](std::size_t) {
    ++there;
    there.notify_all();
    for (std::size_t now = there; now < threads; now = there) there.wait(now);
  });
  EXPECT_EQ(there, threads);
}

}  // namespace
}  // namespace saltus
