#include "saltus/cli/deliver.hpp"
#include "saltus/report/continuation.hpp"

namespace saltus::cli {
namespace {

ExitCode continue_branch(const ContinueRequest& request, const OutputOptions& output, const std::string& over) {
  require_writable_all(output);
  if (!over.empty() && output.plot.empty())
    throw Error(ExitCode::usage, "--over is for pictures\n  add --plot FILE.svg");
  if (!over.empty() && !request.vary.empty())
    require_diagram(over, request.vary.front().substr(0, request.vary.front().find('=')));
  const ContinueResult result = run_long(request, output);
  return deliver(result, output,
                 {[&] { return to_text(result); }, [&] { return std::optional(figure(result, over)); }});
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
      .begin = [](OutputOptions& output) -> Invocation {
        const auto request = std::make_shared<ContinueRequest>();
        const auto over = std::make_shared<std::string>();
        const Options options =
            output_options(output, {".nc", ".csv", ".json"}, "print no summary, warnings or progress");
        return {joined({options_of(*request),
                        {input_file("over", *over, "draw over the points of this result of saltus diagram: .nc"),
                         plot_option(output)},
                        options}),
                [request, over, &output] { return continue_branch(*request, output, *over); }};
      }};
}

}  // namespace saltus::cli
