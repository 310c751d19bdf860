#include "saltus/report/orbit.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {
namespace {

struct OrbitArguments {
  OrbitRequest request;
  std::vector<std::string> observe;
  bool report = false;
};

ExitCode orbit(const OrbitArguments& arguments, const OutputOptions& output) {
  const bool plots = !output.plot.empty();
  if (!plots && !arguments.observe.empty())
    throw Error(ExitCode::usage, "--observe is for plots\n  add --plot FILE.svg");
  require_writable_all(output);
  if (plots) require_plane(*prepared(arguments.request).model, arguments.observe);
  const OrbitResult result = run_long(arguments.request, output);
  const auto picture = [&] {
    return result.orbits.empty() ? std::nullopt : std::optional(figure(result, arguments.observe));
  };
  return deliver(result, output,
                 {[&] { return to_text(result) + (arguments.report ? report_text(result) : ""); }, picture});
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
      .begin = [](OutputOptions& output) -> Invocation {
        const auto arguments = std::make_shared<OrbitArguments>();
        const Options more = {
            listed_option("observe", "NAMES", "what to plot: two coordinates, velocities or observables; NAME,NAME",
                          arguments->observe),
            {"report", "", "Newton's steps", &arguments->report, Recorded::never},
            plot_option(output)};
        const Options options =
            output_options(output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return {joined({options_of(arguments->request), more, options}),
                [arguments, &output] { return orbit(*arguments, output); }};
      }};
}

}  // namespace saltus::cli
