#include "saltus/flow/lane_set.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus {
namespace {

std::vector<std::size_t> lanes_of(LaneSet set) {
  std::vector<std::size_t> lanes;
  for (const std::size_t l : set) lanes.push_back(l);
  return lanes;
}

/// Against a set that is an array of answers, for all 256 × 256 pairs of sets of eight lanes.
TEST(LaneSet, AllPairsOfSetsAreWhatArraysOfAnswersSay) {
  for (unsigned a = 0; a < 256; ++a) {
    LaneSet first;
    for (std::size_t l = 0; l < 8; ++l) first.set(l, ((a >> l) & 1U) != 0);
    for (unsigned b = 0; b < 256; ++b) {
      const LaneSet second = lanes_where(8, [b](std::size_t l) { return ((b >> l) & 1U) != 0; });
      std::vector<std::size_t> both, either, first_only;
      for (std::size_t l = 0; l < 8; ++l) {
        const bool in_a = ((a >> l) & 1U) != 0, in_b = ((b >> l) & 1U) != 0;
        if (in_a && in_b) both.push_back(l);
        if (in_a || in_b) either.push_back(l);
        if (in_a && !in_b) first_only.push_back(l);
      }
      ASSERT_EQ(lanes_of(first & second), both);
      ASSERT_EQ(lanes_of(first | second), either);
      ASSERT_EQ(lanes_of(first - second), first_only);
      ASSERT_EQ((first | second).count(), static_cast<long>(either.size()));
      ASSERT_EQ(first == second, a == b);
      if (either.empty()) continue;
      ASSERT_EQ((first | second).first(), either.front());
      ASSERT_EQ((first | second).last(), either.back());
    }
  }
}

TEST(LaneSet, HoldsNoLaneBeyondItsWidth) {
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    EXPECT_EQ(LaneSet::all(width).count(), static_cast<long>(width));
    EXPECT_EQ(LaneSet::all(width).last(), width - 1);
    EXPECT_EQ(lanes_where(width, [](std::size_t) { return true; }), LaneSet::all(width));
  }
  EXPECT_TRUE(LaneSet().empty());
}

TEST(LaneSet, MayChangeWhileItIsGoneThrough) {
  LaneSet set = LaneSet::all(8);
  std::vector<std::size_t> seen;
  for (const std::size_t l : set) {
    seen.push_back(l);
    set.remove(l);
    set.set((l + 1) % 8, false);
  }
  EXPECT_EQ(seen, lanes_of(LaneSet::all(8)));
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace saltus
