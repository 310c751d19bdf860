#pragma once

#include <stdexcept>
#include <string>

namespace saltus {

/// What the command line returns to the shell.
enum class ExitCode : int {
  done = 0,
  stopped_early = 1,  // the mathematics stopped early; what was computed is written and marked
  usage = 2,
  model = 3,
  file = 4,
  fault = 70,  // a fault of this program
  interrupted = 130,
};

/// Something outside the mathematics went wrong: a file, an option, a missing program. Caught once in each front end.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The command line asks for what cannot be.
inline Error usage(const std::string& message) { return {ExitCode::usage, message}; }

}  // namespace saltus
