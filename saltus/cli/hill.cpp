#include "saltus/driver/hill.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/motion_options.hpp"
#include "saltus/driver/hill_output.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {
namespace {

struct HillCommandOptions {
  HillRequest request;
  PlotOptions plot;
};

ExitCode hill(const HillCommandOptions& options, const OutputOptions& output) {
  if (!output.file.empty()) require_writable(output.file);
  if (!options.plot.file.empty()) require_writable(options.plot.file);
  const HillResult result = run_long(options.request, output);
  warn(result.warnings(), output);
  const std::string message = stop_message(result);
  const bool drawable = !result.point || !result.point->t.empty();
  std::vector<std::string> files;
  if (!output.file.empty()) files = write_result(output.file, result_file(result), to_json(result));
  if (!options.plot.file.empty() && drawable) {
    draw(figure(result), options.plot.file);
    files.push_back(options.plot.file);
  }
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(to_text(result) + written_text(files));
  if (!output.json) complain(message);
  return exit_code(result);
}

void add_hill_options(CLI::App& app, HillRequest& request) {
  app.add_option("--vary", request.vary, "twice: the chart over two parameters")
      ->option_text("NAME=FROM:TO:COUNT")
      ->allow_extra_args(false);
  app.add_flag("--chart", request.chart, "the same as --vary alpha=-8:32:401 --vary beta=0:12:241");
  app.add_flag("--approximations", request.approximations, "in the chart: averaging and Hill's determinant as well");
  app.add_option("--block", request.block, "rows of Hill's determinant, an odd number (default 5)")->option_text("K");
  app.add_flag("--verify", request.verify, "follow the motion just below and above the critical restitution");
  add_run_options(app, request.options);
}

}  // namespace

Command hill_command() {
  return {
      .name = "hill",
      .arguments = "MODEL",
      .summary = "Hill's equation with a stop: critical restitution, Ince-Strutt chart",
      .details =
          "For a model with [hill]: how much must an impact take away so that x = 0 is stable? Prints discriminant,\n"
          "multipliers, the zeros n, the number m1 of the instability domain, the critical restitution of Theorem 2 "
          "of\n"
          "Leine 2012 (with damping if there is some), the verdict for the model's own restitution, the map of a "
          "period\n"
          "with its two cones and its directions, and the approximations with their errors. With two --vary the chart\n"
          "of all that over two parameters, in lanes and threads.",
      .examples = {{"saltus hill examples/mathieu_stop.toml --case second_tongue --verify", ""},
                   {"saltus hill examples/mathieu_stop.toml --chart --plot chart.png --out chart.nc", ""},
                   {"saltus hill examples/mathieu_stop.toml --vary alpha=0.3:1.7:281 --vary beta=0:1.2:241 "
                    "--approximations --plot fig7.svg",
                    "where averaging and Hill's determinant are good"}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto options = std::make_shared<HillCommandOptions>();
        add_model_options(app, options->request);
        add_hill_options(app, options->request);
        add_plot_option(app, options->plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return [options, &output] { return hill(*options, output); };
      }};
}

}  // namespace saltus::cli
