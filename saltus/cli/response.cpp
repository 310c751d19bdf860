#include "saltus/report/response.hpp"
#include "saltus/cli/deliver.hpp"
#include "saltus/driver/ranks.hpp"

namespace saltus::cli {
namespace {

ExitCode response(const ResponseRequest& request, const OutputOptions& output) {
  require_writable_all(output);
  std::optional<ResponseResult> found;
  try {
    found.emplace(run_sweep(request, output));
  } catch (const JournalInUse&) {
    if (!are_several_processes()) throw;
    complain("saltus response: it is not shared among processes; another one of them computes it");
    return ExitCode::done;
  }
  return deliver(*found, output, view_of(*found));
}

}  // namespace

Command response_command() {
  return {
      .name = "response",
      .arguments = "MODEL",
      .summary = "frequency response: steady and effective amplitude against a parameter, continued over folds",
      .details =
          "Measures how large a forced motion is while a parameter moves: the steady-state amplitude (max - min)/2 "
          "and\n"
          "the effective amplitude, that of the sinusoid with the same mean square. Where the two separate, the "
          "motion\n"
          "is often no longer periodic; whether it repeats is decided by its strobe, and its stability by its\n"
          "multipliers. Motions begin at the initial state (fresh) or where the last one ended (up, down, both). With\n"
          "--continuation every periodic motion that is found is followed, stable and unstable, over the whole range:\n"
          "the response curve with its folds (LP), period doublings (PD) and Neimark-Sacker points (NS).",
      .examples = {{"saltus response examples/clearance_pair.toml --vary eta=0.5:1.1:121 --plot response.png",
                    "from rest, 128 periods each"},
                   {"saltus response examples/gear_rattle.toml --vary eta=0.4:1.2:81 --direction both --continuation "
                    "--plot response.svg",
                    "hysteresis and the folds behind it"},
                   {"saltus response examples/clearance_pair.toml --case trilinear --vary eta=0.5:1.1:61 --method tfem",
                    "time finite elements"}},
      .begin = drawn<ResponseRequest>(response, "print nothing but errors")};
}

}  // namespace saltus::cli
