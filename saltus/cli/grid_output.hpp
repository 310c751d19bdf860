#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "saltus/cli/drawn_result.hpp"
#include "saltus/cli/long_run.hpp"
#include "saltus/driver/grid.hpp"
#include "saltus/driver/ranks.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {

/// Computes a grid and writes it: file, picture, JSON or text. The journal goes when the file is written.
template <class AnyRequest>
ExitCode run_grid(const AnyRequest& request, const OutputOptions& output) {
  const bool leads = !ranks() || ranks()->rank() == 0;
  if (leads) require_writable_all(output);
  const auto result = run_sweep(request, output);
  if (!result.numbers.writes) return ExitCode::done;
  warn(result.warnings(), output);
  std::vector<std::string> files;
  if (!output.file.empty()) files.push_back(place_for(output.file, result.numbers.complete()));
  try {
    if (output.ending == ".json") {
      Json whole = to_json(result);
      whole["recipe"] = to_json(result.recipe);
      write_text(files.front(), json_text(whole));
    } else if (!output.file.empty()) {
      write_grid(files.front(), grid_file(result));
    }
  } catch (const Error& error) {
    throw with_remedy(error, *result.numbers.journal, result.numbers.grid.tiles(), "tiles");
  }
  // A picture that fails leaves nothing to resume.
  if (!output.file.empty() && result.numbers.complete()) result.numbers.journal->discard();
  return show(result, output, std::move(files));
}

}  // namespace saltus::cli
