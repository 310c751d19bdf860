#include "saltus/cli/motion_options.hpp"

#include <CLI/CLI.hpp>

namespace saltus::cli {

void add_motion_options(CLI::App& app, MotionRequest& request) {
  app.add_option("--time", request.time, "how long, in the model's unit of time")->option_text("T");
  app.add_option("--periods", request.periods, "how long, in forcing periods")->option_text("N");
  app.add_option("--transient", request.transient, "thrown away before, in the same unit")->option_text("T or N");
  app.add_option("--surface", request.surface, "section where this expression is zero, instead of the model's")
      ->option_text("EXPR");
  app.add_option("--direction", request.direction, "of the crossing: up (the default), down or both")
      ->option_text("NAME");
  app.add_option("--modulo", request.modulo, "the surface is met at every multiple of this, such as 2*pi")
      ->option_text("EXPR");
  app.add_option("--method", request.method, "rk, the default: Runge-Kutta of order 8")->option_text("NAME");
}

}  // namespace saltus::cli
