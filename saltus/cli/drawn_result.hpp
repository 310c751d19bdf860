#pragma once

#include "saltus/cli/command.hpp"
#include "saltus/result/figure.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus::cli {

/// Picture, JSON or text with the names of the files, those of --out and the picture, and what went wrong.
template <class Result>
ExitCode show(const Result& result, const OutputOptions& output, std::vector<std::string> files) {
  if (!output.plot.empty()) {
    draw(figure(result), output.plot);
    files.push_back(output.plot);
  }
  if (output.json) print(json_text(to_json(result)));
  else if (!output.quiet) print(to_text(result) + written_text(files));
  if (!output.json) complain(stop_message(result));
  return exit_code(result);
}

}  // namespace saltus::cli
