#include "saltus/driver/diagram.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/drawn_result.hpp"
#include "saltus/cli/sweep_options.hpp"
#include "saltus/driver/ranks.hpp"

namespace saltus::cli {
namespace {

void add_diagram_options(CLI::App& app, DiagramRequest& request) {
  app.add_option_function<std::string>(
         "--direction", [&request](const std::string& name) { request.sweep = sweep_direction_named(name); },
         "up (the default), down or both: each value from the end of the last; fresh: each from the initial state")
      ->option_text("NAME");
  app.add_option(
         "--observe", request.observe,
         "what is shown: a coordinate, velocity, observable or expression; max(EXPR), min(EXPR): over each motion")
      ->option_text("EXPR");
  app.add_option("--at-impacts", request.at_impacts, "at the impacts of this contact instead of the section")
      ->option_text("CONTACT");
  app.add_option("--impact-velocity", request.impact_velocity, "the approach speeds at this contact")
      ->option_text("CONTACT");
  app.add_flag("--extrema", request.extrema, "the maxima and minima of --observe");
  app.add_flag("--lyapunov", request.lyapunov, "the spectrum at each value, drawn below");
  add_base_option(app, request.base);
  app.add_option("--settle", request.settle, "a longer transient for the first value of each ramp")
      ->option_text("T or N");
  app.add_option("--starts", request.starts, "the initial state and N - 1 random ones around it")->option_text("N");
  app.add_option("--seed", request.seed, "of the random states (default 1)")->option_text("S");
  app.add_option(
         "--spread", request.spread,
         "each component is moved by at most so many times its range on the motion from the initial state (default 1)")
      ->option_text("NUMBER");
  app.add_option("--ramps", request.ramps, "cut the range into N pieces that are begun anew, side by side")
      ->option_text("N");
}

ExitCode diagram(const DiagramRequest& request, const PlotOptions& plot, const OutputOptions& output) {
  const bool leads = !ranks() || ranks()->rank() == 0;
  if (leads) require_writable_all(output, plot);
  const DiagramResult result = run_sweep(request, output);
  if (!result.writes) return ExitCode::done;
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (!output.file.empty()) {
    files = write_result(output.file, result_file(result), to_json(result));
    if (result.complete()) result.journal->discard();
  }
  return show(result, plot, output, std::move(files));
}

}  // namespace

Command diagram_command() {
  return {
      .name = "diagram",
      .arguments = "MODEL",
      .summary = "bifurcation diagram: section points, verdict and exponents against one parameter",
      .details =
          "Moves one parameter through its range and shows the points of the section at each value: the strobe of a\n"
          "forced model, the section of another one, the impacts of a contact, impact speeds, or extrema. The motion\n"
          "at each value starts where the last one ended (--direction up, down or both), so that branches are "
          "followed\n"
          "and hysteresis is seen; or from the initial state (fresh). Values with sliding have a grey background.",
      .examples = {{"saltus diagram examples/impact_oscillator.toml --vary omega=2.5:3.1:300 --periods 60 --transient "
                    "200 --direction both --plot diagram.png",
                    "hysteresis in two colours"},
                   {"saltus diagram examples/triple_pendulum_torque.toml --vary q1=1.005:1.08:200 --time 400 "
                    "--transient 400 --lyapunov --out fig3.nc --plot fig3.png",
                    "with the spectrum below"}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<DiagramRequest>();
        const auto plot = std::make_shared<PlotOptions>();
        add_model_options(app, *request);
        add_sweep_options(app, *request);
        add_diagram_options(app, *request);
        add_plot_option(app, *plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print nothing but errors");
        return [request, plot, &output] { return diagram(*request, *plot, output); };
      }};
}

}  // namespace saltus::cli
