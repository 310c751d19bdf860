#include "saltus/cli/sweep_options.hpp"

#include <CLI/CLI.hpp>

#include "saltus/cli/motion_options.hpp"

namespace saltus::cli {

void add_sweep_options(CLI::App& app, SweepRequest& request) {
  app.add_option("--vary", request.vary, "what is varied: equally spaced values, both ends included")
      ->option_text("NAME=FROM:TO:COUNT")
      ->allow_extra_args(false);
  app.add_option("--time", request.time, "how long each motion is measured, in the model's unit of time")
      ->option_text("T");
  app.add_option("--periods", request.periods, "the same in forcing periods")->option_text("N");
  app.add_option("--returns", request.returns, "the same in returns to the section of a model without forcing")
      ->option_text("N");
  app.add_option("--transient", request.transient, "thrown away before, in the same unit")->option_text("T or N");
  add_surface_options(app, request, "--crossing", "of the surface: up (the default), down or both");
  add_method_option(app, request.method);
  app.add_flag("--resume", request.resume, "continue an interrupted run with the same --out");
  add_run_options(app, request.options);
}

}  // namespace saltus::cli
