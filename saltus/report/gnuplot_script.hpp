#pragma once

#include <string>

#include "saltus/report/gnuplot_data.hpp"

namespace saltus {

/// Where a script that does not stand beside its data finds them.
constexpr int text_descriptor = 3;
constexpr int binary_descriptor = 4;

/// The script that draws the figure from its data; the ending of the picture, ".svg", chooses the terminal.
std::string gnuplot_script(const Figure& figure, const GnuplotData& data, const std::string& ending);

}  // namespace saltus
