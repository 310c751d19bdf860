#pragma once

#include <string>
#include <vector>

namespace saltus {

/// A point of a picture with its name. Pixels from the lower left corner of the frame.
struct NamedPoint {
  double x, y;
  std::string name;
};

/// Where a name begins, or ends if it stands to the left of its point; in widths and heights of a character.
struct NamePlace {
  bool to_the_left = false;
  double right = 0.6, up = 0.5;
  bool far = false;  // so far from its point that a line must lead to it
};

/// Places beside the points such that names stay inside the frame, apart from each other and off other points where there is room.
std::vector<NamePlace> name_places(const std::vector<NamedPoint>& points, double width, double height);

}  // namespace saltus
