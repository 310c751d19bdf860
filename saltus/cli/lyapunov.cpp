#include <memory>
#include <nlohmann/json.hpp>

#include "saltus/cli/long_run.hpp"
#include "saltus/result/figure.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus::cli {
namespace {

ExitCode lyapunov(const LyapunovRequest& request, const OutputOptions& output) {
  require_writable_all(output);
  const LyapunovResult result = run_long(request, output);
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (output.ending == ".txt") {
    files.push_back(place_for(output.file, exit_code(result) == ExitCode::done));
    write_text(files.back(), without_controls(to_text(result)));
  } else if (!output.file.empty()) {
    files = write_result(output.file, result_file(result), to_json(result));
  }
  if (!output.plot.empty()) {
    draw(figure(result), output.plot);
    files.push_back(output.plot);
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
      .begin = [](OutputOptions& output) -> Invocation {
        const auto request = std::make_shared<LyapunovRequest>();
        const Options options =
            output_options(output, {".txt", ".json", ".csv", ".nc"}, "print no warnings and no progress");
        return {joined({options_of(*request), {plot_option(output)}, options}),
                [request, &output] { return lyapunov(*request, output); }};
      }};
}

}  // namespace saltus::cli
