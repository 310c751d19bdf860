#pragma once

#include "saltus/report/figure.hpp"

namespace saltus {

/// Where the values of the grid, linear along the edges of its cells, equal `level`: pieces of two points, points that are not
/// numbers between them. Cells with a missing corner have none. A saddle cell is divided by the mean of its corners.
Curve level_curve(const Image& grid, double level);

}  // namespace saltus
