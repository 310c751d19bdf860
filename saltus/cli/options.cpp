#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"
#include "saltus/cli/command.hpp"

namespace saltus::cli {
namespace {

Assignment assignment_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(ExitCode::usage,
                fmt::format("'--set {}' sets nothing\n  expected name=value, such as --set e=0.5", printable(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string known_ending(const char* option, const std::string& file, const std::vector<std::string>& endings) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (std::find(endings.begin(), endings.end(), ending) != endings.end()) return ending;
  throw Error(ExitCode::usage, fmt::format("the ending of '{} {}' does not say what to write\n  expected {}", option,
                                           printable(file), fmt::join(endings, ", ")));
}

}  // namespace

void add_model_options(CLI::App& app, Request& request) {
  app.add_option_function<std::string>(
      "MODEL",
      [&request](const std::string& file) {
        request.model = file;
        keep_input(file);
        if (is_stream(file)) request.text = model_text(file);  // it can be read only once
      },
      "the model file; -: standard input");
  app.add_option("--case", request.case_name, "a case of the model: [case.NAME]")->option_text("NAME");
  app.add_option_function<std::vector<std::string>>(
         "--set",
         [&request](const std::vector<std::string>& settings) {
           for (const std::string& setting : settings) request.assignments.push_back(assignment_from(setting));
         },
         "another value for a parameter or an initial value; may be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_output_options(CLI::App& app, OutputOptions& output, const std::vector<std::string>& endings,
                        const std::string& quiet) {
  app.add_flag("--json", output.json, "one JSON object on standard output");
  app.add_option_function<std::string>(
         "--out",
         [&output, endings](const std::string& file) {
           output.ending = known_ending("--out", file, endings);
           output.file = file;
         },
         fmt::format("write to this file ({})", fmt::join(endings, ", ")))
      ->option_text("FILE");
  app.add_flag("--quiet", output.quiet, quiet);
}

void add_plot_option(CLI::App& app, PlotOptions& plot) {
  app.add_option_function<std::string>(
         "--plot",
         [&plot](const std::string& file) {
           known_ending("--plot", file, {".svg", ".png", ".pdf"});
           plot.file = file;
         },
         "draw a picture (.svg, .png, .pdf); the gnuplot script and its data stay beside it")
      ->option_text("FILE");
}

void add_input_option(CLI::App& app, const std::string& names, std::string& file, const std::string& help) {
  app.add_option_function<std::string>(
         names,
         [&file](const std::string& name) {
           file = name;
           keep_input(name);
         },
         help)
      ->option_text("FILE");
}

void add_run_options(CLI::App& app, RunOptions& run) {
  app.add_option("--threads", run.threads, "number of threads; 0, the default, is one per processor")->option_text("N");
  app.add_option("--rtol", run.rtol, "relative error of a step")->option_text("NUMBER");
  app.add_option("--atol", run.atol, "absolute error of a step")->option_text("NUMBER");
}

}  // namespace saltus::cli
