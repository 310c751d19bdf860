#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace saltus {

enum class Stroke {
  line,      // in the next colour
  dashed,    // the same, dashed: an unstable branch
  thin,      // a faint grey line: a jump, a path
  path,      // a thin coloured line
  level,     // a thin dark line: a level curve over an image
  dots,  // small discs in the next colour, smaller the more there are; with `values`: coloured by the panel's scale
  points,  // larger discs in the next colour
  names,  // a small disc with its name beside it
  marks,  // small open circles: impacts
  stems,  // from zero up to the value
  band,  // the area between y and `upper`, pale, in the colour of the line that comes next
  area,  // closed polygons filled with grey, points that are not numbers between them
  wall,  // thick and grey
  skeleton,  // thick and dark, a disc at each point
  ghost,  // the same, faint: an earlier instant
};

enum class Colour { next, blue, vermilion, green, purple, orange, sky, grey, black };

/// Points joined as the stroke says; a point that is not a number interrupts it.
struct Curve {
  std::string label;  // in the legend; empty: not there
  Stroke stroke = Stroke::line;
  std::vector<double> x = {}, y = {};
  std::vector<double> upper = {};  // of a band
  std::vector<double> values = {};  // of dots: one per point, looked up in the panel's colour scale
  std::vector<std::string> names = {};  // of names: one per point
  Colour colour = Colour::next;  // of line, dashed, dots, points, names, stems, band, level
};

enum class Palette {
  sequential,  // perceptually uniform (viridis), from the lowest value to the highest
  diverging,  // white at zero, blue below, red above; each side to full colour at its own end
  categorical,  // value k = 0, 1, … has a colour and a name of its own
};

/// What a colour means, for the dots with values and the image of a panel.
struct ColourScale {
  Palette palette = Palette::sequential;
  std::string label = {};  // beside the colour bar
  std::vector<std::string> names = {};  // categorical: of 0, 1, …; those that occur are in the legend
  std::optional<double> low = {},
                        high = {};  // ends of the bar; what is beyond has the colour of the end. Default: the data's
  std::string missing = {};  // legend of pixels without a value (grey); empty: not there
};

/// A grid of values as coloured pixels: column i at x[i], row j at y[j], evenly spaced; values[j · columns + i]. Not a number:
/// missing. Infinite: the colour of that end.
struct Image {
  std::vector<double> x = {}, y = {};
  std::vector<double> values = {};
};

enum class Aspect { free, equal };
enum class Scale { linear, logarithmic };

struct AxisRange {
  double from, to;
};

struct Panel {
  std::string x_label, y_label;
  std::vector<Curve> curves;
  Aspect aspect = Aspect::free;
  std::optional<Image> image = {};  // below the curves
  ColourScale colours = {};
  std::vector<double> horizontals = {},
                      verticals = {};  // faint dashed lines across the whole panel; they stretch no axis
  std::optional<AxisRange> x_range = {}, y_range = {};  // default: what the data need
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  double height = 0.0;  // of the frame in pixels of a screen; 0: what suits
};

enum class Abscissa { own, common };

/// A picture: panels row after row, `columns` in each.
struct Figure {
  std::string title;
  std::vector<Panel> panels;
  std::size_t columns = 1;
  Abscissa x_axis = Abscissa::own;  // common: one above the other over one x axis, labelled below the last
};

/// Draws the figure with gnuplot into FILE.svg, FILE.png or FILE.pdf. The script FILE.gp and its data FILE.dat (and FILE.bin,
/// if there is much of it or an image) stay beside it: `gnuplot FILE.gp` in their folder draws it again. Throws Error(file) if
/// a file cannot be written or gnuplot is missing; script and data are then kept. A million points or pixels are well for PNG;
/// in SVG and PDF every point is an object.
void draw(const Figure& figure, const std::string& path);

/// |z| = 1, for a panel of equal aspect.
Curve unit_circle();

}  // namespace saltus
