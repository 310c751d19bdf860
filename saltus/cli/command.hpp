#pragma once

#include <functional>
#include <string>
#include <vector>

#include "saltus/base/diagnostic.hpp"
#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/report/deliver.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {

/// Where results go and in which form; the same for all commands.
struct OutputOptions : Outputs {
  bool json = false;  // one JSON object on standard output
  bool quiet = false;
};

/// What can be said to a command, and what it does once it is said.
struct Invocation {
  Options options;
  std::function<ExitCode()> action;
};

struct Example {
  std::string command_line;
  std::string purpose;
};

/// One command of the program. A new one is a function that returns this, listed in `commands()`.
struct Command {
  std::string name;
  std::string arguments;  // "MODEL"
  std::string summary;    // one line, no capital, for `saltus --help`
  std::string details;    // paragraphs, for `saltus NAME --help`
  std::vector<Example> examples;
  /// A fresh request: its options and those of its output, and what is done with it.
  std::function<Invocation(OutputOptions&)> begin;
};

/// All of them, in the order of `saltus --help`.
const std::vector<Command>& commands();
Command check_command();
Command equations_command();
Command show_command();
Command simulate_command();
Command lyapunov_command();
Command section_command();
Command orbit_command();
Command diagram_command();
Command map_command();
Command basin_command();
Command hill_command();
Command continue_command();
Command response_command();

/// The options of a command before anything is said, with the request that they read and write.
struct FreshOptions {
  explicit FreshOptions(const Command& command) : invocation(command.begin(output)) {}
  FreshOptions(const FreshOptions&) = delete;
  FreshOptions& operator=(const FreshOptions&) = delete;

  OutputOptions output;
  Invocation invocation;
};

/// --json, --quiet, and --out for files with one of the endings.
Options output_options(OutputOptions& output, const std::vector<std::string>& endings,
                       const std::string& quiet = "print no warnings");

/// --plot.
Option plot_option(OutputOptions& output);

/// Warnings to standard error, unless they are part of the JSON or not wanted.
void warn(const std::vector<Diagnostic>& warnings, const OutputOptions& output);

/// A message to standard error; an empty one says nothing.
void complain(const std::string& message);

/// Text to standard output, without control characters. Throws Error(file) if that is impossible; a reader who has seen enough
/// and closed the pipe is no failure.
void print(const std::string& text);

/// "written  branch.csv, branch_special.csv": the line that ends a summary; nothing if there are none.
std::string written_text(const std::vector<std::string>& files);

/// Warnings, then the result: to the file if there is one, as JSON if that is wanted, else as text.
template <class Result>
ExitCode deliver(const Result& result, const OutputOptions& output) {
  warn(result.warnings(), output);
  if (!output.file.empty())
    write_text(output.file,
               ending_of(output) == ".json" ? json_text(to_json(result)) : without_controls(to_text(result)));
  if (output.json) print(json_text(to_json(result)));
  else if (output.file.empty()) print(to_text(result));
  return ExitCode::done;
}

/// Does what the words behind the command's name say.
ExitCode run_command(const Command& command, const std::vector<std::string>& words);

/// Reads the arguments (without the program's name), does what they say, and returns what the shell is told.
ExitCode run_command_line(const std::vector<std::string>& arguments);

/// For what goes wrong where nobody catches it, as in a thread of a library: said as everywhere, and the end.
[[noreturn]] void end_in_words();

}  // namespace saltus::cli
