#pragma once

#include <utility>

#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/driver/lyapunov.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/starts.hpp"

namespace saltus::cli {

/// --time, --periods, --transient, --surface, --direction, --modulo, --method.
void add_motion_options(CLI::App& app, MotionRequest& request);

/// --surface, its direction of crossing under the given name, --modulo.
void add_surface_options(CLI::App& app, MotionRequest& request, const std::string& direction,
                         const std::string& direction_help);

/// --method: auto, rk or exact.
void add_method_option(CLI::App& app, std::string& method);

/// --base: e or 2. Throws Error(usage).
LogBase base_named(const std::string& name);

/// --starts, --seed, --spread.
void add_starts_options(CLI::App& app, Starts& starts);

/// --base e or 2, of exponents.
void add_base_option(CLI::App& app, LogBase& base);

/// Throws Error(file) before the computation if a file could not be written after it.
void require_writable_all(const OutputOptions& output, const PlotOptions& plot);

/// Runs the request with a progress bar on a terminal and with Ctrl-C as its end.
template <class AnyRequest>
auto run_long(AnyRequest request, const OutputOptions& output) {
  const Interrupt interrupt;
  ProgressBar bar(output.quiet ? ProgressBar::Show::never : ProgressBar::Show::on_terminal);
  request.interrupted = [&interrupt] { return interrupt.requested(); };
  request.progress = [&bar](double part) { bar.update(part); };
  return run(request);
}

}  // namespace saltus::cli
