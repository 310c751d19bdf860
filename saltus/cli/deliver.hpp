#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "saltus/cli/long_run.hpp"

namespace saltus::cli {

/// The end of a command: warnings, files, picture, JSON or text with the names of the files, and what went wrong.
template <class Result>
ExitCode deliver(const Result& result, const OutputOptions& output, const View& view) {
  warn(result.warnings(), output);
  const std::vector<std::string> files = saltus::deliver(result, static_cast<const Outputs&>(output), view);
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(view.text() + written_text(files));
  else if (view.despite_quiet && output.file.empty()) print(view.text());
  if (output.json) return exit_code(result);
  const std::string stopped = stop_message(result);
  complain(stopped.empty() && view.remark && !output.quiet ? view.remark() : stopped);
  return exit_code(result);
}

/// A whole sweep, of which one process writes the result.
template <class AnyRequest>
ExitCode sweep(const AnyRequest& request, const OutputOptions& output) {
  require_writable_all(output);
  const auto result = run_sweep(request, output);
  if constexpr (requires { result.numbers.writes; }) {
    if (!result.numbers.writes) return ExitCode::done;
  } else if (!result.writes) return ExitCode::done;
  return deliver(result, output, view_of(result));
}

/// What begins a command with one request and a picture.
template <class AnyRequest>
std::function<Invocation(OutputOptions&)> drawn(ExitCode (*act)(const AnyRequest&, const OutputOptions&),
                                                const std::string& quiet,
                                                const std::vector<std::string>& endings = {".nc", ".csv", ".json"}) {
  return [=](OutputOptions& output) -> Invocation {
    const auto request = std::make_shared<AnyRequest>();
    return {joined({options_of(*request), {plot_option(output)}, output_options(output, endings, quiet)}),
            [request, &output, act] { return act(*request, output); }};
  };
}

}  // namespace saltus::cli
