#include "saltus/driver/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/parse.hpp"

namespace saltus {
namespace {

constexpr double most_values = 1e9;
constexpr std::size_t longest_text = 20'000;

std::string shape_of(RangeForm form) {
  return form == RangeForm::values ? "name=from:to:count, such as ⟨vary⟩ e=0.1:0.9:200"
                                   : "name=from:to, such as ⟨vary⟩ e=0.1:0.9";
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t colon = text.find(':', begin);
    parts.push_back(text.substr(begin, colon - begin));
    if (colon == std::string::npos) return parts;
    begin = colon + 1;
  }
}

std::vector<std::string> parameter_names(const Model& model) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters) names.push_back(parameter.name);
  return names;
}

}  // namespace

double number_in(const std::string& option, const std::string& whole, const std::string& text,
                 const PreparedModel& prepared) {
  const Model& model = *prepared.model;
  std::vector<std::string> names = parameter_names(model);
  Graph graph;  // its own: a model is shared and never changed
  NameScope scope;
  scope.find = [&](const std::string& name, std::size_t, std::size_t) -> std::optional<Expr> {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    return known ? std::optional(graph.symbol(name)) : std::nullopt;
  };
  scope.names = [&] { return names; };
  scope.expectation = names.empty() ? "a number" : fmt::format("a number or a parameter ({})", listed(names, 12));
  const auto failed = [&](const std::string& what, const std::string& expected, const std::string& hint) {
    return usage(fmt::format("{} '{}': {}\n  expected {}{}", option, printable(whole), what, expected,
                             hint.empty() ? "" : "\n  " + hint));
  };
  const bool blank = text.find_first_not_of(" \t") == std::string::npos;
  if (blank) throw failed("a number is missing", option == "⟨vary⟩" ? shape_of(RangeForm::values) : "a number", "");
  try {
    const ParsedExpr parsed = parse_expr(text, graph, scope);
    if (!parsed.problems.empty()) {
      const ParseProblem& problem = parsed.problems.front();
      throw failed(problem.message, problem.expected, problem.suggestion);
    }
    const double value = evaluate(parsed.expr, [&](const std::string& name) {
      const auto found = std::find(names.begin(), names.end(), name);
      return prepared.setup.parameters[static_cast<std::size_t>(found - names.begin())];
    });
    if (!std::isfinite(value))
      throw failed(fmt::format("'{}' is not a finite number", printable(text)), "a finite number", "");
    return value;
  } catch (const GraphLimit& limit) { throw failed(limit.what(), "a smaller expression", ""); }
}

namespace {

std::size_t count_in(const std::string& whole, const std::string& text, const PreparedModel& prepared) {
  const double count = number_in("⟨vary⟩", whole, text, prepared);
  if (count >= 1.0 && count <= most_values && count == std::floor(count)) return static_cast<std::size_t>(count);
  throw usage(fmt::format("⟨vary⟩ '{}': {} is no number of values\n  expected a whole number from 1 to 1e9",
                          printable(whole), six_digits(count)));
}

/// What the name stands for among those allowed.
void find_name(VariedRange& range, const PreparedModel& prepared, Varied what) {
  std::vector<std::string> known;
  std::vector<std::string> expected;
  const auto look = [&](VariedRange::Of of, const std::vector<std::string>& names, const char* words) {
    const auto found = std::find(names.begin(), names.end(), range.name);
    known.insert(known.end(), names.begin(), names.end());
    if (!names.empty()) expected.push_back(fmt::format("{} ({})", words, listed(names, 12)));
    if (found == names.end()) return false;
    range.of = of;
    range.index = static_cast<std::size_t>(found - names.begin());
    return true;
  };
  const Model& model = *prepared.model;
  if (what != Varied::initial_value && look(VariedRange::Of::parameter, parameter_names(model), "a parameter")) return;
  if (what != Varied::parameter && look(VariedRange::Of::initial_value, model.component_names(), "an initial value"))
    return;
  const std::string hint = did_you_mean(range.name, known);
  throw usage(fmt::format("⟨vary⟩: '{}' is nothing that can be varied here\n  expected {}{}", printable(range.name),
                          expected.empty() ? "a model with parameters" : fmt::format("{}", fmt::join(expected, " or ")),
                          hint.empty() ? "" : "\n  " + hint));
}

}  // namespace

double VariedRange::at(std::size_t i) const {
  if (i == 0 || count < 2) return from;
  if (i + 1 >= count) return to;
  return from + (to - from) * (static_cast<double>(i) / static_cast<double>(count - 1));
}

std::vector<double> VariedRange::values() const {
  std::vector<double> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all.push_back(at(i));
  return all;
}

namespace {

void require_extent(const VariedRange& range, const std::string& text, RangeForm form) {
  if (range.from != range.to || (form == RangeForm::values && range.count == 1)) return;
  throw usage(fmt::format("⟨vary⟩ '{}': the range is empty, it ends at {} where it begins\n  expected {}",
                          printable(text), six_digits(range.from), shape_of(form)));
}

}  // namespace

VariedRange read_range(const std::string& text, const PreparedModel& prepared, Varied what, RangeForm form) {
  const auto no_range = [&] {
    return usage(fmt::format("'⟨vary⟩ {}' is no range\n  expected {}", printable(text), shape_of(form)));
  };
  if (text.size() > longest_text || invalid_utf8(text)) throw no_range();
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw no_range();
  VariedRange range{.name = text.substr(0, equals)};
  find_name(range, prepared, what);
  const std::vector<std::string> parts = parts_of(text.substr(equals + 1));
  if (parts.size() != (form == RangeForm::values ? 3U : 2U)) throw no_range();
  range.from = number_in("⟨vary⟩", text, parts[0], prepared);
  range.to = number_in("⟨vary⟩", text, parts[1], prepared);
  if (form == RangeForm::values) range.count = count_in(text, parts[2], prepared);
  require_extent(range, text, form);
  return range;
}

VariedRange interval_of(VariedRange range) {
  if (range.from > range.to) std::swap(range.from, range.to);
  range.count = 0;
  require_extent(range, vary(range.name, range.from, range.to), RangeForm::interval);
  return range;
}

std::string vary(const std::string& name, double from, double to, std::size_t count) {
  const std::string interval = fmt::format("{}={:.17g}:{:.17g}", name, from, to);
  return count > 0 ? fmt::format("{}:{}", interval, count) : interval;
}

Assignment assigned(const VariedRange& range, double value) { return {range.name, fmt::format("{:.17g}", value)}; }

}  // namespace saltus
