#include "saltus/driver/lyapunov.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/cli/motion_options.hpp"

namespace saltus::cli {
namespace {

void add_lyapunov_options(CLI::App& app, LyapunovRequest& request) {
  app.add_option("--error", request.error, "end earlier, when every standard error is below this")
      ->option_text("NUMBER");
  add_base_option(app, request.base);
  add_starts_options(app, request.starts);
  app.add_flag("--tangent-check", request.tangent_check,
               "compare the tangent with central differences of the flow, through all events");
  add_run_options(app, request.options);
}

ExitCode lyapunov(const LyapunovRequest& request, const OutputOptions& output, const PlotOptions& plot) {
  require_writable_all(output, plot);
  const LyapunovResult result = run_long(request, output);
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (output.ending == ".nc" || output.ending == ".csv") {
    files = write_result(output.file, result_file(result), to_json(result));
  } else if (!output.file.empty()) {
    files.push_back(place_for(output.file, exit_code(result) == ExitCode::done));
    write_text(files.back(), output.ending == ".json" ? json_text(to_json(result)) : without_controls(to_text(result)));
  }
  if (!plot.file.empty()) {
    draw(figure(result), plot.file);
    files.push_back(plot.file);
  }
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(to_text(result) + written_text(files));
  else if (output.file.empty()) print(to_text(result));
  if (!output.json) complain(stop_message(result));
  return exit_code(result);
}

}  // namespace

Command lyapunov_command() {
  return {
      .name = "lyapunov",
      .arguments = "MODEL",
      .summary = "what kind of motion is it? Lyapunov exponents with errors, and a verdict",
      .details =
          "Follows the motion and its tangent through impacts, sliding and switches. Prints all exponents with their\n"
          "standard errors, Kaplan-Yorke dimension, impacts per time and the verdict: equilibrium, periodic with its\n"
          "period, quasi-periodic, chaotic or hyperchaotic, with the reason. Directions that contact annihilates have\n"
          "the exponent -inf; the trivial zero of time itself of a forced system stands apart. The sum rule compares\n"
          "the sum of the exponents with the loss of phase volume in flight and in impacts: it should be small.",
      .examples = {{"saltus lyapunov examples/triple_pendulum_barrier.toml --case fig3a --periods 1000 --transient 500 "
                    "--base 2",
                    ""},
                   {"saltus lyapunov examples/triple_pendulum_torque.toml --case q1_2 --time 2000 --transient 200", ""},
                   {"saltus lyapunov model.toml --periods 500 --transient 200 --starts 64",
                    "which attractors are there?"},
                   {"saltus lyapunov model.toml --periods 500 --transient 200 --plot convergence.svg --out history.nc",
                    ""}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<LyapunovRequest>();
        add_model_options(app, *request);
        add_motion_options(app, *request);
        add_lyapunov_options(app, *request);
        const auto plot = std::make_shared<PlotOptions>();
        add_plot_option(app, *plot);
        add_output_options(app, output, {".txt", ".json", ".csv", ".nc"}, "print no warnings and no progress");
        return [request, plot, &output] { return lyapunov(*request, output, *plot); };
      }};
}

}  // namespace saltus::cli
