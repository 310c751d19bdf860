#include "saltus/report/lyapunov.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {
namespace {

ExitCode lyapunov(const LyapunovRequest& request, const OutputOptions& output) {
  require_writable_all(output);
  const LyapunovResult result = run_long(request, output);
  View view = view_of(result);
  // Of a motion that has ended before there was an exponent there is no picture, and its end is what is said.
  if (exit_code(result) != ExitCode::done && !is_drawable(result)) view.picture = [] { return std::nullopt; };
  view.despite_quiet = true;
  return deliver(result, output, view);
}

}  // namespace

Command lyapunov_command() {
  return {
      .name = "lyapunov",
      .arguments = "MODEL",
      .summary = "what kind of motion is it? Lyapunov exponents with errors, and a verdict",
      .details =
          "Follows the motion and its tangent through impacts, sliding and switches. Prints all exponents with their\n"
          "standard errors, Kaplan-Yorke dimension, impacts per time and the verdict: equilibrium, periodic with its\n"
          "period, quasi-periodic, chaotic or hyperchaotic, with the reason. Directions that contact annihilates have\n"
          "the exponent -inf; the trivial zero of time itself of a forced system stands apart. The sum rule compares\n"
          "the sum of the exponents with the loss of phase volume in flight and in impacts: it should be small.",
      .examples = {{"saltus lyapunov examples/triple_pendulum_barrier.toml --case fig3a --periods 1000 --transient 500 "
                    "--base 2",
                    ""},
                   {"saltus lyapunov examples/triple_pendulum_torque.toml --case q1_2 --time 2000 --transient 200", ""},
                   {"saltus lyapunov model.toml --periods 500 --transient 200 --starts 64",
                    "which attractors are there?"},
                   {"saltus lyapunov model.toml --periods 500 --transient 200 --plot convergence.svg --out history.nc",
                    ""}},
      .begin = drawn<LyapunovRequest>(lyapunov, "print no warnings and no progress", {".txt", ".json", ".csv", ".nc"})};
}

}  // namespace saltus::cli
