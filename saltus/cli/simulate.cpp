#include "saltus/driver/simulate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"
#include "saltus/cli/motion_options.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/driver/simulate_output.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {
namespace {

struct SimulateOptions {
  SimulateRequest request;
  SimulateText text;
  PlotOptions plot;
  MotionPlot kind = MotionPlot::time;
  std::vector<std::string> observe;
};

MotionPlot kind_named(const std::string& name) {
  const std::vector<std::string> names = {"time", "phase", "configuration", "gaps", "forces"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<MotionPlot>(found - names.begin());
  const std::string hint = did_you_mean(name, names);
  throw Error(ExitCode::usage, fmt::format("unknown kind of plot '{}'\n  expected {}{}", printable(name),
                                           fmt::join(names, ", "), hint.empty() ? "" : "\n  " + hint));
}

/// The motion, long as it may take: on a terminal with a progress bar, and with Ctrl-C as its end.
SimulateResult simulated(SimulateRequest request, const OutputOptions& output) {
  const Interrupt interrupt;
  ProgressBar bar(output.quiet ? ProgressBar::Show::never : ProgressBar::Show::on_terminal);
  request.interrupted = [&interrupt] { return interrupt.requested(); };
  request.progress = [&bar](double part) { bar.update(part); };
  return run(request);
}

/// What cannot work is said before the motion is computed.
void check_ahead(const SimulateOptions& options, const OutputOptions& output) {
  if (!output.file.empty()) require_writable(output.file);
  if (options.plot.file.empty()) return;
  require_writable(options.plot.file);
  require_drawable(*prepared(options.request).model, options.kind, options.observe);
}

ExitCode simulate(SimulateOptions& options, const OutputOptions& output) {
  const bool plots = !options.plot.file.empty();
  if (!plots && !options.observe.empty()) throw Error(ExitCode::usage, "--observe is for plots\n  add --plot FILE.svg");
  check_ahead(options, output);
  SimulateRequest& request = options.request;
  const bool shows_samples = request.samples > 0;
  request.keep_events = output.json || !output.file.empty() || plots || options.text.events;
  if (plots && !shows_samples) request.samples = samples_of_a_figure;
  SimulateResult result = simulated(request, output);
  warn(result.warnings(), output);
  const std::optional<Figure> picture =
      plots ? std::optional(figure(result, options.kind, options.observe)) : std::nullopt;
  if (!shows_samples) {  // they were for the picture alone
    result.request.samples = 0;
    result.flow.samples.clear();
  }
  std::vector<std::string> files;
  if (!output.file.empty()) files = write_result(output.file, result_file(result), to_json(result));
  if (picture) {
    draw(*picture, options.plot.file);
    files.push_back(options.plot.file);
  }
  options.text.samples = output.file.empty();
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(to_text(result, options.text) + written_text(files));
  if (!output.json) complain(stop_message(result));
  return exit_code(result);
}

void add_simulate_options(CLI::App& app, SimulateOptions& options) {
  SimulateRequest& request = options.request;
  app.add_option("--time", request.time, "how long, in the model's unit of time")->option_text("T");
  app.add_option("--periods", request.periods, "how long, in forcing periods")->option_text("N");
  app.add_option("--transient", request.transient, "passed over before, in the same unit")->option_text("T or N");
  app.add_option("--samples", request.samples, "states at this many instants, equally spaced from start to end")
      ->option_text("K");
  app.add_flag("--events", options.text.events, "the table of impacts and other events");
  app.add_flag("--report", options.text.report, "steps, penetration, energy and other figures of trust");
  app.add_option_function<std::string>(
         "--plot-kind", [&options](const std::string& name) { options.kind = kind_named(name); },
         "time (the default), phase, configuration, gaps or forces")
      ->option_text("KIND");
  app.add_option("--observe", options.observe, "what to plot: coordinates, velocities, observables; NAME,NAME,...")
      ->option_text("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_method_option(app, request.method);
  app.add_option("--rtol", request.options.rtol, "relative error of a step (default 1e-10)")->option_text("NUMBER");
  app.add_option("--atol", request.options.atol, "absolute error of a step (default 1e-12)")->option_text("NUMBER");
}

}  // namespace

Command simulate_command() {
  return {
      .name = "simulate",
      .arguments = "MODEL",
      .summary = "one motion from the initial state: impacts, sliding, chatter, pictures",
      .details =
          "Follows the motion from the initial state of the model, event by event: impacts, completed chatter,\n"
          "sliding along obstacles, switching forces. Prints how it ended. Tables, pictures and files on demand:\n"
          "NetCDF, CSV and JSON files hold the model and all settings, so that the result can be computed again.\n"
          "A motion that cannot be continued ends with exit code 1 and a reason; what was computed is kept.",
      .examples = {{"saltus simulate examples/bouncing_ball.toml --time 5 --events", ""},
                   {"saltus simulate examples/impact_oscillator.toml --periods 50 --plot phase.svg --plot-kind phase",
                    ""},
                   {"saltus simulate model.toml --time 10 --samples 1001 --out run.nc", "for xarray, ncview, MATLAB"},
                   {"saltus simulate model.toml --time 10 --report", "how far to trust it"}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto options = std::make_shared<SimulateOptions>();
        add_model_options(app, options->request);
        add_simulate_options(app, *options);
        add_plot_option(app, options->plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return [options, &output] { return simulate(*options, output); };
      }};
}

}  // namespace saltus::cli
