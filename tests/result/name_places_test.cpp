#include "saltus/result/name_places.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus {
namespace {

TEST(NamePlaces, ANameStandsToTheRightOfItsPointAndAboveIt) {
  const auto places = name_places({{100, 100, "LP1"}}, 600, 300);
  EXPECT_FALSE(places[0].to_the_left);
  EXPECT_GT(places[0].up, 0.0);
}

TEST(NamePlaces, AtTheRightEdgeANameStandsToTheLeft) {
  EXPECT_TRUE(name_places({{595, 100, "GR12"}}, 600, 300)[0].to_the_left);
  EXPECT_LT(name_places({{100, 299, "GR12"}}, 600, 300)[0].up, 0.0);
}

TEST(NamePlaces, NamesOfOnePointStandApart) {
  const auto places = name_places({{300, 100, "LP1"}, {300, 100, "BP1"}, {301, 101, "GR1"}}, 600, 300);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_TRUE(places[i].to_the_left != places[k].to_the_left || std::abs(places[i].up - places[k].up) >= 0.9);
}

TEST(NamePlaces, WhereThereIsNoRoomANameIsStillThere) {
  const std::vector<NamedPoint> heap(30, NamedPoint{5, 5, "PD1"});
  EXPECT_EQ(name_places(heap, 10, 10).size(), 30U);
}

}  // namespace
}  // namespace saltus
