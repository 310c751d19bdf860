#include "saltus/model/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

const std::vector<std::string>& top_level_keys() {
  static const std::vector<std::string> keys = {"title",   "source",  "parameters", "define",  "mechanics",
                                                "hill",    "contact", "forcing",    "section", "initial",
                                                "observe", "draw",    "case",       "solver"};
  return keys;
}

}  // namespace

ModelReader::ModelReader(const TomlDocument& document, std::vector<Diagnostic>& diagnostics)
    : document_(document),
      root_(document.root()),
      diagnostics_(diagnostics),
      model_(std::make_shared<Model>()),
      graph_(std::make_shared<Graph>()),
      scope_(document, *graph_, diagnostics) {}

std::shared_ptr<Model> ModelReader::model() {
  model_->source = document_.source();
  model_->graph = graph_;
  model_->t = graph_->symbol("t");
  only(root_, top_level_keys(), "at the top of a model");
  model_->title = text_of(root_, "title");
  model_->reference = text_of(root_, "source");
  declare_names();
  read_parameters();
  read_mechanics();
  read_hill();
  read_contacts();
  read_forcing();
  read_section();
  read_initial();
  read_observables();
  read_drawing();
  read_cases();
  read_solver();
  scope_.read_all_definitions();
  return model_;
}

Diagnostic& ModelReader::error(const SourceSpan& span, std::string message, std::string expected,
                               std::string suggestion) {
  return add_error(diagnostics_, span, std::move(message), std::move(expected), std::move(suggestion));
}

void ModelReader::only(const TomlValue& table, const Keys& keys, const std::string& where) {
  for (const TomlEntry& entry : table.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    error(entry.key_span, fmt::format("unknown key '{}' {}", printable(entry.key), where),
          fmt::format("{}", fmt::join(keys, ", ")), did_you_mean(entry.key, keys));
    if (const auto nearest = closest_name(entry.key, keys)) meant_.emplace(&table, *nearest);
  }
}

bool ModelReader::has_or_means(const TomlValue& table, const std::string& key) const {
  return table.find(key) || meant_.contains({&table, key});
}

bool ModelReader::require(const TomlValue& value, TomlKind kind, const std::string& what, const std::string& expected) {
  if (value.kind == kind) return true;
  error(value.span, fmt::format("{} is {}", what, in_words(value.kind)), expected);
  return false;
}

const TomlValue* ModelReader::section(const std::string& name) {
  const TomlValue* value = root_.find(name);
  if (!value) return nullptr;
  const std::string head = fmt::format("[{}]", name);
  return require(*value, TomlKind::table, fmt::format("'{}'", name), fmt::format("a table, begun by {}", head))
             ? value
             : nullptr;
}

std::string ModelReader::text_of(const TomlValue& table, const std::string& key) {
  const TomlValue* value = table.find(key);
  if (!value || !require(*value, TomlKind::string, fmt::format("'{}'", key), "a text in quotes")) return "";
  return value->text;
}

std::string ModelReader::chosen(const TomlValue& value, const std::string& what, const Keys& choices) {
  const std::string expected = fmt::format("\"{}\"", fmt::join(choices, "\" or \""));
  if (!require(value, TomlKind::string, what, expected)) return "";
  if (std::find(choices.begin(), choices.end(), value.text) != choices.end()) return value.text;
  error(document_.inner_span(value), fmt::format("unknown {} '{}'", what, printable(value.text)), expected,
        did_you_mean(value.text, choices));
  return "";
}

void ModelReader::declare_names() {
  if (const TomlValue* table = section("parameters"))
    for (const TomlEntry& entry : table->entries)
      if (scope_.declare(entry.key, Meaning::parameter, entry.key_span)) parameters_.push_back(&entry);
  if (const TomlValue* table = section("mechanics")) {
    declare_list(*table, "coordinates", Meaning::coordinate, model_->coordinates);
    declare_list(*table, "states", Meaning::state, model_->states);
  }
  for (const std::string& name : model_->coordinates) {
    model_->q.push_back(graph_->symbol(name));
    model_->v.push_back(graph_->symbol(name + "'"));
  }
  for (const std::string& name : model_->states) model_->z.push_back(graph_->symbol(name));
  if (const TomlValue* table = section("define"))
    for (const TomlEntry& entry : table->entries) scope_.define(entry);
}

void ModelReader::declare_list(const TomlValue& mechanics, const std::string& key, Meaning meaning,
                               std::vector<std::string>& names) {
  const TomlValue* list = mechanics.find(key);
  const std::string expected = "a list of names, such as [\"x\", \"y\"]";
  if (!list) return;
  if (!require(*list, TomlKind::array, fmt::format("'{}'", key), expected)) {
    lists_complete_ = false;
    return;
  }
  for (const TomlValue& item : list->items) {
    if (!require(item, TomlKind::string, fmt::format("an entry of '{}'", key), expected)) continue;
    if (scope_.declare(item.text, meaning, document_.inner_span(item))) names.push_back(item.text);
  }
  lists_complete_ = lists_complete_ && names.size() == list->items.size();
}

void ModelReader::read_parameters() {
  for (const TomlEntry* entry : parameters_) {
    const Located value = scope_.read_parameter(entry->value, entry->key);
    model_->parameters.push_back({entry->key, graph_->symbol(entry->key), value.expr, value.span});
  }
}

std::vector<Located> ModelReader::read_list(const TomlValue& list, std::size_t count, const std::string& what,
                                            const Keys& names, const std::function<Place(std::size_t)>& place) {
  const std::string of_each = names.empty() ? "" : fmt::format(", one for each of {}", listed(names, 12));
  const std::string expected = fmt::format("a list of {} expression{}{}", count, count == 1 ? "" : "s", of_each);
  if (!require(list, TomlKind::array, what, expected)) return {};
  std::vector<Located> result;
  for (std::size_t i = 0; i < list.items.size(); ++i) result.push_back(scope_.read(list.items[i], place(i)));
  if (list.items.size() == count) return result;
  if (lists_complete_)
    error(list.span, fmt::format("{} has {} entr{}", what, list.items.size(), list.items.size() == 1 ? "y" : "ies"),
          expected);
  return {};
}

std::vector<Located> ModelReader::read_per_name(const TomlValue& mechanics, const std::string& key, const Keys& names) {
  return read_list(*mechanics.find(key), names.size(), fmt::format("'{}'", key), names, [&](std::size_t i) {
    return Place{i < names.size() ? fmt::format("in the {} of '{}'", key, names[i]) : fmt::format("in '{}'", key),
                 of_everything, ""};
  });
}

}  // namespace saltus
