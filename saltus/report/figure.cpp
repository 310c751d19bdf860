#include "saltus/report/figure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/report/gnuplot_process.hpp"
#include "saltus/report/gnuplot_script.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus {

void draw(const Figure& figure, const std::string& path) {
  const std::filesystem::path picture(path);
  const auto beside = [&](const char* ending) { return std::filesystem::path(picture).replace_extension(ending); };
  require_writable(path);
  const GnuplotData data = gnuplot_data(figure);
  const std::string script = gnuplot_script(figure, data, picture.extension().string());
  write_text(beside(".dat").string(), data.text);
  if (!data.binary.empty()) write_text(beside(".bin").string(), data.binary);
  write_text(beside(".gp").string(), script);
  const DrawnPicture drawing = drawing_of(script, data);
  if (!drawing.complaint.empty())
    throw Error(ExitCode::file, fmt::format("cannot draw '{}': {}", printable(path), drawing.complaint));
  write_text(path, drawing.picture);
}

Curve unit_circle() {
  constexpr int pieces = 360;
  Curve circle{.label = "", .stroke = Stroke::thin};
  for (int k = 0; k <= pieces; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / pieces;
    circle.x.push_back(std::cos(angle));
    circle.y.push_back(std::sin(angle));
  }
  return circle;
}

}  // namespace saltus
