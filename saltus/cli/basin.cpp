#include "saltus/driver/basin.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/grid_output.hpp"
#include "saltus/cli/motion_options.hpp"

namespace saltus::cli {

Command basin_command() {
  return {
      .name = "basin",
      .arguments = "MODEL",
      .summary = "which attractor does each initial state of a plane go to? Shares with errors, spectra",
      .details =
          "Two initial values are varied, the others stay as the model, the case and --set say. Attractors are told\n"
          "apart by kind, period, means over the section and impacts per time, irregular ones by runs 16 times as "
          "long;\n"
          "the most visited has the label 0. The spectrum of each is computed from the first state that reached it. "
          "The\n"
          "error of a share is that of as many independent draws. States inside an obstacle start no motion.",
      .examples =
          {{"saltus basin examples/impact_oscillator.toml --set omega=2.72 --vary x=-2:0:100 \"--vary=x'=-2:2:100\" "
            "--periods 60 --transient 200 --plot basin.png",
            ""}},
      .declare = [](CLI::App& app, OutputOptions& output) -> Action {
        const auto request = std::make_shared<BasinRequest>();
        const auto plot = std::make_shared<PlotOptions>();
        add_model_options(app, *request);
        add_sweep_options(app, *request);
        add_base_option(app, request->base);
        add_plot_option(app, *plot);
        add_output_options(app, output, {".nc", ".csv", ".json"}, "print nothing but errors");
        return [request, plot, &output] { return run_grid(*request, *plot, output); };
      }};
}

}  // namespace saltus::cli
