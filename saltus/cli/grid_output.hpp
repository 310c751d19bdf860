#pragma once

#include <nlohmann/json.hpp>

#include "saltus/cli/sweep_options.hpp"
#include "saltus/driver/grid.hpp"
#include "saltus/driver/ranks.hpp"
#include "saltus/result/figure.hpp"
#include "saltus/result/new_file.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus::cli {

/// Computes a grid and writes it: file, picture, JSON or text. The journal goes when everything is written.
template <class AnyRequest>
ExitCode run_grid(const AnyRequest& request, const PlotOptions& plot, const OutputOptions& output) {
  const bool leads = !ranks() || ranks()->rank() == 0;
  if (!output.file.empty() && leads) require_writable(output.file);
  if (!plot.file.empty() && leads) require_writable(plot.file);
  const auto result = run_sweep(request, output);
  if (!result.numbers.writes) return ExitCode::done;
  warn(result.warnings(), output);
  if (output.ending == ".json") {
    Json whole = to_json(result);
    whole["recipe"] = to_json(result.recipe);
    write_text(output.file, json_text(whole));
  } else if (!output.file.empty()) {
    write_grid(output.file, grid_file(result));
  }
  if (!plot.file.empty()) draw(figure(result), plot.file);
  if (!output.file.empty() && result.numbers.complete()) result.numbers.journal->discard();
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet && output.file.empty()) print(to_text(result));
  if (!output.json) complain(stop_message(result));
  return exit_code(result);
}

}  // namespace saltus::cli
