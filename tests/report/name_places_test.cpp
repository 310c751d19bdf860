#include "saltus/report/name_places.hpp"

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

/// Do two names cover each other?
bool overlap(const NamedPoint& a, const NamePlace& at_a, const NamedPoint& b, const NamePlace& at_b) {
  const auto left = [](const NamedPoint& point, const NamePlace& place) {
    return point.x + 8.0 * place.right - (place.to_the_left ? 9.0 * static_cast<double>(point.name.size()) : 0.0);
  };
  const auto right = [&](const NamedPoint& point, const NamePlace& place) {
    return left(point, place) + 9.0 * static_cast<double>(point.name.size());
  };
  const bool beside = right(a, at_a) <= left(b, at_b) || right(b, at_b) <= left(a, at_a);
  return !beside && std::abs((a.y + 16.0 * at_a.up) - (b.y + 16.0 * at_b.up)) < 14.0;
}

TEST(NamePlaces, ManyNamesInOneSpotStandApartAndLinesLeadToThoseFarAway) {
  std::vector<NamedPoint> crowd;
  for (int i = 0; i < 24; ++i)
    crowd.push_back({300.0 + 2.0 * (i % 5), 150.0 + 1.5 * (i % 7), "GR" + std::to_string(i)});
  const auto places = name_places(crowd, 650, 310);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(overlap(crowd[i], places[i], crowd[k], places[k])) << crowd[i].name << " on " << crowd[k].name;
    EXPECT_EQ(places[i].far, std::abs(places[i].up) > 1.6 || std::abs(places[i].right) > 1.0);
  }
  EXPECT_FALSE(places.front().far);
  EXPECT_TRUE(places.back().far);
}

TEST(NamePlaces, ANameDoesNotCoverAnotherPoint) {
  // The second point stands where the first one's name would.
  const auto places = name_places({{100, 100, "LP1"}, {118, 108, "PD1"}}, 600, 300);
  EXPECT_TRUE(places[0].up < 0.0 || places[0].to_the_left);
}

TEST(NamePlaces, WhereThereIsNoRoomANameIsStillThere) {
  const std::vector<NamedPoint> heap(30, NamedPoint{5, 5, "PD1"});
  EXPECT_EQ(name_places(heap, 10, 10).size(), 30U);
}

}  // namespace
}  // namespace saltus
