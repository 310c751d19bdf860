#pragma once

#include <utility>

#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/driver/motion_request.hpp"

namespace saltus::cli {

/// --time, --periods, --transient, --surface, --direction, --modulo, --method.
void add_motion_options(CLI::App& app, MotionRequest& request);

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
