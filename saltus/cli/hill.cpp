#include <memory>
#include <nlohmann/json.hpp>

#include "saltus/cli/long_run.hpp"
#include "saltus/driver/hill_output.hpp"
#include "saltus/result/figure.hpp"

namespace saltus::cli {
namespace {

ExitCode hill(const HillRequest& request, const OutputOptions& output) {
  require_writable_all(output);
  const HillResult result = run_long(request, output);
  warn(result.warnings(), output);
  const std::string message = stop_message(result);
  const bool drawable = !result.point || !result.point->t.empty();
  std::vector<std::string> files;
  if (!output.file.empty()) files = write_result(output.file, result_file(result), to_json(result));
  if (!output.plot.empty() && drawable) {
    draw(figure(result), output.plot);
    files.push_back(output.plot);
  }
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(to_text(result) + written_text(files));
  if (!output.json) complain(message);
  return exit_code(result);
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
      .begin = [](OutputOptions& output) -> Invocation {
        const auto request = std::make_shared<HillRequest>();
        const Options options =
            output_options(output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return {joined({options_of(*request), {plot_option(output)}, options}),
                [request, &output] { return hill(*request, output); }};
      }};
}

}  // namespace saltus::cli
