#include "saltus/driver/section.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/motion_options.hpp"

namespace saltus::cli {
namespace {

struct SectionOutput {
  SectionPlot what;
  PlotOptions plot;
};

void check_ahead(const SectionRequest& request, const OutputOptions& output, const SectionOutput& extra) {
  const SectionPlot& what = extra.what;
  if (extra.plot.file.empty() && !(what.x.empty() && what.y.empty() && what.colour.empty()))
    throw Error(ExitCode::usage, "--x, --y and --color are for plots\n  add --plot FILE.png");
  require_writable_all(output, extra.plot);
  if (!extra.plot.file.empty()) require_drawable(*prepared(request).model, what);
}

/// The points to standard output or the file, the verdict to standard error.
ExitCode section(const SectionRequest& request, const OutputOptions& output, const SectionOutput& extra) {
  check_ahead(request, output, extra);
  const SectionResult result = run_long(request, output);
  warn(result.warnings(), output);
  const bool plots = !extra.plot.file.empty();
  std::vector<std::string> files;
  if (!output.file.empty()) files = write_result(output.file, result_file(result), to_json(result));
  if (plots) {
    draw(figure(result, extra.what), extra.plot.file);
    files.push_back(extra.plot.file);
  }
  if (output.json) print(json_text(to_json(result)));
  else if (files.empty()) print(to_csv(result));
  else if (!output.quiet) print(written_text(files));
  if (output.json) return exit_code(result);
  const std::string stopped = stop_message(result);
  if (!stopped.empty()) complain(stopped);
  else if (!output.quiet) complain(verdict_text(result));
  return exit_code(result);
}

}  // namespace

Command section_command() {
  return {
      .name = "section",
      .arguments = "MODEL",
      .summary = "points of a Poincaré section: strobe, surface or impacts",
      .details =
          "Follows the motion through the transient and then prints its points as CSV: a forced model once per "
          "forcing\n"
          "period, another one at the surface of its [section], each at another surface (--surface) or just before "
          "the\n"
          "impacts of a contact (--at-impacts). Says after how many points they repeat. --plot draws them instead, "
          "any\n"
          "quantity over any other, coloured by a third; angles modulo a turn.",
      .examples = {{"saltus section examples/triple_pendulum_barrier.toml --case fig4ab --periods 2000 --transient 500 "
                    "> points.csv",
                    ""},
                   {"saltus section examples/vibrating_table.toml --case chaos --periods 500 --at-impacts table", ""},
                   {"saltus section model.toml --time 1000 --surface \"x' - 1\" --direction down", ""},
                   {"saltus section model.toml --periods 5000 --plot s.png --x q --y \"q'\" --color energy", ""}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<SectionRequest>();
        add_model_options(app, *request);
        add_motion_options(app, *request);
        app.add_option("--at-impacts", request->at_impacts, "just before the impacts of this contact")
            ->option_text("CONTACT");
        app.add_option("--rtol", request->options.rtol, "relative error of a step (default 1e-10)")
            ->option_text("NUMBER");
        app.add_option("--atol", request->options.atol, "absolute error of a step (default 1e-12)")
            ->option_text("NUMBER");
        app.add_option("--threads", request->options.threads, "number of threads; 0, the default, is one per processor")
            ->option_text("N");
        add_starts_options(app, request->starts);
        const auto extra = std::make_shared<SectionOutput>();
        add_plot_option(app, extra->plot);
        app.add_option("--x", extra->what.x,
                       "what the picture shows to the right: a coordinate, velocity, observable or t")
            ->option_text("NAME");
        app.add_option("--y", extra->what.y, "and upwards; default: the first coordinate and its velocity")
            ->option_text("NAME");
        app.add_option("--color", extra->what.colour, "colour the points by this quantity")->option_text("NAME");
        add_output_options(app, output, {".csv", ".nc", ".json"}, "print no warnings, verdict or progress");
        return [request, extra, &output] { return section(*request, output, *extra); };
      }};
}

}  // namespace saltus::cli
