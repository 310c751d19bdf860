#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "saltus/expr/expr.hpp"
#include "saltus/expr/parse.hpp"
#include "saltus/model/model.hpp"
#include "saltus/model/toml_text.hpp"

namespace saltus {

/// What a name stands for.
enum class Meaning { parameter, coordinate, velocity, state, time, definition };
constexpr std::size_t meaning_count = 6;

/// A set of meanings.
class Meanings {
 public:
  constexpr Meanings(std::initializer_list<Meaning> meanings) {
    for (const Meaning m : meanings) bits_ |= bit(m);
  }
  constexpr bool has(Meaning m) const { return (bits_ & bit(m)) != 0; }

 private:
  static constexpr unsigned bit(Meaning m) { return 1U << static_cast<unsigned>(m); }
  unsigned bits_ = 0;
};

inline constexpr Meanings only_parameters = {Meaning::parameter, Meaning::definition};
inline constexpr Meanings of_time = {Meaning::parameter, Meaning::definition, Meaning::time};
inline constexpr Meanings of_position = {Meaning::parameter, Meaning::definition, Meaning::time, Meaning::coordinate};
inline constexpr Meanings of_motion = {Meaning::parameter, Meaning::definition, Meaning::time, Meaning::coordinate,
                                       Meaning::velocity};
inline constexpr Meanings of_everything = {Meaning::parameter,  Meaning::definition, Meaning::time,
                                           Meaning::coordinate, Meaning::velocity,   Meaning::state};

/// Where an expression stands: said after a message ("in the gap of contact 'floor'"), and which names it may use.
struct Place {
  std::string where;
  Meanings allowed;
  std::string reason;  // why the others may not: "a gap depends on positions, parameters and time only"
  /// Quantities that have a name here only, where the model has given it no other meaning.
  struct Quantity {
    std::string name;
    std::string words;  // "the speed approach"
  };
  std::vector<Quantity> quantities = {};
};

/// Thrown when reading cannot go on (the graph is full); the diagnostic is already there.
struct ReadingAbandoned {};

/// Adds an error and returns it.
Diagnostic& add_error(std::vector<Diagnostic>& diagnostics, SourceSpan span, std::string message,
                      std::string expected = "", std::string suggestion = "");

/// The one namespace of a model: parameters, coordinates with their velocities, states, definitions and the time t.
/// Definitions are read when first used, whatever their order in the file.
class Scope {
 public:
  Scope(const TomlDocument& document, Graph& graph, std::vector<Diagnostic>& diagnostics);
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Adds a name; false (and a diagnostic) if it is no name, a word of the language or already taken.
  bool declare(const std::string& name, Meaning meaning, const SourceSpan& span);
  bool define(const TomlEntry& definition);

  /// The expression of a string or number; 0 with diagnostics if there is something wrong with it.
  Located read(const TomlValue& value, const Place& place);
  /// The value of a parameter: an expression of those declared before it.
  Located read_parameter(const TomlValue& value, const std::string& name);
  /// Reads what no expression has used, so that its mistakes are reported too.
  void read_all_definitions();

  std::vector<std::string> names_of(Meanings meanings) const;
  std::optional<Meaning> meaning_of(const std::string& name) const;
  const SourceSpan& span_of(const std::string& name) const { return names_.at(name).span; }
  Graph& graph() const { return graph_; }

 private:
  /// The first name of each meaning inside an expression; empty where there is none.
  using Contents = std::array<std::string, meaning_count>;
  enum class Progress { unread, in_progress, read, failed };
  struct Definition {
    const TomlValue* value = nullptr;
    Progress progress = Progress::unread;
    Expr expr;
    Contents contents;
    int depth = 0;
  };
  struct Name {
    Meaning meaning;
    SourceSpan span;
    std::size_t index;  // in order of declaration
    Definition definition{};
  };
  struct Mention {
    std::string name;
    std::size_t first;
    std::size_t last;
  };
  struct Request;  // one call of the parser

  std::optional<Expr> found(Request& request, const std::string& name, std::size_t first, std::size_t last);
  std::optional<Expr> found_definition(Request& request, const std::string& name, std::size_t first, std::size_t last);
  std::optional<Expr> forbidden(Request& request, Meaning meaning, const std::string& name, std::size_t first,
                                std::size_t last);
  void check_order(Request& request, const std::string& name, std::size_t first, std::size_t last) const;
  std::optional<Expr> prime_of_something_else(Request& request, const std::string& name, std::size_t first,
                                              std::size_t last);
  Expr parsed(const TomlValue& value, Request& request);
  Expr checked_number(const TomlValue& value, const Place& place);
  std::vector<Mention> mentioned_definitions(const std::string& text) const;
  void resolve(const std::string& name);
  void read_definition(const std::string& name);
  void report_cycle(const std::vector<std::string>& chain, const Mention& back);
  std::string expectation(const Place& place) const;
  std::string expectation(const Request& request) const;
  bool is_full(Meaning meaning, const std::string& name, const SourceSpan& span);

  const TomlDocument& document_;
  Graph& graph_;
  std::vector<Diagnostic>& diagnostics_;
  std::map<std::string, Name> names_;
  std::vector<std::string> order_;  // names as declared
  std::array<std::size_t, meaning_count> counts_{};
  int suggestions_left_ = 100;  // looking for similar names takes time; a file full of nonsense does not get it
};

}  // namespace saltus
