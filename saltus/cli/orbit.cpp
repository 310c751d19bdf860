#include "saltus/driver/orbit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/cli/motion_options.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {
namespace {

struct OrbitArguments {
  OrbitRequest request;
  PlotOptions plot;
  std::vector<std::string> observe;
  bool report = false;
};

/// How the orbit is sought, or how the motions of shooting are computed.
void choose_method(OrbitRequest& request, const std::string& name) {
  if (name == "auto" || name == "rk" || name == "exact") {
    request.method = name;
    return;
  }
  for (const OrbitMethod each : {OrbitMethod::shooting, OrbitMethod::tfem})
    if (name == name_of(each)) {
      request.orbit_method = each;
      return;
    }
  throw Error(ExitCode::usage, fmt::format("method '{}' is not available\n  expected shooting (with auto, rk or exact "
                                           "motions) or tfem (time finite elements)",
                                           printable(name)));
}

ExitCode orbit(const OrbitArguments& arguments, const OutputOptions& output) {
  const bool plots = !arguments.plot.file.empty();
  if (!plots && !arguments.observe.empty())
    throw Error(ExitCode::usage, "--observe is for plots\n  add --plot FILE.svg");
  if (!output.file.empty()) require_writable(output.file);
  if (plots) {
    require_writable(arguments.plot.file);
    require_plane(*prepared(arguments.request).model, arguments.observe);
  }
  const OrbitResult result = run_long(arguments.request, output);
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (!output.file.empty()) files = write_result(output.file, result_file(result), to_json(result));
  if (plots && !result.orbits.empty()) {
    draw(figure(result, arguments.observe), arguments.plot.file);
    files.push_back(arguments.plot.file);
  }
  const std::string report = arguments.report ? report_text(result) : "";
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(to_text(result) + report + written_text(files));
  if (!output.json) complain(stop_message(result));
  return exit_code(result);
}

void add_orbit_options(CLI::App& app, OrbitArguments& arguments) {
  OrbitRequest& request = arguments.request;
  app.add_option("--period", request.period, "forcing periods, or returns to the section (default 1)")
      ->option_text("K");
  app.add_option("--transient", request.transient,
                 "first follow the motion for as many forcing periods, or as long without forcing")
      ->option_text("N or T");
  app.add_option("--time", request.time, "without forcing and section: how long the period is, roughly")
      ->option_text("T");
  app.add_option("--starts", request.starts, "from the initial state and N - 1 random ones: all orbits up to --period")
      ->option_text("N");
  app.add_option("--seed", request.seed, "of the random states (default 1)")->option_text("S");
  app.add_option(
         "--spread", request.spread,
         "each component is moved by at most so many times its range on the motion from the initial state (default 1)")
      ->option_text("NUMBER");
  app.add_option("--segments", request.segments, "of multiple shooting; 1: single shooting (default: what suits)")
      ->option_text("M");
  app.add_option("--elements", request.elements.elements, "of tfem, in one period of the orbit (default 10)")
      ->option_text("N");
  app.add_option("--degree", request.elements.degree, "of their polynomials (default 3)")->option_text("D");
  app.add_option("--residual", request.tolerance, "what closed means (default 1e-11)")->option_text("NUMBER");
  app.add_option("--iterations", request.iterations, "of Newton, at most (default 40)")->option_text("N");
  app.add_option("--surface,--section", request.surface,
                 "section where this expression is zero, instead of the model's")
      ->option_text("EXPR");
  app.add_option("--direction", request.direction, "of the crossing: up (the default), down or both")
      ->option_text("NAME");
  app.add_option("--modulo", request.modulo, "the surface is met at every multiple of this, such as 2*pi")
      ->option_text("EXPR");
  app.add_option_function<std::string>(
         "--method", [&request](const std::string& name) { choose_method(request, name); },
         "shooting, the default; auto, rk or exact: shooting with motions computed so; tfem: time finite elements")
      ->option_text("NAME");
  app.add_option("--samples", request.samples, "states at this many instants of one period, in files and JSON")
      ->option_text("K");
  app.add_option("--observe", arguments.observe, "what to plot: two coordinates, velocities or observables; NAME,NAME")
      ->option_text("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--report", arguments.report, "Newton's steps");
  add_run_options(app, request.options);
}

}  // namespace

Command orbit_command() {
  return {
      .name = "orbit",
      .arguments = "MODEL",
      .summary = "periodic orbits, stable and unstable, with their multipliers",
      .details =
          "Newton's iteration with exact derivatives, on the orbit cut into segments, from the initial state or from\n"
          "where the motion is after a transient; with --starts, from many states: all distinct orbits up to the\n"
          "period given, unstable ones included. Prints state, period, Floquet multipliers (those that contact\n"
          "annihilates are exactly 0), stability, the sequence of events and the residual. An orbit that is not found\n"
          "ends with exit code 1, the last point and a reason. The .json file is what saltus continue begins with.",
      .examples = {{"saltus orbit examples/impact_oscillator.toml --transient 50", ""},
                   {"saltus orbit examples/triple_pendulum_torque.toml --case q1_159 --transient 500 --period 6", ""},
                   {"saltus orbit examples/vibrating_table.toml --case period2 --period 4 --starts 32",
                    "unstable orbits, too"},
                   {"saltus orbit examples/clearance_pair.toml --case eta0772 --method tfem --elements 10",
                    "Hamilton's principle on ten elements in time"},
                   {"saltus orbit model.toml --transient 200 --out orbit.json", "for saltus continue"}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto arguments = std::make_shared<OrbitArguments>();
        add_model_options(app, arguments->request);
        add_orbit_options(app, *arguments);
        add_plot_option(app, arguments->plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return [arguments, &output] { return orbit(*arguments, output); };
      }};
}

}  // namespace saltus::cli
