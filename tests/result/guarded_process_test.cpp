#include "saltus/result/guarded_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace saltus {
namespace {

TEST(GuardedProcess, HandsOverWhatWasMadeOrNothing) {
  const std::string long_text(1'000'000, 'x');
  EXPECT_EQ(from_guarded_process([&] { return long_text; }), long_text);
  EXPECT_EQ(from_guarded_process([]() -> std::string { std::abort(); }), std::nullopt);
  EXPECT_EQ(from_guarded_process([]() -> std::string { throw 1; }), std::nullopt);
}

TEST(GuardedProcess, LeavesARequestToEndToItsParent) {
  for (const int request : {SIGINT, SIGTERM})
    EXPECT_EQ(from_guarded_process([=] {
                std::raise(request);
                return std::string("whole");
              }),
              "whole");
}

}  // namespace
}  // namespace saltus
