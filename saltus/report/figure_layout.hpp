#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/report/figure.hpp"

namespace saltus {

/// The interval that values fill.
struct Extent {
  double low = 1e300, high = -1e300;
  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return low > high; }
};

/// Of all that is drawn in the panel.
Extent x_extent(const Panel& panel);
Extent y_extent(const Panel& panel);

/// Between neighbours, of places at equal distances.
double spacing(const std::vector<double>& places);

bool has(const Panel& panel, Stroke stroke);
/// Are there values to be read as colours?
bool has_scale(const Panel& panel);
/// Are they shown by a bar beside the panel?
bool has_bar(const Panel& panel);

/// A panel's frame in pixels from the upper left corner.
struct Frame {
  double left, right, top, bottom;
};

/// Where the panels of a figure stand, and how large the whole is.
struct FigureLayout {
  double width = 0.0, height = 0.0;
  std::vector<Frame> frames;
};

FigureLayout layout_of(const Figure& figure);

}  // namespace saltus
