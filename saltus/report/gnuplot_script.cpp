#include "saltus/report/gnuplot_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "saltus/base/text.hpp"
#include "saltus/report/figure_layout.hpp"
#include "saltus/report/name_places.hpp"

namespace saltus {
namespace {

// Okabe and Ito 2008: colours that stay apart for every kind of sight. Names: enum Colour.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};
// Categories: the same, then lighter and darker ones; after them they repeat.
constexpr const char* category_colours[] = {"#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9",
                                            "#F0E442", "#000000", "#8C564B", "#9467BD", "#17BECF", "#BCBD22"};
constexpr const char* missing_colour = "#C8C8C8";

/// A text as data. Inside single quotes gnuplot 5.4 cannot read two of them one after the other, inside double ones it would
/// run what stands in backquotes: whatever could mean something is written as the number of its character.
std::string quoted(const std::string& text) {
  constexpr std::string_view meaningful = "\"\\`'@";
  std::string result = "\"";
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) result += "\\n";
    for (const char c : printable(std::string_view(text).substr(begin, end - begin)))
      result += meaningful.find(c) != std::string_view::npos ? fmt::format("\\{:03o}", static_cast<unsigned>(c))
                                                             : std::string(1, c);
    begin = end + 1;
  }
  return result + "\"";
}

std::string colour_code(Colour colour, std::size_t next) {
  switch (colour) {
    case Colour::next: return colours[next % std::size(colours)];
    case Colour::grey: return "#888888";
    case Colour::black: return "#222222";
    case Colour::blue:
    case Colour::vermilion:
    case Colour::green:
    case Colour::purple:
    case Colour::orange:
    case Colour::sky: break;
  }
  return colours[static_cast<std::size_t>(colour) - static_cast<std::size_t>(Colour::blue)];
}

/// Discs shrink as their number grows; a million of them are single pixels.
std::string dots(std::size_t points) {
  if (points > 30000) return "with dots";
  return fmt::format("with points pt 7 ps {}", points < 300 ? 0.6 : points < 3000 ? 0.35 : 0.2);
}

std::string style_of(const Curve& curve, std::size_t next) {
  const std::string own = fmt::format("lc rgb '{}'", colour_code(curve.colour, next));
  switch (curve.stroke) {
    case Stroke::line: return "with lines lw 1.6 " + own;
    case Stroke::dashed: return "with lines lw 1.6 dt (6,4) " + own;
    case Stroke::thin: return "with lines lw 0.8 lc rgb '#999999'";
    case Stroke::path: return "with lines lw 1 lc rgb '#0072B2'";
    case Stroke::level:
      return fmt::format("with lines lw 1.1 lc rgb '{}'",
                         colour_code(curve.colour == Colour::next ? Colour::black : curve.colour, next));
    case Stroke::dots: return fmt::format("{} {}", dots(curve.x.size()), curve.values.empty() ? own : "lc palette");
    case Stroke::points: return "with points pt 7 ps 0.8 " + own;
    case Stroke::names: return "with points pt 7 ps 0.5 " + own;
    case Stroke::marks: return "with points pt 6 ps 0.55 lw 1.2 lc rgb '#D55E00'";
    case Stroke::stems: return "with impulses lw 1.6 " + own;
    case Stroke::band:
      return fmt::format("with filledcurves fc rgb '{}' fs transparent solid 0.25 noborder",
                         colour_code(curve.colour, next));
    case Stroke::area: return "with filledcurves closed fc rgb '#D0D0D0' fs solid 1 noborder";
    case Stroke::wall: return "with lines lw 5 lc rgb '#888888'";
    case Stroke::skeleton: return "with linespoints pt 7 ps 0.8 lw 3 lc rgb '#222222'";
    case Stroke::ghost: return "with linespoints pt 7 ps 0.4 lw 1.4 lc rgb '#BBBBBB'";
  }
  return "";
}

/// Does the curve after this one get another colour?
bool uses_up_a_colour(const Curve& curve) {
  if (curve.colour != Colour::next) return false;
  switch (curve.stroke) {
    case Stroke::line:
    case Stroke::dashed:
    case Stroke::points:
    case Stroke::names:
    case Stroke::stems: return true;
    case Stroke::dots: return curve.values.empty();
    default: return false;
  }
}

// ---- the page and its colours -------------------------------------------------------------------------------------------

constexpr const char* text_data = "text_data";
constexpr const char* binary_data = "binary_data";

/// No name of a file stands in a script: beside its data it has their name, and a name that begins with a slash or a dot is no
/// command to gnuplot. Run by this program, it reads what it is handed and draws to standard output.
std::string files_of(const std::string& ending) {
  return fmt::format(
      "# Run gnuplot on this file: it reads the data beside it, of the same name, and draws the picture beside it.\n"
      "beside = strlen(ARG0) > 3 ? ARG0[strlen(ARG0)-2:*] eq '.gp' : 0\n"
      "stem = beside ? (ARG0[1:1] eq '/' ? '' : './').ARG0[1:strlen(ARG0)-3] : ''\n"
      "{} = beside ? stem.'.dat' : '/dev/fd/{}'\n"
      "{} = beside ? stem.'.bin' : '/dev/fd/{}'\n"
      "if (beside) {{ set output stem.'{}' }}\n",
      text_data, text_descriptor, binary_data, binary_descriptor, ending);
}

std::string terminal_for(const std::string& ending, const FigureLayout& layout) {
  if (ending == ".png")
    return fmt::format("set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'DejaVu Sans,11' background 'white'",
                       layout.width, layout.height);
  if (ending == ".pdf")
    return fmt::format("set terminal pdfcairo noenhanced size {:.2f}in,{:.2f}in font 'DejaVu Sans,11' fontscale 0.75",
                       layout.width / 110.0, layout.height / 110.0);
  return fmt::format(
      "set terminal svg standalone noenhanced size {:.0f},{:.0f} font 'DejaVu Sans,13' background 'white'",
      layout.width, layout.height);
}

// ---- colours ---------------------------------------------------------------------------------------------------------

/// Categories that occur in the panel.
std::set<std::size_t> categories(const Panel& panel) {
  std::set<std::size_t> present;
  const auto take = [&](const std::vector<double>& values) {
    for (const double value : values)
      if (value >= 0.0 && value < 1e6) present.insert(static_cast<std::size_t>(std::lround(value)));
  };
  if (panel.image) take(panel.image->values);
  for (const Curve& curve : panel.curves)
    if (curve.stroke == Stroke::dots) take(curve.values);
  return present;
}

const char* category_colour(std::size_t k) { return category_colours[k % std::size(category_colours)]; }

std::string palette(const ColourScale& scale, AxisRange range) {
  if (scale.palette == Palette::sequential)  // viridis (van der Walt and Smith 2015) at every sixteenth
    return "set palette defined (0 '#440154', 1 '#481B6D', 2 '#46327E', 3 '#3F4788', 4 '#365C8D', 5 '#2E6E8E', "
           "6 '#277F8E', 7 '#21918C', 8 '#1FA187', 9 '#2DB27D', 10 '#4AC16D', 11 '#73D056', 12 '#A0DA39', "
           "13 '#D0E11C', 14 '#FDE725')\n";
  if (scale.palette == Palette::categorical) {
    // A step of one colour for each category: between k − 1/2 and k + 1/2.
    std::vector<std::string> steps;
    for (std::size_t k = 0; k < std::max<std::size_t>(1, scale.names.size()); ++k)
      for (const double side : {-0.5, 0.5})
        steps.push_back(fmt::format("{} '{}'", static_cast<double>(k) + side, category_colour(k)));
    return fmt::format("set palette maxcolors 0 defined ({})\n", fmt::join(steps, ", "));
  }
  std::vector<std::string> steps;
  const auto side = [&](double end, std::initializer_list<const char*> hues) {
    double k = 0.0;
    for (const char* hue : hues) steps.push_back(fmt::format("{:.17g} '{}'", end * k++ / 4.0, hue));
  };
  if (range.from < 0.0) {
    side(range.from, {"#F7F7F7", "#BFD9EA", "#67A9CF", "#2A75B0", "#053061"});
    std::reverse(steps.begin(), steps.end());
    if (range.to > 0.0) steps.pop_back();
  }
  if (range.to > 0.0) side(range.to, {"#F7F7F7", "#FBC9B0", "#EF8A62", "#C93A3F", "#67001F"});
  return fmt::format("set palette defined ({})\n", fmt::join(steps, ", "));
}

std::string scale_text(const Panel& panel, const Frame& frame, const FigureLayout& layout) {
  if (!has_scale(panel)) return "unset colorbox\n";
  const AxisRange range = colour_range(panel);
  std::string text =
      palette(panel.colours, range) + fmt::format("set cbrange [{:.17g}:{:.17g}]\n", range.from, range.to);
  if (!has_bar(panel)) return text + "unset colorbox\n";
  return text +
         fmt::format(
             "set cblabel {}\nset colorbox vertical user origin screen {:.5f}, screen {:.5f} size screen {:.5f}, "
             "screen {:.5f}\n",
             quoted(panel.colours.label), (frame.right + 14.0) / layout.width, 1.0 - frame.bottom / layout.height,
             13.0 / layout.width, (frame.bottom - frame.top) / layout.height);
}

/// Without a point gnuplot finds no range for itself, and ends; 1 to 2 have logarithms.
std::optional<AxisRange> range_for(std::optional<AxisRange> wanted, const Extent& drawn) {
  return wanted || drawn.low <= drawn.high ? wanted : AxisRange{1.0, 2.0};
}

// ---- one panel -------------------------------------------------------------------------------------------------------

class PanelScript {
 public:
  PanelScript(const Panel& panel, const Frame& frame, const FigureLayout& layout)
      : panel_(panel), frame_(frame), layout_(layout) {}

  struct Context {
    const GnuplotData& data;
    std::size_t& next_curve;
    std::size_t image_offset;
    std::optional<AxisRange> common_x;
    bool shows_x;
    std::string title;  // of the figure, with its first panel
  };

  std::string text(const Context& context) const {
    return fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\nset tmargin at screen {:.5f}\nset bmargin at "
        "screen "
        "{:.5f}\n{}{}{}{}{}{}",
        frame_.left / layout_.width, frame_.right / layout_.width, 1.0 - frame_.top / layout_.height,
        1.0 - frame_.bottom / layout_.height, axes(context.common_x, context.shows_x),
        scale_text(panel_, frame_, layout_), legend(), decorations(), context.title,
        plot_command(context.data, context.next_curve, context.image_offset));
  }

 private:
  std::string axes(std::optional<AxisRange> common, bool shows_x) const {
    const auto range = [](char axis, std::optional<AxisRange> r) {
      return r ? fmt::format("set {}range [{:.17g}:{:.17g}]\n", axis, r->from, r->to)
               : fmt::format("set {}range [*:*]\n", axis);
    };
    const auto scale = [](char axis, Scale s) {
      return fmt::format("{} logscale {}\n", s == Scale::logarithmic ? "set" : "unset", axis);
    };
    std::string text = shows_x ? fmt::format("set xlabel {}\nset format x\n", quoted(panel_.x_label))
                               : std::string("unset xlabel\nset format x ''\n");
    text += fmt::format("set ylabel {}\n", quoted(panel_.y_label));
    text += scale('x', panel_.x_scale) + scale('y', panel_.y_scale);
    text += range('x', range_for(panel_.x_range ? panel_.x_range : common, x_extent(panel_)));
    text += range('y', range_for(panel_.y_range, y_extent(panel_)));
    return text + aspect();
  }

  std::string aspect() const {
    const std::string ratio = panel_.aspect == Aspect::equal ? "set size ratio -1\n" : "set size noratio\n";
    if (panel_.image) return ratio + "set offsets 0, 0, 0, 0\n";
    const bool scattered = panel_.aspect == Aspect::equal || has(panel_, Stroke::dots) || has(panel_, Stroke::names);
    const char* beside = scattered && panel_.x_scale == Scale::linear ? "graph 0.04" : "0";
    const char* above = panel_.y_scale == Scale::linear ? "graph 0.05" : "0";
    return ratio + fmt::format("set offsets {0}, {0}, {1}, {1}\n", beside, above);
  }

  bool has_categories() const { return has_scale(panel_) && panel_.colours.palette == Palette::categorical; }

  bool has_missing() const {
    return panel_.image && std::any_of(panel_.image->values.begin(), panel_.image->values.end(),
                                       [](double value) { return std::isnan(value); });
  }

  std::string legend() const {
    if (has_categories())
      return fmt::format("set key at screen {:.5f}, screen {:.5f} left top vertical Left reverse samplen 1 opaque\n",
                         (frame_.right + 6.0) / layout_.width, 1.0 - (frame_.top - 6.0) / layout_.height);
    const bool any = std::any_of(panel_.curves.begin(), panel_.curves.end(), [](auto& c) { return !c.label.empty(); });
    if (!any && !(has_missing() && !panel_.colours.missing.empty())) return "unset key\n";
    return fmt::format("set key at screen {:.5f}, screen {:.5f} right bottom horizontal noreverse Right samplen 2\n",
                       frame_.right / layout_.width, 1.0 - (frame_.top - 4.0) / layout_.height);
  }

  /// Reference lines, names beside points, the grey behind missing pixels.
  std::string decorations() const {
    std::string text = "unset arrow\nunset object\nunset label\n";
    auto out = std::back_inserter(text);
    const char* style = "nohead back lw 1 dt (5,4) lc rgb '#777777'";
    for (const double y : panel_.horizontals)
      fmt::format_to(out, "set arrow from graph 0, first {0:.17g} to graph 1, first {0:.17g} {1}\n", y, style);
    for (const double x : panel_.verticals)
      fmt::format_to(out, "set arrow from first {0:.17g}, graph 0 to first {0:.17g}, graph 1 {1}\n", x, style);
    if (has_missing())
      fmt::format_to(out,
                     "set object rectangle from graph 0, graph 0 to graph 1, graph 1 behind fc rgb '{}' fs solid 1 "
                     "noborder\n",
                     missing_colour);
    std::vector<const Curve*> owners;
    std::vector<std::size_t> indices;
    std::vector<NamedPoint> points;
    for (const Curve& curve : panel_.curves) {
      if (curve.stroke != Stroke::names) continue;
      for (std::size_t i = 0; i < curve.names.size(); ++i) {
        if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) continue;
        owners.push_back(&curve);
        indices.push_back(i);
        points.push_back(in_pixels(curve.x[i], curve.y[i], curve.names[i]));
      }
    }
    const std::vector<NamePlace> places = name_places(points, frame_.right - frame_.left, frame_.bottom - frame_.top);
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (places[k].far)
        fmt::format_to(
            out,
            "set arrow from first {:.17g}, first {:.17g} rto character {}, character {} nohead back lw 0.7 lc rgb "
            "'#999999'\n",
            owners[k]->x[indices[k]], owners[k]->y[indices[k]], places[k].right, places[k].up);
      fmt::format_to(out, "set label {} at first {:.17g}, first {:.17g} {} offset {}, {} front\n",
                     quoted(std::as_const(points[k].name)), owners[k]->x[indices[k]], owners[k]->y[indices[k]],
                     places[k].to_the_left ? "right" : "left", places[k].right, places[k].up);
    }
    return text;
  }

  NamedPoint in_pixels(double x, double y, const std::string& name) const {
    const auto part = [](double value, const Extent& data, std::optional<AxisRange> range, Scale scale, double margin) {
      const auto scaled = [&](double v) { return scale == Scale::logarithmic ? std::log10(v) : v; };
      const double from = scaled(range ? range->from : data.low);
      const double to = scaled(range ? range->to : data.high);
      const double beside = range ? 0.0 : margin * (to - from);
      return to > from ? (scaled(value) - from + beside) / (to - from + 2.0 * beside) : 0.5;
    };
    return {(frame_.right - frame_.left) * part(x, x_extent(panel_), panel_.x_range, panel_.x_scale, 0.04),
            (frame_.bottom - frame_.top) * part(y, y_extent(panel_), panel_.y_range, panel_.y_scale, 0.05), name};
  }

  std::string plot_command(const GnuplotData& data, std::size_t& next_curve, std::size_t image_offset) const {
    std::vector<std::string> parts;
    if (panel_.image) parts.push_back(image_part(image_offset));
    std::size_t colour = 0;
    for (const Curve& curve : panel_.curves) {
      parts.push_back(curve_part(curve, data.curves[next_curve++], colour));
      if (uses_up_a_colour(curve)) ++colour;
    }
    for (const std::string& entry : key_entries()) parts.push_back(entry);
    if (parts.empty()) parts.emplace_back("NaN notitle");
    return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
  }

  std::string image_part(std::size_t offset) const {
    const Image& image = *panel_.image;
    return fmt::format(
        "{} binary skip={} array=({},{}) format='%float64' origin=({:.17g},{:.17g}) dx={:.17g} dy={:.17g} using 1 with "
        "image notitle",
        binary_data, offset, image.x.size(), image.y.size(), image.x.front(), image.y.front(), spacing(image.x),
        spacing(image.y));
  }

  std::string curve_part(const Curve& curve, const CurvePlace& place, std::size_t colour) const {
    const std::string title = curve.label.empty() ? "notitle" : "title " + quoted(curve.label);
    const std::string source = place.block ? fmt::format("{} index {}", text_data, *place.block)
                                           : fmt::format("{} binary skip={} record=({}) format='%{}float64'",
                                                         binary_data, place.offset, place.points, place.columns);
    // Dots are as small as they are many: the legend shows a disc of their colour.
    const bool tiny = curve.stroke == Stroke::dots && curve.values.empty() && !curve.label.empty();
    const std::string key = tiny ? fmt::format(", \\\n     keyentry with points pt 7 ps 0.9 lc rgb '{}' {}",
                                               colour_code(curve.colour, colour), title)
                                 : "";
    return fmt::format("{} using {} {} {}{}", source, place.columns == 3 ? "1:2:3" : "1:2", style_of(curve, colour),
                       tiny ? "notitle" : title, key);
  }

  /// What colours mean that no bar explains.
  std::vector<std::string> key_entries() const {
    std::vector<std::string> entries;
    if (has_categories())
      for (const std::size_t k : categories(panel_))
        if (k < panel_.colours.names.size())
          entries.push_back(fmt::format("keyentry with points pt 5 ps 1.6 lc rgb '{}' title {}", category_colour(k),
                                        quoted(panel_.colours.names[k])));
    if (has_missing() && !panel_.colours.missing.empty())
      entries.push_back(fmt::format("keyentry with points pt 5 ps 1.6 lc rgb '{}' title {}", missing_colour,
                                    quoted(panel_.colours.missing)));
    return entries;
  }

  const Panel& panel_;
  const Frame& frame_;
  const FigureLayout& layout_;
};

std::optional<AxisRange> common_range(const Figure& figure) {
  if (figure.x_axis == Abscissa::own) return {};
  Extent all;
  for (const Panel& panel : figure.panels) {
    const Extent extent = x_extent(panel);
    all.take(extent.low < 1e300 ? extent.low : NAN);
    all.take(extent.high > -1e300 ? extent.high : NAN);
  }
  if (all.is_empty() || !(all.high > all.low)) return {};
  return AxisRange{all.low, all.high};
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const GnuplotData& data, const std::string& ending) {
  const FigureLayout layout = layout_of(figure);
  std::string text = terminal_for(ending, layout) + "\n" + files_of(ending);
  text +=
      "set border 3 lw 0.8 lc rgb '#444444'\nset tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
      "set grid lc rgb '#D8D8D8' lw 1 dt solid\nset autoscale noextend\n";
  text += "set multiplot\n";
  const std::string title = figure.title.empty()
                                ? std::string()
                                : fmt::format("set label {} at screen {:.5f}, screen 1 offset 0,-1.2 left\n",
                                              quoted(figure.title), 20.0 / layout.width);
  const std::optional<AxisRange> common = common_range(figure);
  std::size_t curve = 0;
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const bool shows_x = figure.x_axis == Abscissa::own || k + 1 == figure.panels.size();
    text += PanelScript(figure.panels[k], layout.frames[k], layout)
                .text({.data = data,
                       .next_curve = curve,
                       .image_offset = data.image_offsets[k],
                       .common_x = common,
                       .shows_x = shows_x,
                       .title = k == 0 ? title : ""});
  }
  return text + "unset multiplot\n";
}

}  // namespace saltus
