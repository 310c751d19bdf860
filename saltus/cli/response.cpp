#include "saltus/driver/response.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/drawn_result.hpp"
#include "saltus/cli/sweep_options.hpp"
#include "saltus/driver/ranks.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {
namespace {

void add_response_options(CLI::App& app, ResponseRequest& request) {
  app.add_option("--vary", request.vary, "the parameter: equally spaced values, both ends included")
      ->option_text("NAME=FROM:TO:COUNT")
      ->allow_extra_args(false);
  app.add_option("--observe", request.observe, "what is measured: a coordinate, observable or expression")
      ->option_text("EXPR");
  app.add_option_function<std::string>(
         "--direction", [&request](const std::string& name) { request.sweep = response_sweep_named(name); },
         "fresh (the default): every value from the initial state; up, down, both: from the end of the last; none: "
         "no simulation, only --continuation")
      ->option_text("NAME");
  app.add_option("--periods", request.periods, "forcing periods that are measured (default 32)")->option_text("N");
  app.add_option("--transient", request.discarded, "forcing periods thrown away before (default 96)")->option_text("N");
  app.add_option(
         "--time", request.time,
         "how long is measured, in the model's unit of time; --transient then too (default three times as long)")
      ->option_text("T");
  app.add_flag("--continuation", request.continued,
               "follow the periodic motions found, stable or not, through the range");
  add_input_option(app, "--from", request.from,
                   "begin the continued curve with an orbit or a branch of a file: .json or .nc");
  app.add_option("--point", request.point, "which point of the file: a label or a number")->option_text("LABEL");
  app.add_option("--step", request.largest_step,
                 "longest step of the continuation, as a part of the range (default 0.02)")
      ->option_text("NUMBER");
  app.add_option_function<std::string>(
         "--method",
         [&request](const std::string& name) {
           request.road = name == "tfem" ? ResponseRoad::elements : ResponseRoad::simulated;
           request.method = name == "tfem" ? "" : name;
         },
         "of the motions: auto, rk or exact; or tfem: periodic motions by time finite elements, fresh from the "
         "response of the linear system, up and down from the last stable solution")
      ->option_text("NAME");
  app.add_option("--elements", request.elements.elements, "of tfem (default 10)")->option_text("N");
  app.add_option("--degree", request.elements.degree, "of their polynomials (default 3)")->option_text("D");
  app.add_option("--samples", request.samples,
                 "of no effect: amplitudes are those of the motion itself, between its events")
      ->option_text("K");
  app.add_flag("--resume", request.resume, "continue an interrupted run with the same --out");
  add_run_options(app, request.options);
}

ExitCode response(const ResponseRequest& request, const PlotOptions& plot, const OutputOptions& output) {
  if (!output.file.empty()) require_writable(output.file);
  if (!plot.file.empty()) require_writable(plot.file);
  std::optional<ResponseResult> found;
  try {
    found.emplace(run_sweep(request, output));
  } catch (const JournalInUse&) {
    if (!are_several_processes()) throw;
    complain("saltus response: it is not shared among processes; another one of them computes it");
    return ExitCode::done;
  }
  const ResponseResult& result = *found;
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (!output.file.empty()) {
    files = write_result(output.file, result_file(result), to_json(result));
    if (result.complete()) result.journal->discard();
  }
  return show(result, plot, output, std::move(files));
}

}  // namespace

Command response_command() {
  return {
      .name = "response",
      .arguments = "MODEL",
      .summary = "frequency response: steady and effective amplitude against a parameter, continued over folds",
      .details =
          "Measures how large a forced motion is while a parameter moves: the steady-state amplitude (max - min)/2 "
          "and\n"
          "the effective amplitude, that of the sinusoid with the same mean square. Where the two separate, the "
          "motion\n"
          "is often no longer periodic; whether it repeats is decided by its strobe, and its stability by its\n"
          "multipliers. Motions begin at the initial state (fresh) or where the last one ended (up, down, both). With\n"
          "--continuation every periodic motion that is found is followed, stable and unstable, over the whole range:\n"
          "the response curve with its folds (LP), period doublings (PD) and Neimark-Sacker points (NS).",
      .examples = {{"saltus response examples/clearance_pair.toml --vary eta=0.5:1.1:121 --plot response.png",
                    "from rest, 128 periods each"},
                   {"saltus response examples/gear_rattle.toml --vary eta=0.4:1.2:81 --direction both --continuation "
                    "--plot response.svg",
                    "hysteresis and the folds behind it"},
                   {"saltus response examples/clearance_pair.toml --case trilinear --vary eta=0.5:1.1:61 --method tfem",
                    "time finite elements"}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<ResponseRequest>();
        const auto plot = std::make_shared<PlotOptions>();
        add_model_options(app, *request);
        add_response_options(app, *request);
        add_plot_option(app, *plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print nothing but errors");
        return [request, plot, &output] { return response(*request, *plot, output); };
      }};
}

}  // namespace saltus::cli
