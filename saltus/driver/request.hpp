#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/diagnostic.hpp"
#include "saltus/base/error.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

// Requests are composed of the parts that mean something to their command; none is derived from another command's.

/// Which model, with which numbers: a part of every request.
struct Request {
  std::string model;                    // path of the model file
  std::optional<std::string> text;      // the model itself; `model` is then only its name in messages
  std::string case_name;                // empty: none
  std::vector<Assignment> assignments;  // override the case
};

/// How to compute, for commands that do so for long. Numbers not given are those of the model's [solver] or the defaults.
struct RunOptions {
  unsigned threads = 0;  // 0: one per processor
  std::optional<double> rtol;
  std::optional<double> atol;
};

/// Which solver follows the motions.
struct WhichSolver {
  RunOptions options;
  std::string method;  // empty: as the model says
};

/// Who is told of a computation, and may end it.
struct WhileRunning {
  std::function<bool()> interrupted;  // asked now and then; true ends the run early
  std::function<void(double)> progress;  // told now and then which part is done, 0 … 1
};

/// As many as asked for, else one per processor that this process may use.
unsigned threads_of(const RunOptions& options);

/// A model or its settings are wrong. The exit code is `usage` if the case or the assignments are to blame.
class ModelError : public Error {
 public:
  ModelError(ExitCode code, std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A model with its numbers, checked.
struct PreparedModel {
  std::string file;  // as requested
  std::string case_name;  // likewise
  std::shared_ptr<const Model> model;
  Setup setup;
  std::vector<Diagnostic> warnings;
};

/// Reads the model and applies case and assignments. Throws ModelError with all that is wrong, Error(file) if the model
/// cannot be read.
PreparedModel prepared(const Request& request);

/// The [hill] form or the [mechanics] form.
inline bool is_hill(const PreparedModel& prepared) { return prepared.model->hill.has_value(); }

/// An expression of parameters as a number.
double number(const PreparedModel& prepared, Expr of_parameters);

}  // namespace saltus
