#include "saltus/report/gnuplot_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

/// What stands beside x and y, or nothing.
const std::vector<double>* third_column(const Curve& curve) {
  if (curve.stroke == Stroke::band) return &curve.upper;
  if (curve.stroke == Stroke::dots && !curve.values.empty()) return &curve.values;
  return nullptr;
}

void append(std::string& bytes, double value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);  // gnuplot reads the machine's own doubles
}

/// Infinite values take the colour of their end, as values beyond it do.
double within(double value, AxisRange range) {
  return std::isnan(value) ? value : std::clamp(value, range.from, range.to);
}

class Writer {
 public:
  GnuplotData data;

  void add(const Panel& panel) {
    const AxisRange colours = colour_range(panel);
    data.image_offsets.push_back(panel.image ? data.binary.size() : 0);
    if (panel.image)
      for (const double value : panel.image->values) append(data.binary, within(value, colours));
    for (const Curve& curve : panel.curves) add(curve, panel, colours);
  }

 private:
  void add(const Curve& curve, const Panel& panel, AxisRange colours) {
    const std::vector<double>* third = third_column(curve);
    assert(curve.x.size() == curve.y.size() && (!third || third->size() == curve.x.size()));
    CurvePlace place{.block = {}, .offset = data.binary.size(), .points = curve.x.size(), .columns = third ? 3U : 2U};
    const bool coloured = third == &curve.values;
    const auto third_value = [&](std::size_t i) { return coloured ? within((*third)[i], colours) : (*third)[i]; };
    if (curve.x.size() <= most_lines || curve.stroke == Stroke::area) {  // only text knows the end of a polygon
      place.block = blocks_++;
      add_block(curve, panel, third, third_value);
    } else {
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        append(data.binary, curve.x[i]);
        append(data.binary, curve.y[i]);
        if (third) append(data.binary, third_value(i));
      }
    }
    data.curves.push_back(place);
  }

  template <typename ThirdValue>
  void add_block(const Curve& curve, const Panel& panel, const std::vector<double>* third, ThirdValue third_value) {
    auto out = std::back_inserter(data.text);
    fmt::format_to(out, "# {}\n", printable(curve.label.empty() ? panel.y_label : curve.label));
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      // Polygons end at an empty line; a line is interrupted by a point that is none.
      if (curve.stroke == Stroke::area && !std::isfinite(curve.x[i])) {
        data.text += "\n";
        continue;
      }
      fmt::format_to(out, "{:.12g} {:.12g}", curve.x[i], curve.y[i]);
      if (third) fmt::format_to(out, " {:.12g}", third_value(i));
      data.text += "\n";
    }
    // A block without lines would shift the numbers of those behind it.
    if (curve.x.empty()) data.text += third ? "nan nan nan\n" : "nan nan\n";
    data.text += "\n\n";
  }

  std::size_t blocks_ = 0;
};

}  // namespace

AxisRange colour_range(const Panel& panel) {
  AxisRange range{1e300, -1e300};
  const auto take = [&](const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      range.from = std::min(range.from, value);
      range.to = std::max(range.to, value);
    }
  };
  if (panel.image) take(panel.image->values);
  for (const Curve& curve : panel.curves)
    if (curve.stroke == Stroke::dots) take(curve.values);
  const ColourScale& colours = panel.colours;
  if (colours.palette == Palette::categorical) {
    const double last = static_cast<double>(std::max<std::size_t>(1, colours.names.size())) - 0.5;
    return {-0.5, last};
  }
  if (range.from > range.to) range = {0.0, 1.0};
  if (colours.low) range.from = *colours.low;
  if (colours.high) range.to = *colours.high;
  if (!(range.to > range.from)) {
    const double around = std::max(1.0, std::abs(range.from)) * 0.5;
    range = {range.from - around, range.from + around};
  }
  return range;
}

GnuplotData gnuplot_data(const Figure& figure) {
  Writer writer;
  for (const Panel& panel : figure.panels) writer.add(panel);
  return std::move(writer.data);
}

}  // namespace saltus
