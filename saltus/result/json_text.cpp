#include "saltus/result/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

constexpr std::size_t longest_line = 120;  // of a list of texts

std::string scalar_text(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!std::isfinite(number)) return '"' + shortest(number) + '"';
    return shortest(number);
  }
  // Characters that command a terminal are written as numbers: JSON is shown there, too.
  const bool ascii =
      value.is_string() && without_controls(value.get_ref<const std::string&>()) != value.get_ref<const std::string&>();
  return value.dump(-1, ' ', ascii, Json::error_handler_t::replace);
}

/// The elements on one line, or nothing if they do not fit there.
std::string on_one_line(const Json& list) {
  std::string line = "[";
  bool texts = false;
  for (const Json& item : list) {
    if (item.is_structured()) return "";
    texts = texts || item.is_string();
    line += (line.size() > 1 ? ", " : "") + scalar_text(item);
  }
  return texts && line.size() > longest_line ? "" : line + "]";
}

void write(const Json& value, const std::string& indent, std::string& text) {
  if (!value.is_structured()) {
    text += scalar_text(value);
    return;
  }
  if (value.is_array()) {
    const std::string line = on_one_line(value);
    if (!line.empty()) {
      text += line;
      return;
    }
  }
  if (value.empty()) {
    text += "{}";
    return;
  }
  const std::string deeper = indent + "  ";
  text += value.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& item : value.items()) {
    text += (first ? "\n" : ",\n") + deeper;
    if (value.is_object()) text += scalar_text(Json(item.key())) + ": ";
    write(item.value(), deeper, text);
    first = false;
  }
  text += "\n" + indent + (value.is_array() ? "]" : "}");
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

Json json_diagnostic(const Diagnostic& diagnostic) {
  const SourceSpan& at = diagnostic.span;
  Json notes = Json::array();
  for (const Diagnostic& note : diagnostic.notes) notes.push_back(json_diagnostic(note));
  return {{"file", at.source ? at.source->name() : ""},
          {"line", at.line},
          {"column", at.first},
          {"last_column", at.last},
          {"severity", name_of(diagnostic.severity)},
          {"message", diagnostic.message},
          {"expected", diagnostic.expected},
          {"suggestion", diagnostic.suggestion},
          {"notes", std::move(notes)}};
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(shortest(value)); }

Json json_complex(const std::complex<double>& value) {
  return {{"re", json_number(value.real())}, {"im", json_number(value.imag())}, {"abs", json_number(std::abs(value))}};
}

Json json_numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

std::string json_text(const Json& value) {
  std::string text;
  write(value, "", text);
  return text + "\n";
}

Json json_diagnostics(std::span<const Diagnostic> diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : in_file_order({diagnostics.begin(), diagnostics.end()}))
    list.push_back(json_diagnostic(diagnostic));
  return list;
}

}  // namespace saltus
