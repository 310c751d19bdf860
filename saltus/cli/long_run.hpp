#pragma once

#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"
#include "saltus/cli/progress.hpp"

namespace saltus::cli {

/// Runs the request with a progress bar on a terminal and with Ctrl-C as its end.
template <class AnyRequest>
auto run_long(AnyRequest request, const OutputOptions& output) {
  const Interrupt interrupt;
  ProgressBar bar(output.quiet ? ProgressBar::Show::never : ProgressBar::Show::on_terminal);
  request.interrupted = [&interrupt] { return interrupt.requested(); };
  request.progress = [&bar](double part) { bar.update(part); };
  return run(request);
}

/// Likewise a sweep; the journal stands beside the file of --out.
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
