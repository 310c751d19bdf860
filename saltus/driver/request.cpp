#include "saltus/driver/request.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "saltus/base/unbroken.hpp"
#include "saltus/expr/evaluate.hpp"

namespace saltus {

ModelError::ModelError(ExitCode code, std::vector<Diagnostic> diagnostics)
    : Error(code, rendered(diagnostics)), diagnostics_(std::move(diagnostics)) {}

PreparedModel prepared(const Request& request) {
  const Unbroken reading_it;
  const std::string name = request.model == "-" ? "standard input" : request.model;
  ModelReading reading = request.text ? read_model(name, *request.text) : read_model_file(request.model);
  if (!reading.model) throw ModelError(ExitCode::model, std::move(reading.diagnostics));
  SetupReading numbers = set_up(*reading.model, request.case_name, request.assignments);
  // The model has passed the same checks as it stands and in each of its cases: what is wrong now are the settings.
  if (!numbers.setup) throw ModelError(ExitCode::usage, std::move(numbers.diagnostics));
  std::vector<Diagnostic> warnings = std::move(reading.diagnostics);
  warnings.insert(warnings.end(), numbers.diagnostics.begin(), numbers.diagnostics.end());
  return {request.model, request.case_name, reading.model, std::move(*numbers.setup), std::move(warnings)};
}

double number(const PreparedModel& prepared, Expr of_parameters) {
  const std::vector<Parameter>& parameters = prepared.model->parameters;
  return evaluate(of_parameters, [&](const std::string& name) {
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
    if (found == parameters.end()) throw Error(ExitCode::fault, "'" + name + "' is no parameter");
    return prepared.setup.parameters[static_cast<std::size_t>(found - parameters.begin())];
  });
}

unsigned threads_of(const RunOptions& options) {
  constexpr unsigned most_threads = 1000;  // each has its own stack, and memory for its motions
  if (options.threads > most_threads)
    throw usage(
        fmt::format("⟨threads⟩ {} is out of range\n  expected a whole number up to {}", options.threads, most_threads));
  if (options.threads > 0) return options.threads;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const int all = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
  // Processes of mpirun on one machine share its processors; bound ones see their own only.
  const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const int sharing = local ? std::max(1, std::atoi(local)) : 1;
  return static_cast<unsigned>(std::max(1, all / sharing));
}

}  // namespace saltus
