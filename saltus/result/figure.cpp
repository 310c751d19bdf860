#include "saltus/result/figure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus {
namespace {

// Okabe and Ito 2008: colours that stay apart for every kind of sight.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};

/// A text inside single quotes, where gnuplot expands nothing.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : printable(text)) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string style_of(Stroke stroke, std::size_t colour) {
  const std::string own = fmt::format("lc rgb '{}'", colours[colour % std::size(colours)]);
  switch (stroke) {
    case Stroke::line: return "with lines lw 1.6 " + own;
    case Stroke::thin: return "with lines lw 0.8 lc rgb '#999999'";
    case Stroke::path: return "with lines lw 1 lc rgb '#0072B2'";
    case Stroke::marks: return "with points pt 6 ps 0.55 lw 1.2 lc rgb '#D55E00'";
    case Stroke::stems: return "with impulses lw 1.6 " + own;
    case Stroke::wall: return "with lines lw 5 lc rgb '#888888'";
    case Stroke::skeleton: return "with linespoints pt 7 ps 0.8 lw 3 lc rgb '#222222'";
    case Stroke::ghost: return "with linespoints pt 7 ps 0.4 lw 1.4 lc rgb '#BBBBBB'";
  }
  return "";
}

bool takes_a_colour(Stroke stroke) { return stroke == Stroke::line || stroke == Stroke::stems; }

struct Size {
  int width, height;
};

/// Height over width of all that is drawn.
double proportion(const Panel& panel) {
  double low[2] = {1e300, 1e300};
  double high[2] = {-1e300, -1e300};
  for (const Curve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) continue;
      low[0] = std::min(low[0], curve.x[i]);
      high[0] = std::max(high[0], curve.x[i]);
      low[1] = std::min(low[1], curve.y[i]);
      high[1] = std::max(high[1], curve.y[i]);
    }
  const double width = high[0] - low[0];
  return width > 0.0 ? (high[1] - low[1]) / width : 1.0;
}

Size size_of(const Figure& figure) {
  constexpr double frame_width = 540.0;
  if (figure.panels.size() == 1 && figure.panels.front().aspect == Aspect::equal)
    return {640, 130 + static_cast<int>(frame_width * std::clamp(proportion(figure.panels.front()), 0.2, 1.3))};
  return {760, figure.panels.size() == 1 ? 420 : 100 + 230 * static_cast<int>(figure.panels.size())};
}

std::string terminal_for(const std::string& picture, Size size) {
  const std::string ending = std::filesystem::path(picture).extension().string();
  if (ending == ".png")
    return fmt::format("set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,11' background 'white'",
                       size.width, size.height);
  if (ending == ".pdf")
    return fmt::format("set terminal pdfcairo noenhanced size {:.2f}in,{:.2f}in font 'DejaVu Sans,11' fontscale 0.75",
                       size.width / 110.0, size.height / 110.0);
  return fmt::format("set terminal svg noenhanced size {},{} font 'DejaVu Sans,13' background 'white'", size.width,
                     size.height);
}

std::string plot_command(const Panel& panel, std::size_t& block, const std::string& data) {
  std::vector<std::string> parts;
  std::size_t colour = 0;
  for (const Curve& curve : panel.curves) {
    const std::string title = curve.label.empty() ? "notitle" : "title " + quoted(curve.label);
    parts.push_back(
        fmt::format("{} index {} using 1:2 {} {}", quoted(data), block++, style_of(curve.stroke, colour), title));
    if (takes_a_colour(curve.stroke)) ++colour;
  }
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

bool has_legend(const Panel& panel) {
  std::size_t labels = 0;
  for (const Curve& curve : panel.curves) labels += curve.label.empty() ? 0 : 1;
  return labels > 0;
}

std::string panel_text(const Panel& panel, std::size_t& block, const std::string& data) {
  std::string text = fmt::format("set xlabel {}\nset ylabel {}\n", quoted(panel.x_label), quoted(panel.y_label));
  text += has_legend(panel) ? "set key at graph 1, 1.03 right bottom horizontal samplen 2\n" : "unset key\n";
  text += panel.aspect == Aspect::equal
              ? "set size ratio -1\nset offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05\n"
              : "set size noratio\nset offsets 0, 0, graph 0.05, graph 0.05\n";
  return text + plot_command(panel, block, data);
}

/// Runs gnuplot in the folder of the script; what it complains about, or nothing.
std::string complaint_of_gnuplot(const std::filesystem::path& script) {
  const std::string folder = script.parent_path().empty() ? "." : script.parent_path().string();
  const std::string errors =
      (std::filesystem::temp_directory_path() / fmt::format("saltus_gnuplot_{}", getpid())).string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::string name = script.filename().string();
  if (name.starts_with('-')) name = "./" + name;
  std::string program = "gnuplot";
  char* arguments[] = {program.data(), name.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT)
    return "gnuplot is not installed\n  install it (Debian: apt install gnuplot-nox), or write the data with --out "
           "FILE.csv";
  if (failed != 0) return fmt::format("gnuplot cannot be started: {}", std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  std::string said;
  if (std::FILE* stream = std::fopen(errors.c_str(), "rb")) {
    char buffer[400];
    said.assign(buffer, std::fread(buffer, 1, sizeof buffer, stream));
    std::fclose(stream);
  }
  std::remove(errors.c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return "gnuplot could not draw it: " + printable(said);
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::string& picture, const std::string& data) {
  const Size size = size_of(figure);
  std::string text = "# Draws " + printable(picture) + ": run gnuplot on this file in its folder.\n";
  text += terminal_for(picture, size) + "\nset output " + quoted(picture) + "\n";
  text +=
      "set border 3 lw 0.8 lc rgb '#444444'\nset tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
      "set grid lc rgb '#D8D8D8' lw 1 dt solid\nset autoscale noextend\nset lmargin 10\nset rmargin 3\n";
  const std::string title =
      fmt::format("set label 1 {} at screen 0.03, screen 1 offset 0,-1.2 left\n", quoted(figure.title));
  if (figure.panels.size() == 1) text += "set tmargin 4\n" + title;
  else
    text += fmt::format(
        "{}set tmargin 1.5\nset multiplot layout {},1 margins screen 0.11, 0.97, {:.3f}, {:.3f} spacing screen "
        "{:.3f}\n",
        title, figure.panels.size(), 55.0 / size.height, 1.0 - 60.0 / size.height, 45.0 / size.height);
  std::size_t block = 0;
  for (const Panel& panel : figure.panels) {
    text += panel_text(panel, block, data);
    text += "unset label 1\n";
  }
  return text + (figure.panels.size() > 1 ? "unset multiplot\n" : "");
}

std::string gnuplot_data(const Figure& figure) {
  std::string text;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves) {
      text += fmt::format("# {}\n", printable(curve.label.empty() ? panel.y_label : curve.label));
      for (std::size_t i = 0; i < curve.x.size(); ++i) text += fmt::format("{:.12g} {:.12g}\n", curve.x[i], curve.y[i]);
      if (curve.x.empty()) text += "nan nan\n";  // a block without lines would shift the numbers of those behind it
      text += "\n\n";
    }
  return text;
}

void draw(const Figure& figure, const std::string& path) {
  const std::filesystem::path picture(path);
  const auto beside = [&](const char* ending) { return std::filesystem::path(picture).replace_extension(ending); };
  require_writable(path);
  write_text(beside(".dat").string(), gnuplot_data(figure));
  write_text(beside(".gp").string(),
             gnuplot_script(figure, picture.filename().string(), beside(".dat").filename().string()));
  const std::string complaint = complaint_of_gnuplot(beside(".gp"));
  if (!complaint.empty()) throw Error(ExitCode::file, fmt::format("cannot draw '{}': {}", printable(path), complaint));
}

}  // namespace saltus
