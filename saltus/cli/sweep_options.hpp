#pragma once

#include <string>

#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/driver/sweep_request.hpp"

namespace saltus::cli {

/// --vary, --time, --periods, --returns, --transient, --surface, --crossing, --modulo, --method, --resume and the options of a run.
void add_sweep_options(CLI::App& app, SweepRequest& request);

/// Runs the request with progress and with Ctrl-C as its end; the journal stands beside the file of --out.
template <class AnyRequest>
auto run_sweep(AnyRequest request, const OutputOptions& output) {
  const Interrupt interrupt;
  SweepMeter meter(output.quiet ? ProgressBar::Show::never : ProgressBar::Show::on_terminal);
  request.interrupted = [&interrupt] { return interrupt.requested(); };
  request.advanced = [&meter](const SweepProgress& at) { meter.update(at.done, at.total, at.before); };
  request.journal_for = output.file;
  return run(request);
}

}  // namespace saltus::cli
