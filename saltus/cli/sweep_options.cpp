#include "saltus/cli/sweep_options.hpp"

#include <CLI/CLI.hpp>

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
  app.add_option("--surface", request.surface, "section where this expression is zero, instead of the model's")
      ->option_text("EXPR");
  app.add_option("--crossing", request.direction, "of the surface: up (the default), down or both")
      ->option_text("NAME");
  app.add_option("--modulo", request.modulo, "the surface is met at every multiple of this, such as 2*pi")
      ->option_text("EXPR");
  app.add_option(
         "--method", request.method,
         "auto (the default): exact where possible; rk: Runge-Kutta of order 8; exact: closed form of piecewise linear "
         "models")
      ->option_text("NAME");
  app.add_flag("--resume", request.resume, "continue an interrupted run with the same --out");
  add_run_options(app, request.options);
}

}  // namespace saltus::cli
