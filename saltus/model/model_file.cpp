#include <fmt/format.h>

#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"
#include "saltus/model/check.hpp"
#include "saltus/model/model_reader.hpp"
#include "saltus/model/switches.hpp"

namespace saltus {
namespace {

constexpr std::size_t largest_file = 1'000'000;  // bytes

/// The checks that need numbers, for the model as it stands and for each case. What is wrong already without a case is
/// not said again for it.
void check_numbers(const Model& model, std::vector<Diagnostic>& diagnostics) {
  const std::vector<Diagnostic> plain = set_up(model, "", {}).diagnostics;
  diagnostics.insert(diagnostics.end(), plain.begin(), plain.end());
  if (has_errors(plain)) return;
  for (const Case& variant : model.cases) {
    const std::vector<Diagnostic> found = set_up(model, variant.name, {}).diagnostics;
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  }
}

Diagnostic too_large(const std::string& name, std::size_t size) {
  return {Severity::error,
          {std::make_shared<SourceText>(name, ""), 0, 0, 0},
          fmt::format("the file is too large: {} bytes", size),
          fmt::format("a model of at most {} bytes", largest_file),
          "",
          {}};
}

void read_checked(const TomlDocument& document, ModelReading& reading) {
  try {
    const std::shared_ptr<Model> model = ModelReader(document, reading.diagnostics).model();
    if (has_errors(reading.diagnostics)) return;
    std::vector<Diagnostic> found = check(*model);
    reading.diagnostics.insert(reading.diagnostics.end(), found.begin(), found.end());
    if (has_errors(found)) return;
    find_switches(*model);
    model->invariance = invariance_of(*model);
    check_numbers(*model, reading.diagnostics);
    if (!has_errors(reading.diagnostics)) reading.model = model;
  } catch (const ReadingAbandoned&) {
    return;  // the reason is among the diagnostics
  } catch (const GraphLimit& limit) {
    add_error(reading.diagnostics, {document.source(), 0, 0, 0}, limit.what(), "a smaller model");
  }
}

}  // namespace

ModelReading read_model(const std::string& name, const std::string& text) {
  ModelReading reading;
  if (text.size() > largest_file) {
    reading.diagnostics.push_back(too_large(name, text.size()));
    return reading;
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const bool marked = text.starts_with(byte_order_mark);
  const auto source = std::make_shared<SourceText>(name, marked ? text.substr(byte_order_mark.size()) : text);
  const TomlDocument document(source, reading.diagnostics);
  if (!has_errors(reading.diagnostics)) read_checked(document, reading);
  reading.diagnostics = in_file_order(std::move(reading.diagnostics));
  return reading;
}

ModelReading read_model_file(const std::string& path) {
  return read_model(path == "-" ? "standard input" : path, model_text(path));
}

std::string model_text(const std::string& path) {
  // A file that is larger is refused by `read_model`, with its place, as everything that is wrong with a model.
  constexpr std::size_t largest_reading = 64 * largest_file;
  return input_text(path, largest_reading);
}

}  // namespace saltus
