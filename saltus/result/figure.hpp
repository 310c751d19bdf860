#pragma once

#include <string>
#include <vector>

namespace saltus {

enum class Stroke {
  line,      // in the next colour
  thin,      // a faint grey line: a jump, a path
  path,      // a thin coloured line
  marks,     // small open circles: impacts
  stems,     // from zero up to the value
  wall,      // thick and grey
  skeleton,  // thick and dark, a disc at each point
  ghost,     // the same, faint: an earlier instant
};

/// Points joined as the stroke says; a point that is not a number interrupts it.
struct Curve {
  std::string label;  // in the legend; empty: not there
  Stroke stroke = Stroke::line;
  std::vector<double> x, y;
};

enum class Aspect { free, equal };

struct Panel {
  std::string x_label, y_label;
  std::vector<Curve> curves;
  Aspect aspect = Aspect::free;
};

/// A picture: panels one above the other.
struct Figure {
  std::string title;
  std::vector<Panel> panels;
};

/// Draws the figure with gnuplot into FILE.svg, FILE.png or FILE.pdf. The script FILE.gp and its data FILE.dat stay beside it:
/// `gnuplot FILE.gp` in their folder draws it again. Throws Error(file) if a file cannot be written or gnuplot is missing;
/// script and data are then kept.
void draw(const Figure& figure, const std::string& path);

/// The script by itself. `picture` and `data` are names of files.
std::string gnuplot_script(const Figure& figure, const std::string& picture, const std::string& data);

/// The curves, in the order of the figure, as blocks of lines "x y" that two empty lines separate.
std::string gnuplot_data(const Figure& figure);

}  // namespace saltus
