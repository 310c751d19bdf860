#include "saltus/driver/section.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/motion_options.hpp"

namespace saltus::cli {
namespace {

/// The points to standard output or the file, the verdict to standard error.
ExitCode section(const SectionRequest& request, const OutputOptions& output) {
  const SectionResult result = run_long(request, output);
  warn(result.warnings(), output);
  if (!output.file.empty())
    write_file(output.file, output.ending == ".json" ? json_text(to_json(result)) : to_csv(result));
  if (output.json) print(json_text(to_json(result)));
  else if (output.file.empty()) print(to_csv(result));
  if (output.json) return exit_code(result);
  const std::string stopped = stop_message(result);
  if (!stopped.empty()) complain(stopped);
  else if (!output.quiet) complain(fmt::format("{}: {}\n", verdict(result), reason(result)));
  return exit_code(result);
}

}  // namespace

Command section_command() {
  return {
      .name = "section",
      .arguments = "MODEL",
      .summary = "points of a Poincaré section: strobe, surface or impacts",
      .details =
          "Follows the motion through the transient and then prints its points as CSV: a forced model once per "
          "forcing\n"
          "period, another one at the surface of its [section], each at another surface (--surface) or just before "
          "the\n"
          "impacts of a contact (--at-impacts). Says after how many points they repeat.",
      .examples = {{"saltus section examples/triple_pendulum_barrier.toml --case fig4ab --periods 2000 --transient 500 "
                    "> points.csv",
                    ""},
                   {"saltus section examples/vibrating_table.toml --case chaos --periods 500 --at-impacts table", ""},
                   {"saltus section model.toml --time 1000 --surface \"x' - 1\" --direction down", ""}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<SectionRequest>();
        add_model_options(app, *request);
        add_motion_options(app, *request);
        app.add_option("--at-impacts", request->at_impacts, "just before the impacts of this contact")
            ->option_text("CONTACT");
        app.add_option("--rtol", request->options.rtol, "relative error of a step (default 1e-10)")
            ->option_text("NUMBER");
        app.add_option("--atol", request->options.atol, "absolute error of a step (default 1e-12)")
            ->option_text("NUMBER");
        add_output_options(app, output, {".csv", ".json"}, "print no warnings, verdict or progress");
        return [request, &output] { return section(*request, output); };
      }};
}

}  // namespace saltus::cli
