#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "saltus/cli/long_run.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus::cli {

/// What a person sees of a result.
struct View {
  std::function<std::string()> text;               // on standard output, unless JSON is wanted
  std::function<std::optional<Figure>()> picture;  // nothing where there is nothing to draw
  std::function<std::string()> remark = {};        // to standard error where nothing went wrong
  bool despite_quiet = false;                      // without a file the text is printed even if quiet is wanted
};

template <class Result>
View view_of(const Result& result) {
  return {[&result] { return to_text(result); }, [&result] { return std::optional(figure(result)); }};
}

/// As a file holds it: without how the machine was used, which no recipe gives again.
template <class Result>
Json stored_json(const Result& result) {
  Json json = to_json(result);
  json.erase("lane_use");
  return json;
}

/// Writes a grid: its numbers are kept if that fails.
template <class Result>
std::string write_grid_file(const Result& result, const OutputOptions& output) {
  const std::string file = place_for(output.file, result.numbers.complete());
  try {
    if (output.ending == ".json") {
      Json whole = stored_json(result);
      whole["recipe"] = to_json(result.recipe);
      write_text(file, json_text(whole));
    } else {
      write_grid(file, grid_file(result));
    }
  } catch (const Error& error) {
    throw with_remedy(error, *result.numbers.journal, result.numbers.grid.tiles(), "tiles");
  }
  return file;
}

/// The names of the files of --out, which are written. The journal goes then: a picture that fails leaves nothing to resume.
template <class Result>
std::vector<std::string> write_files(const Result& result, const OutputOptions& output, const View& view) {
  if (output.file.empty()) return {};
  std::vector<std::string> files;
  if constexpr (requires { result.numbers.grid; }) {
    files = {write_grid_file(result, output)};
    if (result.numbers.complete()) result.numbers.journal->discard();
  } else if (output.ending == ".txt") {
    files = {place_for(output.file, exit_code(result) == ExitCode::done)};
    write_text(files.front(), without_controls(view.text()));
  } else {
    files = write_result(output.file, result_file(result), stored_json(result));
  }
  if constexpr (requires { result.journal; })
    if (result.complete()) result.journal->discard();
  return files;
}

/// The end of a command: warnings, files, picture, JSON or text with the names of the files, and what went wrong.
template <class Result>
ExitCode deliver(const Result& result, const OutputOptions& output, const View& view) {
  warn(result.warnings(), output);
  std::vector<std::string> files = write_files(result, output, view);
  const std::optional<Figure> picture = output.plot.empty() ? std::nullopt : view.picture();
  if (picture) {
    draw(*picture, output.plot);
    files.push_back(output.plot);
  }
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
