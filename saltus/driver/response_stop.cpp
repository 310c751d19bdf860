#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/setting.hpp"
#include "saltus/driver/response.hpp"

namespace saltus {
namespace {

std::size_t failures(const ResponseResult& result) {
  std::size_t count = 0;
  for (const ResponseCurve& curve : result.curves)
    count += static_cast<std::size_t>(
        std::count_if(curve.points.begin(), curve.points.end(), [](const auto& point) { return !point.measured; }));
  return count;
}

std::size_t stops(const ResponseResult& result) {
  std::size_t count = 0;
  for (const ResponseCurve& curve : result.curves)
    count += static_cast<std::size_t>(std::count_if(curve.points.begin(), curve.points.end(), [](const auto& point) {
      return point.words.starts_with("stopped");
    }));
  return count;
}

}  // namespace

std::string stop_message(const ResponseResult& result) {
  std::string text;
  if (!result.complete()) {
    const std::string again = result.journal->path().empty() ? "" : "; ⟨resume⟩ continues it";
    text = result.missing > 0
               ? fmt::format("{}: interrupted: {} values are missing{}\n", result.prepared.file, result.missing, again)
               : fmt::format("{}: interrupted: the continued curves are a part\n", result.prepared.file);
  }
  const std::size_t failed = failures(result);
  const bool elements = result.request.road == ResponseRoad::elements;
  if (failed > 0 && elements)
    text += fmt::format(
        "{}: at {} value{} Newton's iteration on the elements found no periodic motion\n"
        "  begin at the last solution (⟨direction⟩ up or down), take smaller steps, or more ⟨elements⟩\n",
        result.prepared.file, failed, failed == 1 ? "" : "s");
  const std::size_t stopped = elements ? failed : stops(result);
  if (stopped > 0 && !elements)
    text += fmt::format(
        "{}: {} motion{} could not be followed to the end\n"
        "  look at one of them with saltus simulate and ⟨set⟩ {}=VALUE\n",
        result.prepared.file, stopped, stopped == 1 ? "" : "s", result.range.name);
  if (failed > stopped)
    text += fmt::format("{}: {} motion{} no amplitude of '{}'; the table says why\n", result.prepared.file,
                        failed - stopped, failed - stopped == 1 ? " has" : "s have", result.observed);
  for (const std::string& note : result.notes) text += fmt::format("{}: {}\n", result.prepared.file, note);
  return said(text);
}

ExitCode exit_code(const ResponseResult& result) {
  if (!result.complete()) return ExitCode::interrupted;
  return failures(result) == 0 && result.notes.empty() ? ExitCode::done : ExitCode::stopped_early;
}

}  // namespace saltus
