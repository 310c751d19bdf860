#include "saltus/report/section.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {
namespace {

void check_ahead(const SectionRequest& request, const OutputOptions& output, const SectionPlot& what) {
  if (output.plot.empty() && !(what.x.empty() && what.y.empty() && what.colour.empty()))
    throw Error(ExitCode::usage, "--x, --y and --color are for plots\n  add --plot FILE.png");
  require_writable_all(output);
  if (!output.plot.empty()) require_drawable(*prepared(request).model, what);
}

/// The points to standard output or the file, the verdict to standard error.
ExitCode section(const SectionRequest& request, const OutputOptions& output, const SectionPlot& what) {
  check_ahead(request, output, what);
  const SectionResult result = run_long(request, output);
  const bool prints = output.file.empty() && output.plot.empty();
  return deliver(result, output,
                 {.text = [&] { return prints ? to_csv(result) : ""; },
                  .picture = [&] { return std::optional(figure(result, what)); },
                  .remark = [&] { return verdict_text(result); },
                  .despite_quiet = true});
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
          "impacts of a contact (--at-impacts). Says after how many points they repeat. --plot draws them instead, "
          "any\n"
          "quantity over any other, coloured by a third; angles modulo a turn.",
      .examples = {{"saltus section examples/triple_pendulum_barrier.toml --case fig4ab --periods 2000 --transient 500 "
                    "> points.csv",
                    ""},
                   {"saltus section examples/vibrating_table.toml --case chaos --periods 500 --at-impacts table", ""},
                   {"saltus section model.toml --time 1000 --surface \"x' - 1\" --direction down", ""},
                   {"saltus section model.toml --periods 5000 --plot s.png --x q --y \"q'\" --color energy", ""}},
      .begin = [](OutputOptions& output) -> Invocation {
        const auto request = std::make_shared<SectionRequest>();
        const auto what = std::make_shared<SectionPlot>();
        const Options picture = {
            plot_option(output),
            {"x", "NAME", "what the picture shows to the right: a coordinate, velocity, observable or t", &what->x,
             Recorded::never},
            {"y", "NAME", "and upwards; default: the first coordinate and its velocity", &what->y, Recorded::never},
            {"color", "NAME", "colour the points by this quantity", &what->colour, Recorded::never}};
        const Options options =
            output_options(output, {".csv", ".nc", ".json"}, "print no warnings, verdict or progress");
        return {joined({options_of(*request), picture, options}),
                [request, what, &output] { return section(*request, output, *what); }};
      }};
}

}  // namespace saltus::cli
