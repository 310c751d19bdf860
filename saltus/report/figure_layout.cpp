#include "saltus/report/figure_layout.hpp"

#include "saltus/base/text.hpp"

namespace saltus {
static bool has_coloured_dots(const Panel& panel) {
  return std::any_of(panel.curves.begin(), panel.curves.end(),
                     [](const Curve& c) { return c.stroke == Stroke::dots && !c.values.empty(); });
}

bool has_scale(const Panel& panel) { return panel.image || has_coloured_dots(panel); }
bool has_bar(const Panel& panel) { return has_scale(panel) && panel.colours.palette != Palette::categorical; }
bool has(const Panel& panel, Stroke stroke) {
  return std::any_of(panel.curves.begin(), panel.curves.end(), [&](const Curve& c) { return c.stroke == stroke; });
}

double spacing(const std::vector<double>& places) {
  return places.size() > 1 ? (places.back() - places.front()) / static_cast<double>(places.size() - 1) : 1.0;
}

Extent x_extent(const Panel& panel) {
  Extent extent;
  for (const Curve& curve : panel.curves)
    for (const double x : curve.x) extent.take(x);
  if (panel.image) {
    extent.take(panel.image->x.front() - 0.5 * spacing(panel.image->x));
    extent.take(panel.image->x.back() + 0.5 * spacing(panel.image->x));
  }
  return extent;
}
Extent y_extent(const Panel& panel) {
  Extent extent;
  for (const Curve& curve : panel.curves)
    for (const double y : curve.y) extent.take(y);
  if (panel.image) {
    extent.take(panel.image->y.front() - 0.5 * spacing(panel.image->y));
    extent.take(panel.image->y.back() + 0.5 * spacing(panel.image->y));
  }
  return extent;
}

namespace {

/// Height over width of all that is drawn.
double proportion(const Panel& panel) {
  const Extent x = x_extent(panel);
  const Extent y = y_extent(panel);
  return x.high > x.low ? (y.high - y.low) / (x.high - x.low) : 1.0;
}

double frame_width(const Figure& figure) {
  if (figure.columns > 1) return figure.columns > 2 ? 300.0 : 380.0;
  return figure.panels.size() == 1 && figure.panels.front().aspect == Aspect::equal ? 540.0 : 650.0;
}

double frame_height(const Panel& panel, double width, bool alone) {
  if (panel.height > 0.0) return panel.height;
  if (panel.aspect == Aspect::equal) return width * std::clamp(proportion(panel), 0.2, 1.3);
  if (panel.image || has(panel, Stroke::dots)) return alone ? 430.0 : 330.0;
  return alone ? 310.0 : 185.0;
}

/// Room to the right of a frame: for the bar, or for the names of categories.
double room_for_colours(const Panel& panel) {
  if (has_bar(panel)) return 105.0;
  if (!has_scale(panel)) return 25.0;
  int longest = character_count(panel.colours.missing);
  for (const std::string& name : panel.colours.names) longest = std::max(longest, character_count(name));
  return 45.0 + 7.5 * std::min(longest, 30);
}

}  // namespace

FigureLayout layout_of(const Figure& figure) {
  const std::size_t columns = figure.x_axis == Abscissa::common ? 1 : std::max<std::size_t>(1, figure.columns);
  const double width = frame_width(figure);
  double right_room = 25.0;
  for (const Panel& panel : figure.panels) right_room = std::max(right_room, room_for_colours(panel));
  constexpr double left_room = 100.0;  // for numbers as long as -0.00012 and the label beside them
  FigureLayout layout;
  constexpr double line = 18.0;  // of a title of several
  double top = figure.title.empty() ? 32.0 : 58.0;
  top += line * static_cast<double>(std::count(figure.title.begin(), figure.title.end(), '\n'));
  double bottom = top;
  for (std::size_t first = 0; first < figure.panels.size(); first += columns) {
    const std::size_t end = std::min(first + columns, figure.panels.size());
    double height = 0.0;
    for (std::size_t k = first; k < end; ++k)
      height = std::max(height, frame_height(figure.panels[k], width, figure.panels.size() <= columns));
    for (std::size_t k = first; k < end; ++k) {
      const double left = left_room + static_cast<double>(k - first) * (left_room + width + right_room);
      layout.frames.push_back({left, left + width, top, top + height});
    }
    bottom = top + height;
    top = bottom + (figure.x_axis == Abscissa::common ? 30.0 : 80.0);
  }
  layout.width = static_cast<double>(columns) * (left_room + width + right_room);
  layout.height = bottom + 58.0;
  return layout;
}

}  // namespace saltus
