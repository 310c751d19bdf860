#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/setting.hpp"
#include "saltus/driver/diagram.hpp"

namespace saltus {
namespace {

std::size_t failures(const DiagramResult& result) {
  std::size_t count = 0;
  for (const DiagramBranch& branch : result.branches)
    count += static_cast<std::size_t>(std::count_if(branch.results.begin(), branch.results.end(), [](const auto& r) {
      return is_there(r) && r.outcome != Outcome::reached_end;
    }));
  return count;
}

}  // namespace

std::string stop_message(const DiagramResult& result) {
  if (!result.complete()) {
    const std::string again = result.journal->path().empty() ? "" : "; ⟨resume⟩ continues it";
    return said(fmt::format("{}: interrupted: {} values are missing{}\n", result.prepared.file, result.missing, again));
  }
  const std::size_t failed = failures(result);
  if (failed == 0) return "";
  return said(
      fmt::format("{}: {} motion{} could not be followed to the end; their outcome says why\n"
                  "  look at one of them with saltus simulate and ⟨set⟩ {}=VALUE\n",
                  result.prepared.file, failed, failed == 1 ? "" : "s", result.range.name));
}

ExitCode exit_code(const DiagramResult& result) {
  if (!result.complete()) return ExitCode::interrupted;
  return failures(result) == 0 ? ExitCode::done : ExitCode::stopped_early;
}

}  // namespace saltus
