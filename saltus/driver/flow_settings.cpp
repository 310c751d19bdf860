#include "saltus/driver/flow_settings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/kernel/piecewise_linear.hpp"

namespace saltus {
namespace {

double tolerance(const char* option, double value, double least) {
  if (value >= least && value <= 0.1) return value;
  throw Error(ExitCode::usage, fmt::format("{} {} is out of range\n  expected a number from {} to 0.1", option,
                                           six_digits(value), shortest(least)));
}

FlowMethod method_named(const std::string& name) {
  if (name.empty() || name == "auto") return FlowMethod::automatic;
  if (name == "rk") return FlowMethod::runge_kutta;
  if (name == "exact") return FlowMethod::exact;
  throw Error(
      ExitCode::usage,
      fmt::format("method '{}' is not known\n  expected rk (Runge-Kutta of order 8), exact (closed form of piecewise "
                  "linear models) or auto (exact where possible)",
                  printable(name)));
}

}  // namespace

FlowOptions flow_options(const PreparedModel& prepared, const RunOptions& asked, const std::string& method) {
  const SolverSettings& solver = prepared.model->solver;
  FlowOptions options;
  // Below 1e-15 the error of a step drowns in rounding.
  options.rtol = tolerance("⟨rtol⟩", asked.rtol.value_or(solver.rtol.value_or(options.rtol)), 1e-15);
  options.atol = tolerance("⟨atol⟩", asked.atol.value_or(solver.atol.value_or(options.atol)), 1e-300);
  options.impact_law = solver.impact_law.value_or(options.impact_law);
  options.method = method_named(method.empty() ? solver.method.value_or("") : method);
  if (options.method == FlowMethod::exact)
    if (const auto found = first_nonlinearity(*prepared.model))
      throw ModelError(method.empty() ? ExitCode::model : ExitCode::usage, {diagnostic_of(*found)});
  return options;
}

std::string method_name(const PreparedModel& prepared, const FlowOptions& options) {
  const bool exact = options.method == FlowMethod::exact ||
                     (options.method == FlowMethod::automatic && !first_nonlinearity(*prepared.model));
  return exact ? "exact" : "rk";
}

Time time_at(double t, double period) {
  if (period <= 0.0) return {0, t};
  const double phase = std::fmod(t, period);  // exact, and so decides; t/period alone may be rounded to a whole number
  return {std::lround((t - phase) / period), phase};
}

}  // namespace saltus
