#include "saltus/report/name_places.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double character_width = 8.0;  // of the usual font, in pixels: what places are counted in
constexpr double character_height = 16.0;
constexpr double capital_width = 10.0;
constexpr double disc = 3.0;  // radius of a point

struct Box {
  double left, right, low, high;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && low < other.high && other.low < high;
  }
};

Box box_of(const NamedPoint& point, const NamePlace& place) {
  const double length = capital_width * static_cast<double>(point.name.size());
  const double from = point.x + character_width * place.right - (place.to_the_left ? length : 0.0);
  const double middle = point.y + character_height * place.up;
  return {from, from + length, middle - 0.45 * character_height, middle + 0.45 * character_height};
}

/// Right and left of the point first; then in columns above and below, farther and farther away.
std::vector<NamePlace> choices_of_place() {
  std::vector<NamePlace> choices = {{false, 0.6, 0.5}, {false, 0.6, -0.6}, {true, -0.6, 0.5}, {true, -0.6, -0.6}};
  for (const double beside : {0.6, 3.0, 7.0, 11.0})
    for (double up = 1.5; up < 10.0; up += 1.1)
      for (const double side : {1.0, -1.0})
        for (const bool left : {false, true})
          choices.push_back({left, left ? -beside : beside, side * up, beside > 1.0 || up > 1.6});
  return choices;
}

bool is_near(const NamedPoint& a, const NamedPoint& b) {
  return std::abs(a.x - b.x) < disc && std::abs(a.y - b.y) < disc;
}

}  // namespace

std::vector<NamePlace> name_places(const std::vector<NamedPoint>& points, double width, double height) {
  const std::vector<NamePlace> choices = choices_of_place();
  std::vector<NamePlace> places;
  std::vector<Box> taken;
  for (const NamedPoint& point : points) {
    const auto covers_another = [&](const Box& box) {
      return std::any_of(points.begin(), points.end(), [&](const NamedPoint& other) {
        return !is_near(point, other) && box.meets({other.x - disc, other.x + disc, other.y - disc, other.y + disc});
      });
    };
    const auto inside = [&](const NamePlace& place) {
      const Box box = box_of(point, place);
      return box.left >= 0.0 && box.right <= width && box.low >= 0.0 && box.high <= height;
    };
    const auto free = [&](const NamePlace& place) {
      const Box box = box_of(point, place);
      return inside(place) && std::none_of(taken.begin(), taken.end(), [&](const Box& b) { return b.meets(box); });
    };
    const auto free_and_clear = [&](const NamePlace& place) {
      return free(place) && !covers_another(box_of(point, place));
    };
    auto best = std::find_if(choices.begin(), choices.end(), free_and_clear);
    if (best == choices.end()) best = std::find_if(choices.begin(), choices.end(), free);
    if (best == choices.end()) best = std::find_if(choices.begin(), choices.end(), inside);
    if (best == choices.end()) best = choices.begin();
    places.push_back(*best);
    taken.push_back(box_of(point, *best));
  }
  return places;
}

}  // namespace saltus
