#pragma once

#include <string>
#include <vector>

#include "saltus/report/figure.hpp"

namespace saltus {

/// Where gnuplot finds a curve: a block of the text file, or a stretch of the binary one.
struct CurvePlace {
  std::optional<std::size_t> block;  // of the text; nothing: in the binary file
  std::size_t offset = 0;            // in bytes
  std::size_t points = 0;
  std::size_t columns = 2;           // x, y, then `upper` or `values`
};

/// The numbers of a figure as gnuplot reads them.
struct GnuplotData {
  std::string text;                         // blocks of lines "x y …" that two empty lines separate
  std::string binary;                       // rows of doubles
  std::vector<CurvePlace> curves;           // of all panels, in the order of the figure
  std::vector<std::size_t> image_offsets;   // in the binary file, one per panel (0 without image)
};

/// Curves of at most `most_lines` points are text, that one can read and mend; longer ones and images are binary.
constexpr std::size_t most_lines = 20000;
GnuplotData gnuplot_data(const Figure& figure);

/// The ends of a panel's colour scale.
AxisRange colour_range(const Panel& panel);

}  // namespace saltus
