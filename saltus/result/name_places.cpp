#include "saltus/result/name_places.hpp"

#include <algorithm>

namespace saltus {
namespace {

constexpr double character_width = 8.0;  // of the usual font, in pixels
constexpr double character_height = 16.0;

struct Box {
  double left, right, low, high;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && low < other.high && other.low < high;
  }
};

Box box_of(const NamedPoint& point, const NamePlace& place) {
  const double length = character_width * static_cast<double>(point.name.size());
  const double from = point.x + character_width * place.right - (place.to_the_left ? length : 0.0);
  const double middle = point.y + character_height * place.up;
  return {from, from + length, middle - 0.45 * character_height, middle + 0.45 * character_height};
}

}  // namespace

std::vector<NamePlace> name_places(const std::vector<NamedPoint>& points, double width, double height) {
  constexpr NamePlace choices[] = {{false, 0.6, 0.5}, {false, 0.6, -0.6}, {true, -0.6, 0.5}, {true, -0.6, -0.6},
                                   {false, 0.6, 1.5}, {false, 0.6, -1.6}, {true, -0.6, 1.5}, {true, -0.6, -1.6}};
  std::vector<NamePlace> places;
  std::vector<Box> taken;
  for (const NamedPoint& point : points) {
    const auto inside = [&](const NamePlace& place) {
      const Box box = box_of(point, place);
      return box.left >= 0.0 && box.right <= width && box.low >= 0.0 && box.high <= height;
    };
    const auto free = [&](const NamePlace& place) {
      const Box box = box_of(point, place);
      return inside(place) && std::none_of(taken.begin(), taken.end(), [&](const Box& b) { return b.meets(box); });
    };
    const NamePlace* best = std::find_if(std::begin(choices), std::end(choices), free);
    if (best == std::end(choices)) best = std::find_if(std::begin(choices), std::end(choices), inside);
    if (best == std::end(choices)) best = std::begin(choices);
    places.push_back(*best);
    taken.push_back(box_of(point, *best));
  }
  return places;
}

}  // namespace saltus
