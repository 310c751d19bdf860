#include "saltus/cli/motion_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {

void add_motion_options(CLI::App& app, MotionRequest& request) {
  app.add_option("--time", request.time, "how long, in the model's unit of time")->option_text("T");
  app.add_option("--periods", request.periods, "how long, in forcing periods")->option_text("N");
  app.add_option("--transient", request.transient, "thrown away before, in the same unit")->option_text("T or N");
  add_surface_options(app, request, "--direction", "of the crossing: up (the default), down or both");
  add_method_option(app, request.method);
}

void add_surface_options(CLI::App& app, MotionRequest& request, const std::string& direction,
                         const std::string& direction_help) {
  app.add_option("--surface", request.surface, "section where this expression is zero, instead of the model's")
      ->option_text("EXPR");
  app.add_option(direction, request.direction, direction_help)->option_text("NAME");
  app.add_option("--modulo", request.modulo, "the surface is met at every multiple of this, such as 2*pi")
      ->option_text("EXPR");
}

void add_method_option(CLI::App& app, std::string& method) {
  app.add_option(
         "--method", method,
         "auto (the default): exact where possible; rk: Runge-Kutta of order 8; exact: closed form of piecewise linear "
         "models")
      ->option_text("NAME");
}

void add_starts_options(CLI::App& app, Starts& starts) {
  app.add_option_function<std::string>(
         "--starts",
         [&starts](const std::string& text) {
           const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
           if (!is_number && text.find_first_not_of("+-0123456789.eE") == std::string::npos)
             throw Error(ExitCode::usage, fmt::format("--starts {} is no number of starts\n  expected a whole number "
                                                      "above 0, or the name of a CSV file",
                                                      printable(text)));
           if (is_number) starts.count = text.size() > 7 ? 10'000'000 : std::stoul(text);
           else starts.file = text;
           if (!is_number) keep_input(text);
         },
         "the initial state and N - 1 random ones around it, or the states listed in a CSV file")
      ->option_text("N or FILE");
  app.add_option("--seed", starts.seed, "of the random states (default 1)")->option_text("S");
  app.add_option(
         "--spread", starts.spread,
         "each component is moved by at most so many times its range on the motion from the initial state (default 1)")
      ->option_text("NUMBER");
}

void require_writable_all(const OutputOptions& output, const PlotOptions& plot) {
  if (!output.file.empty()) require_writable(output.file);
  if (!plot.file.empty()) require_writable(plot.file);
}

void add_base_option(CLI::App& app, LogBase& base) {
  app.add_option_function<std::string>(
         "--base",
         [&base](const std::string& name) {
           if (name != "2" && name != "e")
             throw Error(
                 ExitCode::usage,
                 fmt::format("--base {} is not known\n  expected e (natural logarithms) or 2 (bits)", printable(name)));
           base = name == "2" ? LogBase::two : LogBase::natural;
         },
         "e, the default: natural logarithms; 2: bits per unit time")
      ->option_text("BASE");
}

}  // namespace saltus::cli
