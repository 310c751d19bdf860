#include "saltus/result/figure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/gnuplot_script.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus {
namespace {

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

void draw(const Figure& figure, const std::string& path) {
  const std::filesystem::path picture(path);
  const auto beside = [&](const char* ending) { return std::filesystem::path(picture).replace_extension(ending); };
  require_writable(path);
  const GnuplotData data = gnuplot_data(figure);
  write_text(beside(".dat").string(), data.text);
  if (!data.binary.empty()) write_text(beside(".bin").string(), data.binary);
  write_text(beside(".gp").string(), gnuplot_script(figure, data,
                                                    {.picture = picture.filename().string(),
                                                     .text = beside(".dat").filename().string(),
                                                     .binary = beside(".bin").filename().string()}));
  const std::string complaint = complaint_of_gnuplot(beside(".gp"));
  if (!complaint.empty()) throw Error(ExitCode::file, fmt::format("cannot draw '{}': {}", printable(path), complaint));
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
