#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "saltus/base/text.hpp"
#include "saltus/cli/command.hpp"

namespace saltus::cli {
namespace {

/// A file that is written, whose ending says in which form.
Option output_file(const std::string& name, const std::string& meaning, const std::vector<std::string>& endings,
                   std::string& place) {
  const auto read = [=, &place](const std::string& file) {
    const std::string ending = std::filesystem::path(file).extension().string();
    if (std::find(endings.begin(), endings.end(), ending) == endings.end())
      throw usage(fmt::format("the ending of '--{} {}' does not say what to write\n  expected {}", name,
                              printable(file), fmt::join(endings, ", ")));
    place = file;
  };
  return {name, "FILE", meaning, WordedValue{read, [] { return std::vector<std::string>(); }}, Recorded::never};
}

}  // namespace

Options output_options(OutputOptions& output, const std::vector<std::string>& endings, const std::string& quiet) {
  return {{"json", "", "one JSON object on standard output", &output.json, Recorded::never},
          output_file("out", fmt::format("write to this file ({})", fmt::join(endings, ", ")), endings, output.file),
          {"quiet", "", quiet, &output.quiet, Recorded::never}};
}

Option plot_option(OutputOptions& output) {
  return output_file("plot", "draw a picture (.svg, .png, .pdf); the gnuplot script and its data stay beside it",
                     {".svg", ".png", ".pdf"}, output.plot);
}

}  // namespace saltus::cli
