#include "saltus/report/simulate.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {
namespace {

struct SimulateOptions {
  SimulateRequest request;
  SimulateText text;
  MotionPlot kind = MotionPlot::time;
  std::vector<std::string> observe;
};

/// What cannot work is said before the motion is computed.
void check_ahead(const SimulateOptions& options, const OutputOptions& output) {
  require_writable_all(output);
  if (!output.plot.empty()) require_drawable(*prepared(options.request).model, options.kind, options.observe);
}

ExitCode simulate(SimulateOptions& options, const OutputOptions& output) {
  const bool plots = !output.plot.empty();
  if (!plots && !options.observe.empty()) throw Error(ExitCode::usage, "--observe is for plots\n  add --plot FILE.svg");
  check_ahead(options, output);
  SimulateRequest& request = options.request;
  const bool shows_samples = request.samples > 0;
  request.keep_events = output.json || !output.file.empty() || plots || options.text.events;
  if (plots && !shows_samples) request.samples = samples_of_a_figure;
  SimulateResult result = run_long(request, output);
  std::optional<Figure> picture = plots ? std::optional(figure(result, options.kind, options.observe)) : std::nullopt;
  if (!shows_samples) {  // they were for the picture alone
    result.request.samples = 0;
    result.flow.samples.clear();
  }
  options.text.samples = output.file.empty();
  return deliver(result, output, {[&] { return to_text(result, options.text); }, [&] { return picture; }});
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
      .begin = [](OutputOptions& output) -> Invocation {
        const auto wanted = std::make_shared<SimulateOptions>();
        const Options more = {
            {"events", "", "the table of impacts and other events", &wanted->text.events, Recorded::never},
            {"report", "", "steps, penetration, energy and other figures of trust", &wanted->text.report,
             Recorded::never},
            plot_option(output),
            choice("plot-kind", "KIND", "time, phase, configuration, gaps or forces", wanted->kind,
                   {"time", "phase", "configuration", "gaps", "forces"}, Recorded::never),
            listed_option("observe", "NAMES", "what to plot: coordinates, velocities, observables; NAME,NAME,...",
                          wanted->observe)};
        const Options options =
            output_options(output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return {joined({options_of(wanted->request), more, options}),
                [wanted, &output] { return simulate(*wanted, output); }};
      }};
}

}  // namespace saltus::cli
