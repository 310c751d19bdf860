#pragma once

#include <string>

#include "saltus/result/gnuplot_data.hpp"

namespace saltus {

/// Names of the files that a script reads and writes, in its own folder.
struct FigureFiles {
  std::string picture;  // its ending chooses the terminal
  std::string text;
  std::string binary;
};

/// The script that draws the figure from its data.
std::string gnuplot_script(const Figure& figure, const GnuplotData& data, const FigureFiles& files);

}  // namespace saltus
