#include "saltus/report/level_curves.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

struct Corner {
  double x, y, value;  // value − level
};

struct Point {
  double x, y;
};

Point crossing(const Corner& a, const Corner& b) {
  const double s = a.value / (a.value - b.value);
  return {a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)};
}

void add_piece(Curve& curve, Point a, Point b) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  curve.x.insert(curve.x.end(), {a.x, b.x, nothing});
  curve.y.insert(curve.y.end(), {a.y, b.y, nothing});
}

bool above(const Corner& corner) { return corner.value >= 0.0; }

/// Corners around the cell. Pieces join crossings of its edges so that `above` and below stay apart.
void add_cell(Curve& curve, const std::array<Corner, 4>& corners) {
  std::array<Point, 4> found{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Corner& a = corners[i];
    const Corner& b = corners[(i + 1) % 4];
    if (above(a) != above(b)) found[count++] = crossing(a, b);
  }
  if (count == 2) add_piece(curve, found[0], found[1]);
  if (count != 4) return;
  const double mean = corners[0].value + corners[1].value + corners[2].value + corners[3].value;
  // found[i] lies between corners i and i+1. If the middle belongs to corner 0, corners 1 and 3 are cut off.
  const bool middle_is_first = (mean >= 0.0) == above(corners[0]);
  add_piece(curve, found[0], found[middle_is_first ? 1 : 3]);
  add_piece(curve, found[2], found[middle_is_first ? 3 : 1]);
}

}  // namespace

Curve level_curve(const Image& grid, double level) {
  Curve curve{.label = "", .stroke = Stroke::level};
  const std::size_t columns = grid.x.size();
  const auto corner = [&](std::size_t i, std::size_t j) {
    return Corner{grid.x[i], grid.y[j], grid.values[j * columns + i] - level};
  };
  for (std::size_t j = 0; j + 1 < grid.y.size(); ++j)
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const std::array corners = {corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)};
      bool finite = true;
      for (const Corner& c : corners) finite = finite && std::isfinite(c.value);
      if (finite) add_cell(curve, corners);
    }
  return curve;
}

}  // namespace saltus
