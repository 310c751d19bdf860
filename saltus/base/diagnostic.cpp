#include "saltus/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

constexpr int longest_shown_line = 160;  // characters; a longer line is cut around the place

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

std::string heading(const Diagnostic& diagnostic) {
  const SourceSpan& at = diagnostic.span;
  std::string place = at.source ? at.source->name() : std::string();
  if (at.line > 0) place += fmt::format(":{}:{}", at.line, at.first);
  if (!place.empty()) place += ": ";
  return fmt::format("{}{}: {}\n", place, name_of(diagnostic.severity), diagnostic.message);
}

/// The source line and the caret under its span. A long line is shown around the span only.
std::string excerpt(const SourceSpan& at) {
  if (!at.source || at.line < 1 || at.line > at.source->line_count()) return "";
  const std::string line = printable(at.source->line(at.line));
  const int length = character_count(line);
  const int start = length > longest_shown_line ? std::max(0, at.first - 1 - longest_shown_line / 2) : 0;
  const int end = std::min(length, start + longest_shown_line);
  const std::string shown =
      (start > 0 ? "…" : "") + std::string(characters(line, start, end)) + (end < length ? "…" : "");
  const int indent = at.first - 1 - start + (start > 0 ? 1 : 0);
  const int width = std::clamp(at.last - at.first, 0, std::max(0, end - at.first));
  const std::string number = std::to_string(at.line);
  return fmt::format("  {} | {}\n  {:{}} | {:{}}^{:~<{}}\n", number, shown, "", number.size(), "", std::max(0, indent),
                     "", width);
}

}  // namespace

std::string rendered(const Diagnostic& diagnostic) {
  std::string text = heading(diagnostic) + excerpt(diagnostic.span);
  if (!diagnostic.expected.empty()) text += fmt::format("  expected {}\n", diagnostic.expected);
  if (!diagnostic.suggestion.empty()) text += fmt::format("  {}\n", diagnostic.suggestion);
  for (const Diagnostic& note : diagnostic.notes) text += rendered(note);
  return text;
}

std::string rendered(std::span<const Diagnostic> diagnostics, int limit) {
  const std::vector<Diagnostic> ordered = in_file_order({diagnostics.begin(), diagnostics.end()});
  const int count = static_cast<int>(ordered.size());
  std::string text;
  for (int i = 0; i < std::min(count, limit); ++i) text += rendered(ordered[static_cast<std::size_t>(i)]);
  if (count > limit) text += fmt::format("… and {} more\n", count - limit);
  return text;
}

bool has_errors(std::span<const Diagnostic> diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::vector<Diagnostic> in_file_order(std::vector<Diagnostic> diagnostics) {
  const auto place = [](const Diagnostic& d) { return std::tuple(d.span.line, d.span.first, d.span.last); };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  std::vector<Diagnostic> once;
  for (Diagnostic& d : diagnostics) {
    const auto repeats = [&](const Diagnostic& other) {
      return place(other) == place(d) && other.message == d.message;
    };
    // Only those at the same place can repeat, and these are the last ones.
    const auto first =
        std::find_if(once.rbegin(), once.rend(), [&](const Diagnostic& o) { return place(o) != place(d); });
    if (std::none_of(once.rbegin(), first, repeats)) once.push_back(std::move(d));
  }
  return once;
}

}  // namespace saltus
