#include "saltus/model/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

constexpr std::size_t longest_expression = 20'000;
constexpr std::size_t longest_name = 100;
constexpr std::size_t most_problems_shown = 20;  // of one expression
constexpr int longest_chain = 200;               // of definitions

struct MeaningWords {
  std::string_view one;
  std::size_t most;
};

const MeaningWords& words(Meaning meaning) {
  static constexpr std::array<MeaningWords, meaning_count> table = {{{"parameter", 1000},
                                                                     {"coordinate", 1000},
                                                                     {"velocity", 1000},
                                                                     {"state", 1000},
                                                                     {"time", 1},
                                                                     {"definition", 2000}}};
  return table[static_cast<std::size_t>(meaning)];
}

std::string plural(Meaning meaning) { return fmt::format("{}s", words(meaning).one); }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string joined_with_or(const std::vector<std::string>& parts) {
  if (parts.size() <= 1) return parts.empty() ? "a number" : parts.front();
  const std::vector<std::string> head(parts.begin(), parts.end() - 1);
  return fmt::format("{} or {}", fmt::join(head, ", "), parts.back());
}

}  // namespace

Diagnostic& add_error(std::vector<Diagnostic>& diagnostics, SourceSpan span, std::string message, std::string expected,
                      std::string suggestion) {
  diagnostics.push_back(
      {Severity::error, std::move(span), std::move(message), std::move(expected), std::move(suggestion), {}});
  return diagnostics.back();
}

/// One call of the parser: what may stand here, and what was met.
struct Scope::Request {
  const TomlValue& value;
  const Place& place;
  std::string parameter;  // the name, when its value is read
  Contents contents{};
  std::vector<ParseProblem> problems{};
  int depth = 0;        // of the chain of definitions used
  bool failed = false;  // a definition used here is itself wrong, and has been reported
};

Scope::Scope(const TomlDocument& document, Graph& graph, std::vector<Diagnostic>& diagnostics)
    : document_(document), graph_(graph), diagnostics_(diagnostics) {}

bool Scope::is_full(Meaning meaning, const std::string& name, const SourceSpan& span) {
  std::size_t& count = counts_[static_cast<std::size_t>(meaning)];
  ++count;
  if (count == words(meaning).most + 1)
    add_error(diagnostics_, span, fmt::format("too many {}: '{}' is number {}", plural(meaning), name, count),
              fmt::format("at most {}", words(meaning).most));
  return count > words(meaning).most;
}

bool Scope::declare(const std::string& name, Meaning meaning, const SourceSpan& span) {
  const std::string_view what = words(meaning).one;
  if (!is_name(name)) {
    add_error(diagnostics_, span, fmt::format("'{}' cannot be the name of a {}", printable(name), what),
              "a letter, then letters, digits and underscores");
    return false;
  }
  if (name.size() > longest_name) {
    add_error(diagnostics_, span, fmt::format("the name of this {} is too long", what),
              fmt::format("at most {} characters", longest_name));
    return false;
  }
  const bool word_of_cases = meaning == Meaning::parameter && (name == "title" || name == "initial");
  if (is_reserved(name) || word_of_cases) {
    add_error(diagnostics_, span,
              fmt::format("'{}' cannot be the name of a {}: it has a meaning of its own", name, what), "another name");
    return false;
  }
  if (is_full(meaning, name, span)) return false;
  const auto [place, is_new] = names_.try_emplace(name, Name{meaning, span, order_.size()});
  if (!is_new) {
    Diagnostic& error = add_error(
        diagnostics_, span, fmt::format("'{}' is already the name of a {}", name, words(place->second.meaning).one),
        "another name: parameters, coordinates, states and definitions share one namespace");
    error.notes.push_back(
        {Severity::note, place->second.span, fmt::format("'{}' is first given here", name), "", "", {}});
    return false;
  }
  order_.push_back(name);
  return true;
}

bool Scope::define(const TomlEntry& definition) {
  if (!declare(definition.key, Meaning::definition, definition.key_span)) return false;
  names_.at(definition.key).definition.value = &definition.value;
  return true;
}

std::vector<std::string> Scope::names_of(Meanings meanings) const {
  std::vector<std::string> result;
  for (const std::string& name : order_) {
    const Meaning meaning = names_.at(name).meaning;
    if (meanings.has(meaning)) result.push_back(name);
    if (meaning == Meaning::coordinate && meanings.has(Meaning::velocity)) result.push_back(name + "'");
  }
  if (meanings.has(Meaning::time)) result.emplace_back("t");
  return result;
}

std::optional<Meaning> Scope::meaning_of(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second.meaning);
}

/// "a coordinate (z), a velocity (z'), a parameter (g, e), a definition or the time t"
std::string Scope::expectation(const Place& place) const {
  const Meanings allowed = place.allowed;
  std::vector<std::string> parts;
  const auto add = [&](Meaning meaning, std::string_view article) {
    if (!allowed.has(meaning)) return;
    const std::vector<std::string> names = names_of({meaning});
    if (!names.empty()) parts.push_back(fmt::format("{} {} ({})", article, words(meaning).one, listed(names, 12)));
  };
  add(Meaning::coordinate, "a");
  add(Meaning::velocity, "a");
  add(Meaning::state, "a");
  add(Meaning::parameter, "a");
  if (allowed.has(Meaning::definition) && counts_[static_cast<std::size_t>(Meaning::definition)] > 0)
    parts.emplace_back("a definition");
  if (allowed.has(Meaning::time)) parts.emplace_back("the time t");
  if (parts.empty()) parts.emplace_back("a number");
  for (const Place::Quantity& quantity : place.quantities)
    if (!names_.contains(quantity.name)) parts.push_back(quantity.words);
  return joined_with_or(parts);
}

std::string Scope::expectation(const Request& request) const {
  if (request.parameter.empty()) return expectation(request.place);
  std::vector<std::string> above = names_of({Meaning::parameter});
  above.erase(std::find(above.begin(), above.end(), request.parameter), above.end());
  return above.empty() ? "a number" : fmt::format("a number or a parameter above ({})", listed(above, 12));
}

/// The name is known but may not stand here.
std::optional<Expr> Scope::forbidden(Request& request, Meaning meaning, const std::string& name, std::size_t first,
                                     std::size_t last) {
  request.problems.push_back({first, last,
                              fmt::format("the {} {} cannot stand {}", words(meaning).one, name, request.place.where),
                              expectation(request), request.place.reason});
  return graph_.constant(1.0);
}

std::optional<Expr> Scope::prime_of_something_else(Request& request, const std::string& name, std::size_t first,
                                                   std::size_t last) {
  const std::string base = name.substr(0, name.size() - 1);
  const auto meaning = meaning_of(base);
  if (!meaning && base != "t") return std::nullopt;
  const std::string_view what = meaning ? words(*meaning).one : words(Meaning::time).one;
  const std::string hint = meaning == Meaning::state ? "the rate of a state is what [mechanics] rates says" : "";
  request.problems.push_back(
      {first, last, fmt::format("{} is not a velocity: '{}' is {} {}", name, base, what == "time" ? "the" : "a", what),
       expectation(request), hint});
  return graph_.constant(1.0);
}

std::optional<Expr> Scope::found_definition(Request& request, const std::string& name, std::size_t first,
                                            std::size_t last) {
  resolve(name);
  const Definition& definition = names_.at(name).definition;
  request.depth = std::max(request.depth, definition.depth);
  if (definition.progress != Progress::read) {
    request.failed = true;
    return graph_.constant(1.0);
  }
  for (std::size_t i = 0; i < meaning_count; ++i) {
    const std::string& inner = definition.contents[i];
    if (inner.empty()) continue;
    if (request.contents[i].empty()) request.contents[i] = inner;
    const auto meaning = static_cast<Meaning>(i);
    if (request.place.allowed.has(meaning)) continue;
    request.problems.push_back({first, last,
                                fmt::format("the definition '{}' contains the {} {}, which cannot stand {}", name,
                                            words(meaning).one, inner, request.place.where),
                                expectation(request), request.place.reason});
    break;
  }
  return definition.expr;
}

/// A parameter may use only those above it.
void Scope::check_order(Request& request, const std::string& name, std::size_t first, std::size_t last) const {
  const std::string expected = "a number or an expression of the parameters above";
  if (name == request.parameter) {
    request.problems.push_back({first, last, fmt::format("the parameter '{}' depends on itself", name), expected, ""});
  } else if (names_.at(name).index > names_.at(request.parameter).index) {
    request.problems.push_back({first, last, fmt::format("the parameter '{}' is given only further down", name),
                                expected, fmt::format("move '{}' above '{}'", name, request.parameter)});
  }
}

std::optional<Expr> Scope::found(Request& request, const std::string& name, std::size_t first, std::size_t last) {
  const bool primed = name.ends_with('\'');
  const auto known = names_.find(primed ? name.substr(0, name.size() - 1) : name);
  const bool is_time = name == "t";
  const bool is_velocity = primed && known != names_.end() && known->second.meaning == Meaning::coordinate;
  if (primed && !is_velocity) return prime_of_something_else(request, name, first, last);
  if (!is_time && known == names_.end()) {
    const auto& own = request.place.quantities;
    const bool here = std::any_of(own.begin(), own.end(), [&](const auto& quantity) { return quantity.name == name; });
    return here ? std::optional(graph_.symbol(name)) : std::nullopt;
  }
  const Meaning meaning = is_time ? Meaning::time : is_velocity ? Meaning::velocity : known->second.meaning;
  if (!request.place.allowed.has(meaning)) return forbidden(request, meaning, name, first, last);
  if (meaning == Meaning::definition) return found_definition(request, name, first, last);
  if (!request.parameter.empty()) check_order(request, name, first, last);
  std::string& met = request.contents[static_cast<std::size_t>(meaning)];
  if (met.empty()) met = name;
  return graph_.symbol(name);
}

Expr Scope::checked_number(const TomlValue& value, const Place& place) {
  if (value.kind == TomlKind::number && std::isfinite(value.number)) return graph_.constant(value.number);
  if (value.kind == TomlKind::number) {
    add_error(diagnostics_, value.span, fmt::format("the number {} is not finite", place.where), "a finite number");
  } else {
    add_error(diagnostics_, value.span, fmt::format("{} stands {}", in_words(value.kind), place.where),
              "a number, or an expression in quotes");
  }
  return graph_.constant(0.0);
}

Expr Scope::parsed(const TomlValue& value, Request& request) {
  if (value.kind != TomlKind::string) return checked_number(value, request.place);
  if (value.text.size() > longest_expression) {
    add_error(diagnostics_, value.span,
              fmt::format("the expression {} is too long: {} characters", request.place.where, value.text.size()),
              fmt::format("at most {} characters", longest_expression), "split it with [define]");
    return graph_.constant(0.0);
  }
  NameScope scope;
  scope.find = [&](const std::string& name, std::size_t first, std::size_t last) {
    return found(request, name, first, last);
  };
  scope.names = [&] {
    if (--suggestions_left_ < 0) return std::vector<std::string>();
    std::vector<std::string> names = names_of(request.place.allowed);
    for (const Place::Quantity& quantity : request.place.quantities) names.push_back(quantity.name);
    return names;
  };
  scope.expectation = expectation(request);
  scope.place = request.place.where;
  try {
    ParsedExpr result = parse_expr(value.text, graph_, scope);
    request.problems.insert(request.problems.end(), result.problems.begin(), result.problems.end());
    if (request.problems.size() > most_problems_shown) request.problems.resize(most_problems_shown);
    for (const ParseProblem& problem : request.problems)
      add_error(diagnostics_, document_.span_within(value, problem.first, problem.last), problem.message,
                problem.expected, problem.suggestion);
    return request.problems.empty() ? result.expr : graph_.constant(0.0);
  } catch (const GraphLimit& limit) {
    add_error(diagnostics_, document_.inner_span(value), limit.what(), "a smaller model");
    throw ReadingAbandoned();
  }
}

Located Scope::read(const TomlValue& value, const Place& place) {
  Request request{.value = value, .place = place, .parameter = ""};
  const Expr expr = parsed(value, request);
  return {expr, document_.inner_span(value)};
}

Located Scope::read_parameter(const TomlValue& value, const std::string& name) {
  const Place place{fmt::format("in the value of parameter '{}'", name),
                    {Meaning::parameter},
                    "a parameter is made of the parameters above it"};
  Request request{.value = value, .place = place, .parameter = name};
  const Expr expr = parsed(value, request);
  return {expr, document_.inner_span(value)};
}

/// The definitions that a text names, each at its first place.
std::vector<Scope::Mention> Scope::mentioned_definitions(const std::string& text) const {
  std::vector<Mention> mentions;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_name_character(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const auto known = names_.find(text.substr(i, end - i));
    const bool is_definition = known != names_.end() && known->second.meaning == Meaning::definition;
    const bool repeated = std::any_of(mentions.begin(), mentions.end(),
                                      [&](const Mention& m) { return is_definition && m.name == known->first; });
    if (is_definition && !repeated) mentions.push_back({known->first, i, end});
    i = end;
  }
  return mentions;
}

void Scope::report_cycle(const std::vector<std::string>& chain, const Mention& back) {
  const auto start = std::find(chain.begin(), chain.end(), back.name);
  std::vector<std::string> cycle(start, chain.end());
  cycle.push_back(back.name);
  constexpr std::size_t most_shown = 12;
  if (cycle.size() > most_shown) {
    cycle.erase(cycle.begin() + most_shown / 2, cycle.end() - most_shown / 2);
    cycle.insert(cycle.begin() + most_shown / 2, "…");
  }
  const TomlValue& value = *names_.at(chain.back()).definition.value;
  add_error(diagnostics_, document_.span_within(value, back.first, back.last),
            fmt::format("the definition '{}' depends on itself: {}", back.name, fmt::join(cycle, " → ")),
            "definitions that end in coordinates, parameters and numbers");
}

/// Reads a definition after those it names. With a list of its own instead of recursion: a hostile chain of
/// definitions, each nested deeply, must not use up the stack.
void Scope::resolve(const std::string& name) {
  if (names_.at(name).definition.progress != Progress::unread) return;
  struct Frame {
    std::vector<Mention> mentions;
    std::size_t next = 0;
  };
  std::vector<std::string> chain;
  std::vector<Frame> frames;
  const auto enter = [&](const std::string& entered) {
    Definition& definition = names_.at(entered).definition;
    definition.progress = Progress::in_progress;
    chain.push_back(entered);
    frames.push_back({mentioned_definitions(definition.value->text)});
  };
  enter(name);
  while (!chain.empty()) {
    Frame& frame = frames.back();
    if (frame.next < frame.mentions.size()) {
      const Mention mention = frame.mentions[frame.next++];
      const Progress progress = names_.at(mention.name).definition.progress;
      if (progress == Progress::unread) enter(mention.name);
      if (progress == Progress::in_progress) {
        report_cycle(chain, mention);
        names_.at(mention.name).definition.progress = Progress::failed;
      }
      continue;
    }
    read_definition(chain.back());
    chain.pop_back();
    frames.pop_back();
  }
}

void Scope::read_definition(const std::string& name) {
  const bool in_cycle = names_.at(name).definition.progress == Progress::failed;
  const TomlValue& value = *names_.at(name).definition.value;
  const Place place{fmt::format("in the definition '{}'", name), of_everything, ""};
  Request request{.value = value, .place = place, .parameter = ""};
  const std::size_t errors = diagnostics_.size();
  const Expr expr = parsed(value, request);
  Definition& definition = names_.at(name).definition;
  definition.expr = expr;
  definition.contents = request.contents;
  definition.depth = request.depth + 1;
  if (definition.depth == longest_chain + 1)
    add_error(diagnostics_, names_.at(name).span,
              fmt::format("the definition '{}' ends a chain of more than {} definitions", name, longest_chain),
              fmt::format("definitions that build on each other at most {} deep", longest_chain));
  const bool failed = in_cycle || request.failed || diagnostics_.size() > errors;
  definition.progress = failed ? Progress::failed : Progress::read;
}

void Scope::read_all_definitions() {
  for (const std::string& name : order_)
    if (names_.at(name).meaning == Meaning::definition) resolve(name);
}

}  // namespace saltus
