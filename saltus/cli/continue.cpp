#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/drawn_result.hpp"
#include "saltus/driver/continuation.hpp"

namespace saltus::cli {
namespace {

void add_continue_options(CLI::App& app, ContinueRequest& request) {
  app.add_option("--vary", request.vary, "the parameter and its bounds; twice for a curve of special points")
      ->option_text("NAME=FROM:TO")
      ->allow_extra_args(false);
  add_input_option(app, "--from", request.from, "an orbit or a branch from a file: .json or .nc");
  app.add_option("--point", request.point, "which point of the file, or of the branch: a label or a number")
      ->option_text("LABEL");
  app.add_option("--switch", request.switches, "go over to the other branch at this PD or BP; LABEL,LABEL,...: again")
      ->option_text("LABEL")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag(
      "--family", request.family,
      "orbits at one value of the parameter, as of a conservative system: --vary names what makes them vanish");
  app.add_option("--fix", request.fix, "with two --vary: orbits of one period, period; without forcing")
      ->option_text("NAME");
  app.add_option("--at", request.at, "orbits exactly at these values of what is varied, labelled UZ")
      ->option_text("NAME=VALUE,...")
      ->allow_extra_args(false);
  app.add_option("--stop", request.stops, "each direction ends at the first of a kind: PD, LP, ...; PD2: at the second")
      ->option_text("LABEL")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--longest", request.longest,
                 "towards a homoclinic orbit: follow on until the period is as long (without it: until the parameter "
                 "stands still)")
      ->option_text("T");
  app.add_option("--period", request.period, "of the first orbit, in returns; without it: what the motion shows")
      ->option_text("K");
  app.add_option("--transient", request.transient,
                 "without --from: how long the motion settles, in forcing periods or time (default 300)")
      ->option_text("T or N");
  app.add_option_function<std::string>(
         "--direction", [&request](const std::string& name) { request.direction = continue_direction_named(name); },
         "of the parameter: both (the default), up or down")
      ->option_text("NAME");
  app.add_option("--step", request.largest_step, "longest step, as a part of the range (default 0.1)")
      ->option_text("NUMBER");
  app.add_option("--points", request.most_points, "most points in each direction (default 2000)")->option_text("N");
  app.add_option("--surface", request.surface, "section where this expression is zero, instead of the model's")
      ->option_text("EXPR");
  app.add_option("--modulo", request.modulo, "the surface is met at every multiple of this, such as 2*pi")
      ->option_text("EXPR");
  app.add_option("--observe", request.observe,
                 "what the picture shows: an expression at the returns (default: the first coordinate), or max(EXPR), "
                 "min(EXPR)\n"
                 "over the orbit")
      ->option_text("EXPR");
  add_input_option(app, "--over", request.over, "draw over the points of this result of saltus diagram: .nc");
  app.add_option(
         "--method", request.method,
         "of the motions: rk (Runge-Kutta of order 8), exact (closed form of piecewise linear models) or auto: exact\n"
         "where it is possible and nothing strikes")
      ->option_text("NAME");
  app.add_option("--rtol", request.options.rtol, "relative error of a step (default 1e-12)")->option_text("NUMBER");
  app.add_option("--atol", request.options.atol, "absolute error of a step (default 1e-13)")->option_text("NUMBER");
}

ExitCode continue_branch(const ContinueRequest& request, const PlotOptions& plot, const OutputOptions& output) {
  require_writable_all(output, plot);
  if (!request.over.empty() && plot.file.empty())
    throw Error(ExitCode::usage, "--over is for pictures\n  add --plot FILE.svg");
  const ContinueResult result = run_long(request, output);
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (!output.file.empty()) files = write_result(output.file, result_file(result), to_json(result));
  return show(result, plot, output, std::move(files));
}

}  // namespace

Command continue_command() {
  return {
      .name = "continue",
      .arguments = "MODEL",
      .summary = "a branch of periodic orbits in a parameter: stability, bifurcations, grazing",
      .details =
          "Follows periodic orbits, stable and unstable, while a parameter moves: folds (LP), period doublings (PD),\n"
          "Neimark-Sacker (NS), branch (BP) and Hopf points (HB), grazing (GR), begin and end of sliding (SL) are "
          "located\n"
          "to 1e-9 and labelled. The sequence of impacts is read off the motion; where it changes, the branch goes on\n"
          "with the new one, and what happens is said: the orbit persists, folds back or disappears. Every orbit is\n"
          "checked by the event-driven motion: none penetrates an obstacle. It begins with the orbit of a file, or\n"
          "with the periodic motion that the initial state leads to.",
      .examples = {{"saltus continue examples/impact_oscillator.toml --set omega=2.4 --vary sigma=-0.3:0.3", ""},
                   {"saltus continue model.toml --vary p=0:1 --from orbit.json --out branch.json --plot branch.svg",
                    ""},
                   {"saltus continue model.toml --vary p=0:1 --from branch.json --switch PD1", "the doubled orbits"},
                   {"saltus continue model.toml --vary p=0:1 --vary r=2:3 --from branch.json --point PD1",
                    "where PD1 goes when r moves too"}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<ContinueRequest>();
        const auto plot = std::make_shared<PlotOptions>();
        add_model_options(app, *request);
        add_continue_options(app, *request);
        add_plot_option(app, *plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return [request, plot, &output] { return continue_branch(*request, *plot, output); };
      }};
}

}  // namespace saltus::cli
