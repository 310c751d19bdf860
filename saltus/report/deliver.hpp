#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/text.hpp"
#include "saltus/driver/sweep_request.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/grid_file.hpp"
#include "saltus/result/new_file.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// Where a result goes; empty: nowhere.
struct Outputs {
  std::string file;  // in the form that its ending says
  std::string plot;  // a picture
};

inline std::string ending_of(const Outputs& output) { return std::filesystem::path(output.file).extension().string(); }

/// Throws Error(file) before the computation if a file could not be written after it. Of several processes the first one writes.
void require_writable_all(const Outputs& output);

/// What a person sees of a result.
struct View {
  std::function<std::string()> text;  // on standard output, unless JSON is wanted
  std::function<std::optional<Figure>()> picture;  // nothing where there is nothing to draw
  std::function<std::string()> remark = {};  // to standard error where nothing went wrong
  bool despite_quiet = false;  // without a file the text is printed even if quiet is wanted
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
std::string write_grid_file(const Result& result, const Outputs& output) {
  const std::string file = place_for(output.file, result.numbers.complete());
  try {
    if (ending_of(output) == ".json") {
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

/// The names of the files, which are written. The journal goes then: a picture that fails leaves nothing to resume.
template <class Result>
std::vector<std::string> write_files(const Result& result, const Outputs& output, const View& view) {
  if (output.file.empty()) return {};
  std::vector<std::string> files;
  if constexpr (requires { result.numbers.grid; }) {
    files = {write_grid_file(result, output)};
    if (result.numbers.complete()) result.numbers.journal->discard();
  } else if (ending_of(output) == ".txt") {
    files = {place_for(output.file, exit_code(result) == ExitCode::done)};
    write_text(files.front(), without_controls(view.text()));
  } else {
    files = write_result(output.file, result_file(result), stored_json(result));
  }
  if constexpr (requires { result.journal; })
    if (result.complete()) result.journal->discard();
  return files;
}

/// Writes what is wanted, whole or not at all, and ends the journal. Returns the names of the files.
template <class Result>
std::vector<std::string> deliver(const Result& result, const Outputs& output, const View& view) {
  std::vector<std::string> files = write_files(result, output, view);
  const std::optional<Figure> picture = output.plot.empty() ? std::nullopt : view.picture();
  if (picture) {
    draw(*picture, output.plot);
    files.push_back(output.plot);
  }
  return files;
}

}  // namespace saltus
