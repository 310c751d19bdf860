#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "saltus/model/model.hpp"
#include "saltus/model/scope.hpp"
#include "saltus/model/toml_text.hpp"

namespace saltus {

/// From the values of a TOML document to a Model. Everything wrong is collected on the way.
class ModelReader {
 public:
  ModelReader(const TomlDocument& document, std::vector<Diagnostic>& diagnostics);

  std::shared_ptr<Model> model();

 private:
  using Keys = std::vector<std::string>;

  // words for messages
  Diagnostic& error(const SourceSpan& span, std::string message, std::string expected = "",
                    std::string suggestion = "");
  /// Reports the keys of a table that have no meaning there.
  void only(const TomlValue& table, const Keys& keys, const std::string& where);
  /// True if a key is there, or was probably meant by a misspelt one: it is then not reported as missing too.
  bool has_or_means(const TomlValue& table, const std::string& key) const;
  /// False, with a diagnostic, if the value is of another kind.
  bool require(const TomlValue& value, TomlKind kind, const std::string& what, const std::string& expected);
  /// The table of a section, or nothing if it is absent or no table.
  const TomlValue* section(const std::string& name);
  std::string text_of(const TomlValue& table, const std::string& key);
  std::string chosen(const TomlValue& value, const std::string& what, const Keys& choices);

  // names
  void declare_names();
  void declare_list(const TomlValue& mechanics, const std::string& key, Meaning meaning,
                    std::vector<std::string>& names);
  void read_parameters();

  // lists of expressions
  /// A list of `count` expressions; nothing (with a diagnostic) if it has another length.
  std::vector<Located> read_list(const TomlValue& list, std::size_t count, const std::string& what, const Keys& names,
                                 const std::function<Place(std::size_t)>& place);
  std::vector<Located> read_per_name(const TomlValue& mechanics, const std::string& key, const Keys& names);

  // mechanics
  void read_mechanics();
  void report_mixture(const TomlValue& mechanics, bool by_energies);
  SourceSpan key_span(const std::string& name) const;
  void read_mass(const TomlValue& mechanics);
  void read_force(const TomlValue& mechanics);
  void read_energies(const TomlValue& mechanics);
  void derive_equations();
  /// M from a kinetic energy that is quadratic, but written so that the velocities cancel only in the numbers.
  Expr without_velocities(Expr entry);
  void read_rates(const TomlValue& mechanics);

  // Hill's equation
  void read_hill();
  const TomlValue* required(const TomlValue& table, const std::string& key, const std::string& where,
                            const std::string& expected);

  // contacts, forcing, section
  void read_contacts();
  void read_contact(const TomlValue& table);
  /// A number is refused at once; what depends on parameters is checked when they have values.
  void require_restitution(const Located& restitution, const std::string& whose);
  void check_contact_name(const Contact& contact, const TomlValue& value);
  void read_forcing();
  void read_section();

  // initial state, observables, cases
  /// The entries of [initial] or of the initial table of a case: component → expression of parameters.
  std::map<std::string, Located> read_initial_table(const TomlValue& table, const std::string& where);
  void read_initial();
  void read_observables();
  void read_cases();
  void read_case(const TomlEntry& entry);
  void read_initial_of_case(const TomlEntry& setting, const std::string& where, Case& result);
  void report_unknown_setting(const TomlEntry& setting, const std::string& where, const Keys& parameters);

  // drawing
  void read_drawing();
  std::vector<Located> read_pair(const TomlValue& value, const std::string& what);
  void read_point(const TomlEntry& entry);
  std::optional<std::vector<std::size_t>> read_point_names(const TomlValue& list, const std::string& what);
  void read_lines(const TomlValue& lines);
  void read_walls(const TomlValue& walls);

  // solver
  std::optional<double> positive_number(const TomlValue& table, const std::string& key);
  void read_solver();

  const TomlDocument& document_;
  const TomlValue& root_;
  std::vector<Diagnostic>& diagnostics_;
  std::shared_ptr<Model> model_;
  std::shared_ptr<Graph> graph_;
  Scope scope_;
  std::vector<const TomlEntry*> parameters_;
  std::set<std::pair<const TomlValue*, std::string>> meant_;  // keys of tables that misspelt ones probably stand for
  bool lists_complete_ = true;  // the names of coordinates and states were all accepted: lengths can be compared
};

}  // namespace saltus
