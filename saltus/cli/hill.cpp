#include "saltus/report/hill.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {
namespace {

ExitCode hill(const HillRequest& request, const OutputOptions& output) {
  require_writable_all(output);
  const HillResult result = run_long(request, output);
  const bool drawable = !result.point || !result.point->t.empty();
  return deliver(
      result, output,
      {[&] { return to_text(result); }, [&] { return drawable ? std::optional(figure(result)) : std::nullopt; }});
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
      .begin = drawn<HillRequest>(hill, "print no summary, warnings or progress")};
}

}  // namespace saltus::cli
