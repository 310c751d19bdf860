#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "saltus/base/text.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/model/check.hpp"
#include "saltus/model/mechanics.hpp"
#include "saltus/model/model.hpp"
#include "saltus/model/scope.hpp"
#include "saltus/model/switches.hpp"
#include "saltus/model/toml_text.hpp"

namespace saltus {
namespace {

constexpr std::size_t largest_file = 1'000'000;  // bytes
constexpr std::size_t most_contacts = 64;
constexpr std::size_t most_observables = 1000;
constexpr std::size_t most_points = 1000;
constexpr std::size_t most_cases = 1000;

using Keys = std::vector<std::string>;

const Keys& top_level_keys() {
  static const Keys keys = {"title",   "source",  "parameters", "define",  "mechanics", "hill", "contact",
                            "forcing", "section", "initial",    "observe", "draw",      "case", "solver"};
  return keys;
}

/// From the values of a TOML document to a Model. Everything wrong is collected on the way.
class Reader {
 public:
  Reader(const TomlDocument& document, std::vector<Diagnostic>& diagnostics)
      : document_(document),
        root_(document.root()),
        diagnostics_(diagnostics),
        model_(std::make_shared<Model>()),
        graph_(std::make_shared<Graph>()),
        scope_(document, *graph_, diagnostics) {}

  std::shared_ptr<Model> model() {
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

 private:
  // ---- words for messages ----------------------------------------------------------------------------------------

  Diagnostic& error(const SourceSpan& span, std::string message, std::string expected = "",
                    std::string suggestion = "") {
    return add_error(diagnostics_, span, std::move(message), std::move(expected), std::move(suggestion));
  }

  /// Reports the keys of a table that have no meaning there.
  void only(const TomlValue& table, const Keys& keys, const std::string& where) {
    for (const TomlEntry& entry : table.entries) {
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
      error(entry.key_span, fmt::format("unknown key '{}' {}", printable(entry.key), where),
            fmt::format("{}", fmt::join(keys, ", ")), did_you_mean(entry.key, keys));
      if (const auto nearest = closest_name(entry.key, keys)) meant_.emplace(&table, *nearest);
    }
  }

  /// True if a key is there, or was probably meant by a misspelt one: it is then not reported as missing too.
  bool has_or_means(const TomlValue& table, const std::string& key) const {
    return table.find(key) || meant_.contains({&table, key});
  }

  /// False, with a diagnostic, if the value is of another kind.
  bool require(const TomlValue& value, TomlKind kind, const std::string& what, const std::string& expected) {
    if (value.kind == kind) return true;
    error(value.span, fmt::format("{} is {}", what, in_words(value.kind)), expected);
    return false;
  }

  /// The table of a section, or nothing if it is absent or no table.
  const TomlValue* section(const std::string& name) {
    const TomlValue* value = root_.find(name);
    if (!value) return nullptr;
    const std::string head = fmt::format("[{}]", name);
    return require(*value, TomlKind::table, fmt::format("'{}'", name), fmt::format("a table, begun by {}", head))
               ? value
               : nullptr;
  }

  std::string text_of(const TomlValue& table, const std::string& key) {
    const TomlValue* value = table.find(key);
    if (!value || !require(*value, TomlKind::string, fmt::format("'{}'", key), "a text in quotes")) return "";
    return value->text;
  }

  std::string chosen(const TomlValue& value, const std::string& what, const Keys& choices) {
    const std::string expected = fmt::format("\"{}\"", fmt::join(choices, "\" or \""));
    if (!require(value, TomlKind::string, what, expected)) return "";
    if (std::find(choices.begin(), choices.end(), value.text) != choices.end()) return value.text;
    error(document_.inner_span(value), fmt::format("unknown {} '{}'", what, printable(value.text)), expected,
          did_you_mean(value.text, choices));
    return "";
  }

  // ---- names -----------------------------------------------------------------------------------------------------

  void declare_names() {
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

  void declare_list(const TomlValue& mechanics, const std::string& key, Meaning meaning,
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

  void read_parameters() {
    for (const TomlEntry* entry : parameters_) {
      const Located value = scope_.read_parameter(entry->value, entry->key);
      model_->parameters.push_back({entry->key, graph_->symbol(entry->key), value.expr, value.span});
    }
  }

  // ---- lists of expressions --------------------------------------------------------------------------------------

  /// A list of `count` expressions; nothing (with a diagnostic) if it has another length.
  std::vector<Located> read_list(const TomlValue& list, std::size_t count, const std::string& what, const Keys& names,
                                 const std::function<Place(std::size_t)>& place) {
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

  std::vector<Located> read_per_name(const TomlValue& mechanics, const std::string& key, const Keys& names) {
    return read_list(*mechanics.find(key), names.size(), fmt::format("'{}'", key), names, [&](std::size_t i) {
      return Place{i < names.size() ? fmt::format("in the {} of '{}'", key, names[i]) : fmt::format("in '{}'", key),
                   of_everything, ""};
    });
  }

  // ---- mechanics -------------------------------------------------------------------------------------------------

  void read_mechanics() {
    const TomlValue* mechanics = section("mechanics");
    if (!mechanics) {
      if (!has_or_means(root_, "hill") && !has_or_means(root_, "mechanics"))
        error({document_.source(), 0, 0, 0}, "the model has neither [mechanics] nor [hill]",
              "[mechanics] with coordinates, mass and force, or kinetic and potential energy");
      return;
    }
    only(*mechanics,
         {"coordinates", "mass", "force", "kinetic", "potential", "dissipation", "applied", "states", "rates"},
         "in [mechanics]");
    if (!mechanics->find("coordinates") && !mechanics->find("states")) {
      lists_complete_ = false;
      if (!has_or_means(*mechanics, "coordinates"))
        error(key_span("mechanics"), "[mechanics] has no coordinates", "coordinates = [\"x\", …]");
    } else if (lists_complete_ && model_->coordinates.empty() && model_->states.empty()) {
      error(mechanics->span, "there is neither a coordinate nor a state", "coordinates = [\"x\", …]");
      lists_complete_ = false;
    }
    const bool by_energies = mechanics->find("kinetic") != nullptr;
    report_mixture(*mechanics, by_energies);
    if (by_energies) {
      read_energies(*mechanics);
    } else {
      read_mass(*mechanics);
      read_force(*mechanics);
    }
    read_rates(*mechanics);
  }

  void report_mixture(const TomlValue& mechanics, bool by_energies) {
    const Keys strangers = by_energies ? Keys{"mass", "force"} : Keys{"potential", "dissipation", "applied"};
    for (const TomlEntry& entry : mechanics.entries) {
      if (std::find(strangers.begin(), strangers.end(), entry.key) == strangers.end()) continue;
      error(entry.key_span,
            by_energies ? fmt::format("'{}' cannot stand beside the kinetic energy", entry.key)
                        : fmt::format("'{}' needs a kinetic energy beside it", entry.key),
            "mass and force, or kinetic, potential, dissipation and applied");
    }
  }

  SourceSpan key_span(const std::string& name) const {
    for (const TomlEntry& entry : root_.entries)
      if (entry.key == name) return entry.key_span;
    return {document_.source(), 0, 0, 0};
  }

  void read_mass(const TomlValue& mechanics) {
    const std::size_t n = model_->n();
    const TomlValue* mass = mechanics.find("mass");
    if (!mass) {
      const Keys others = {"mass", "kinetic", "potential", "dissipation", "applied"};
      if (n > 0 && std::none_of(others.begin(), others.end(),
                                [&](const std::string& key) { return has_or_means(mechanics, key); }))
        error(key_span("mechanics"), "[mechanics] has no mass", "mass and force, or kinetic and potential energy");
      return;
    }
    const std::string expected = fmt::format("{} row{} of {} entr{}", n, n == 1 ? "" : "s", n, n == 1 ? "y" : "ies");
    if (!require(*mass, TomlKind::array, "'mass'", expected)) return;
    std::vector<Located> entries;
    bool complete = mass->items.size() == n;
    if (!complete && lists_complete_)
      error(mass->span, fmt::format("'mass' has {} row{}", mass->items.size(), mass->items.size() == 1 ? "" : "s"),
            expected);
    for (std::size_t i = 0; i < mass->items.size(); ++i) {
      const TomlValue& row = mass->items[i];
      const std::vector<Located> read =
          read_list(row, n, fmt::format("row {} of the mass matrix", i + 1), {}, [&](std::size_t j) {
            return Place{fmt::format("in entry ({}, {}) of the mass matrix", i + 1, j + 1), of_position,
                         "a mass matrix depends on positions and time only"};
          });
      complete = complete && read.size() == n;
      entries.insert(entries.end(), read.begin(), read.end());
    }
    if (complete) model_->mass = entries;
  }

  void read_force(const TomlValue& mechanics) {
    if (mechanics.find("force")) {
      model_->force = read_per_name(mechanics, "force", model_->coordinates);
    } else if (mechanics.find("mass") && !has_or_means(mechanics, "force")) {
      error(key_span("mechanics"), "[mechanics] has a mass but no force", "force = [\"…\"], one for each coordinate");
    }
  }

  void read_energies(const TomlValue& mechanics) {
    Energies energies;
    energies.kinetic = scope_.read(*mechanics.find("kinetic"),
                                   {"in the kinetic energy", of_motion, "a first-order state has no inertia"});
    energies.potential = {graph_->constant(0.0), energies.kinetic.span};
    if (const TomlValue* potential = mechanics.find("potential"))
      energies.potential =
          scope_.read(*potential, {"in the potential energy", of_position,
                                   "forces that depend on velocities belong into dissipation or applied"});
    if (const TomlValue* dissipation = mechanics.find("dissipation"))
      energies.dissipation = scope_.read(*dissipation, {"in the dissipation", of_everything, ""});
    if (mechanics.find("applied")) energies.applied = read_per_name(mechanics, "applied", model_->coordinates);
    model_->energies = energies;
    if (!has_errors(diagnostics_)) derive_equations();
  }

  void derive_equations() {
    const Energies& energies = *model_->energies;
    try {
      const EquationsOfMotion equations = euler_lagrange(energies, model_->q, model_->v, model_->t);
      for (const Expr& entry : equations.mass)
        model_->mass.push_back({without_velocities(entry), energies.kinetic.span});
      for (std::size_t i = 0; i < equations.force.size(); ++i)
        model_->force.push_back(
            {equations.force[i], energies.applied.empty() ? energies.kinetic.span : energies.applied[i].span});
    } catch (const GraphLimit& limit) {
      error(energies.kinetic.span, limit.what(), "energies whose derivatives are smaller");
      throw ReadingAbandoned();
    }
  }

  /// M from a kinetic energy that is quadratic, but written so that the velocities cancel only in the numbers.
  Expr without_velocities(Expr entry) {
    const std::vector<Expr> zeros(model_->v.size(), graph_->constant(0.0));
    const Expr at_rest = substitute(entry, model_->v, zeros);
    return equal_somewhere(entry, at_rest).value_or(false) ? at_rest : entry;
  }

  void read_rates(const TomlValue& mechanics) {
    if (mechanics.find("rates")) {
      if (!mechanics.find("states")) {
        error(mechanics.find("rates")->span, "there are rates but no states", "states = [\"…\"] beside them");
        return;
      }
      model_->rates = read_per_name(mechanics, "rates", model_->states);
    } else if (!model_->states.empty() && !has_or_means(mechanics, "rates")) {
      error(mechanics.find("states")->span, "there are states but no rates", "rates = [\"…\"], one for each state");
    }
  }

  // ---- Hill's equation -------------------------------------------------------------------------------------------

  void read_hill() {
    const TomlValue* hill = section("hill");
    if (!hill) return;
    if (root_.find("mechanics")) {
      error(key_span("hill"), "[hill] and [mechanics] in one model", "one of them");
      return;
    }
    for (const char* stranger : {"contact", "forcing", "section", "initial", "observe", "draw"})
      if (root_.find(stranger))
        error(key_span(stranger), fmt::format("[{}] has no meaning beside [hill]", stranger),
              "parameters, definitions and cases only");
    only(*hill, {"g", "period", "restitution", "damping"}, "in [hill]");
    Hill result;
    if (const TomlValue* g = required(*hill, "g", "[hill]", "the stiffness, such as g = \"1 + 0.3*cos(t)\""))
      result.g = scope_.read(*g, {"in the stiffness g of [hill]", of_time, ""});
    if (const TomlValue* period = required(*hill, "period", "[hill]", "the period of g"))
      result.period = scope_.read(*period, {"in the period of [hill]", only_parameters, ""});
    if (const TomlValue* restitution = required(*hill, "restitution", "[hill]", "a number between 0 and 1"))
      result.restitution = scope_.read(*restitution, {"in the restitution of [hill]", only_parameters, ""});
    if (const TomlValue* damping = hill->find("damping"))
      result.damping = scope_.read(*damping, {"in the damping of [hill]", only_parameters, ""});
    model_->hill = result;
  }

  const TomlValue* required(const TomlValue& table, const std::string& key, const std::string& where,
                            const std::string& expected) {
    const TomlValue* value = table.find(key);
    if (!has_or_means(table, key)) error(table.span, fmt::format("{} has no '{}'", where, key), expected);
    return value;
  }

  // ---- contacts, forcing, section --------------------------------------------------------------------------------

  void read_contacts() {
    const TomlValue* contacts = root_.find("contact");
    if (!contacts || root_.find("hill")) return;
    const std::string expected = "a table begun by [[contact]], with double brackets";
    if (!require(*contacts, TomlKind::array, "'contact'", expected)) return;
    if (contacts->items.size() > most_contacts) {
      error(contacts->items[most_contacts].span, fmt::format("there are {} contacts", contacts->items.size()),
            fmt::format("at most {}", most_contacts));
      return;
    }
    for (const TomlValue& contact : contacts->items)
      if (require(contact, TomlKind::table, "an entry of 'contact'", expected)) read_contact(contact);
  }

  void read_contact(const TomlValue& table) {
    only(table, {"name", "gap", "restitution"}, "in [[contact]]");
    Contact contact;
    contact.span = table.span;
    if (const TomlValue* name = required(table, "name", "this contact", "a name in quotes")) {
      contact.name = text_of(table, "name");
      contact.span = document_.inner_span(*name);
      check_contact_name(contact, *name);
    }
    const std::string whose = contact.name.empty() ? "a contact" : fmt::format("contact '{}'", contact.name);
    if (const TomlValue* gap = required(table, "gap", whose, "gap = \"…\", positive where the motion is free"))
      contact.gap = scope_.read(*gap, {fmt::format("in the gap of {}", whose), of_position,
                                       "a gap depends on positions, parameters and time only"});
    if (const TomlValue* e = required(table, "restitution", whose, "restitution = a number between 0 and 1")) {
      contact.restitution = scope_.read(*e, {fmt::format("in the restitution of {}", whose), only_parameters,
                                             "a restitution is the same at every impact"});
      require_restitution(contact.restitution, whose);
    }
    model_->contacts.push_back(contact);
  }

  /// A number is refused at once; what depends on parameters is checked when they have values.
  void require_restitution(const Located& restitution, const std::string& whose) {
    if (!restitution.expr.is_constant()) return;
    const double e = restitution.expr.value();
    if (e < 0.0 || e > 1.0)
      error(restitution.span, fmt::format("the restitution of {} is {}", whose, six_digits(e)),
            "a number between 0 and 1");
  }

  void check_contact_name(const Contact& contact, const TomlValue& value) {
    if (value.kind != TomlKind::string) return;
    if (!is_name(contact.name)) {
      error(contact.span, fmt::format("'{}' cannot be the name of a contact", printable(contact.name)),
            "a letter, then letters, digits and underscores");
      return;
    }
    for (const Contact& other : model_->contacts) {
      if (other.name != contact.name) continue;
      error(contact.span, fmt::format("two contacts are called '{}'", contact.name), "another name")
          .notes.push_back({Severity::note, other.span, "the first one is here", "", "", {}});
    }
  }

  void read_forcing() {
    const TomlValue* forcing = section("forcing");
    if (!forcing || root_.find("hill")) return;
    only(*forcing, {"period"}, "in [forcing]");
    if (const TomlValue* period = required(*forcing, "period", "[forcing]", "period = \"2*pi/omega\", say"))
      model_->forcing_period = scope_.read(*period, {"in the period of the forcing", only_parameters, ""});
  }

  void read_section() {
    const TomlValue* table = section("section");
    if (!table || root_.find("hill")) return;
    only(*table, {"surface", "direction", "modulo"}, "in [section]");
    Section result;
    const TomlValue* surface = required(*table, "surface", "[section]", "surface = \"…\", zero on the section");
    if (surface) result.surface = scope_.read(*surface, {"in the surface of the section", of_everything, ""});
    if (const TomlValue* modulo = table->find("modulo"))
      result.modulo = scope_.read(*modulo, {"in the modulus of the section", only_parameters, ""});
    if (const TomlValue* direction = table->find("direction")) {
      const std::string choice = chosen(*direction, "direction", {"up", "down", "both"});
      result.direction = choice == "down" ? Crossing::down : choice == "both" ? Crossing::both : Crossing::up;
    }
    if (surface) model_->section = result;
  }

  // ---- initial state, observables, cases -------------------------------------------------------------------------

  /// The entries of [initial] or of the initial table of a case: component → expression of parameters.
  std::map<std::string, Located> read_initial_table(const TomlValue& table, const std::string& where) {
    const Keys components = model_->component_names();
    std::map<std::string, Located> result;
    for (const TomlEntry& entry : table.entries) {
      if (std::find(components.begin(), components.end(), entry.key) != components.end()) {
        result[entry.key] =
            scope_.read(entry.value, {fmt::format("in the initial value of {}", entry.key), only_parameters, ""});
      } else if (lists_complete_) {
        error(entry.key_span, fmt::format("unknown coordinate '{}' {}", printable(entry.key), where),
              fmt::format("one of {}", listed(components, 20)), did_you_mean(entry.key, components));
      }
    }
    return result;
  }

  void read_initial() {
    const TomlValue* table = section("initial");
    if (root_.find("hill")) return;
    const auto given = table ? read_initial_table(*table, "in [initial]") : std::map<std::string, Located>();
    for (const std::string& component : model_->component_names()) {
      const auto found = given.find(component);
      const SourceSpan nowhere{document_.source(), 0, 0, 0};
      model_->initial.push_back(found == given.end() ? Located{graph_->constant(0.0), nowhere} : found->second);
    }
  }

  void read_observables() {
    const TomlValue* table = section("observe");
    if (!table || root_.find("hill")) return;
    if (table->entries.size() > most_observables) {
      error(table->entries[most_observables].key_span, fmt::format("there are {} observables", table->entries.size()),
            fmt::format("at most {}", most_observables));
      return;
    }
    const Keys components = model_->component_names();
    for (const TomlEntry& entry : table->entries) {
      const bool taken = std::find(components.begin(), components.end(), entry.key) != components.end();
      if (!is_name(entry.key)) {
        error(entry.key_span, fmt::format("'{}' cannot be the name of an observable", printable(entry.key)),
              "a letter, then letters, digits and underscores");
      } else if (taken || entry.key == "t") {
        error(entry.key_span, fmt::format("the observable '{}' has the name of a part of the state", entry.key),
              "another name: the state and the time are always observed");
      }
      model_->observables.push_back(
          {entry.key,
           scope_.read(entry.value, {fmt::format("in the observable '{}'", printable(entry.key)), of_everything, ""})});
    }
  }

  void read_cases() {
    const TomlValue* cases = section("case");
    if (!cases) return;
    if (cases->entries.size() > most_cases) {
      error(cases->entries[most_cases].key_span, fmt::format("there are {} cases", cases->entries.size()),
            fmt::format("at most {}", most_cases));
      return;
    }
    for (const TomlEntry& entry : cases->entries)
      if (require(entry.value, TomlKind::table, fmt::format("case '{}'", printable(entry.key)),
                  fmt::format("a table, begun by [case.NAME]")))
        read_case(entry);
  }

  void read_case(const TomlEntry& entry) {
    Case result{.name = entry.key,
                .title = text_of(entry.value, "title"),
                .parameters = {},
                .initial = {},
                .span = entry.key_span};
    const std::string where = fmt::format("in case '{}'", printable(entry.key));
    const Keys parameters = scope_.names_of({Meaning::parameter});
    for (const TomlEntry& setting : entry.value.entries) {
      if (setting.key == "title") continue;
      if (setting.key == "initial") {
        read_initial_of_case(setting, where, result);
      } else if (scope_.meaning_of(setting.key) == Meaning::parameter) {
        result.parameters[setting.key] =
            scope_.read(setting.value, {fmt::format("{} for parameter '{}'", where, setting.key), only_parameters, ""});
      } else {
        report_unknown_setting(setting, where, parameters);
      }
    }
    model_->cases.push_back(result);
  }

  void read_initial_of_case(const TomlEntry& setting, const std::string& where, Case& result) {
    if (root_.find("hill")) {
      error(setting.key_span, "'initial' has no meaning beside [hill]", "parameters only");
    } else if (require(setting.value, TomlKind::table, "'initial'", "a table such as { x = 1 }")) {
      result.initial = read_initial_table(setting.value, "in the initial state " + where);
    }
  }

  void report_unknown_setting(const TomlEntry& setting, const std::string& where, const Keys& parameters) {
    const Keys components = model_->component_names();
    const bool component = std::find(components.begin(), components.end(), setting.key) != components.end();
    error(setting.key_span,
          component ? fmt::format("the initial value of '{}' {} stands among the parameters", setting.key, where)
                    : fmt::format("unknown parameter '{}' {}", printable(setting.key), where),
          component            ? fmt::format("initial = {{ {} = … }}",
                                  is_name(setting.key) ? setting.key : fmt::format("\"{}\"", setting.key))
                     : parameters.empty() ? std::string("title or initial: the model has no parameters")
                               : fmt::format("a parameter ({}), title or initial", listed(parameters, 12)),
          component ? "" : did_you_mean(setting.key, parameters));
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  void read_drawing() {
    const TomlValue* table = section("draw");
    if (!table || root_.find("hill")) return;
    if (table->entries.size() > most_points) {
      error(table->entries[most_points].key_span, fmt::format("[draw] has {} entries", table->entries.size()),
            fmt::format("at most {}", most_points));
      return;
    }
    for (const TomlEntry& entry : table->entries)
      if (entry.key != "lines" && entry.key != "walls" && entry.key != "trace") read_point(entry);
    Drawing& drawing = model_->drawing;
    if (const TomlValue* lines = table->find("lines")) read_lines(*lines);
    if (const TomlValue* walls = table->find("walls")) read_walls(*walls);
    if (const TomlValue* trace = table->find("trace")) {
      if (const auto points = read_point_names(*trace, "'trace'")) drawing.trace = *points;
    } else if (!drawing.lines.empty() && !drawing.lines.back().empty()) {
      drawing.trace = {drawing.lines.back().back()};
    }
  }

  std::vector<Located> read_pair(const TomlValue& value, const std::string& what) {
    return read_list(value, 2, what, {"x", "y"}, [&](std::size_t i) {
      return Place{fmt::format("in the {} of {}", i == 0 ? "x" : "y", what), of_everything, ""};
    });
  }

  void read_point(const TomlEntry& entry) {
    const std::vector<Located> xy = read_pair(entry.value, fmt::format("the point '{}'", printable(entry.key)));
    const Located nothing{graph_->constant(0.0), entry.key_span};
    model_->drawing.points.push_back({entry.key, xy.size() == 2 ? xy[0] : nothing, xy.size() == 2 ? xy[1] : nothing});
  }

  std::optional<std::vector<std::size_t>> read_point_names(const TomlValue& list, const std::string& what) {
    const std::string expected = "a list of names of points";
    if (!require(list, TomlKind::array, what, expected)) return std::nullopt;
    Keys names;
    for (const DrawingPoint& point : model_->drawing.points) names.push_back(point.name);
    std::vector<std::size_t> result;
    for (const TomlValue& item : list.items) {
      if (!require(item, TomlKind::string, fmt::format("an entry of {}", what), expected)) continue;
      const auto found = std::find(names.begin(), names.end(), item.text);
      if (found == names.end()) {
        error(document_.inner_span(item), fmt::format("unknown point '{}' in {}", printable(item.text), what),
              names.empty() ? "a point of [draw]" : fmt::format("one of {}", listed(names, 12)),
              did_you_mean(item.text, names));
      } else {
        result.push_back(static_cast<std::size_t>(found - names.begin()));
      }
    }
    return result;
  }

  void read_lines(const TomlValue& lines) {
    if (!require(lines, TomlKind::array, "'lines'", "a list of lists of points, such as [[\"A\", \"B\"]]")) return;
    for (const TomlValue& line : lines.items) {
      const auto points = read_point_names(line, "a line");
      if (!points) continue;
      if (line.items.size() < 2) error(line.span, "a line needs two points", "a list of two or more points");
      model_->drawing.lines.push_back(*points);
    }
  }

  void read_walls(const TomlValue& walls) {
    const std::string expected = "a list of walls { from = [\"x\", \"y\"], to = [\"x\", \"y\"] }";
    if (!require(walls, TomlKind::array, "'walls'", expected)) return;
    for (const TomlValue& wall : walls.items) {
      if (!require(wall, TomlKind::table, "an entry of 'walls'", expected)) continue;
      only(wall, {"from", "to"}, "of a wall");
      const TomlValue* from = required(wall, "from", "a wall", "from = [\"x\", \"y\"]");
      const TomlValue* to = required(wall, "to", "a wall", "to = [\"x\", \"y\"]");
      if (!from || !to) continue;
      const std::vector<Located> a = read_pair(*from, "the start of a wall");
      const std::vector<Located> b = read_pair(*to, "the end of a wall");
      if (a.size() == 2 && b.size() == 2) model_->drawing.walls.push_back({a[0], a[1], b[0], b[1]});
    }
  }

  // ---- solver ----------------------------------------------------------------------------------------------------

  std::optional<double> positive_number(const TomlValue& table, const std::string& key) {
    const TomlValue* value = table.find(key);
    const std::string expected = "a positive number, such as 1e-10";
    if (!value || !require(*value, TomlKind::number, fmt::format("'{}'", key), expected)) return std::nullopt;
    if (value->number > 0.0 && std::isfinite(value->number)) return value->number;
    error(value->span, fmt::format("'{}' is {}", key, six_digits(value->number)), expected);
    return std::nullopt;
  }

  void read_solver() {
    const TomlValue* table = section("solver");
    if (!table) return;
    only(*table, {"rtol", "atol", "impact_law", "method"}, "in [solver]");
    SolverSettings& solver = model_->solver;
    solver.rtol = positive_number(*table, "rtol");
    solver.atol = positive_number(*table, "atol");
    if (const TomlValue* law = table->find("impact_law")) {
      const std::string choice = chosen(*law, "impact law", {"sequential", "moreau"});
      solver.impact_law = choice == "moreau" ? ImpactLaw::moreau : ImpactLaw::sequential;
    }
    if (const TomlValue* method = table->find("method"))
      solver.method = chosen(*method, "method", {"auto", "rk", "exact"});
  }

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
    const std::shared_ptr<Model> model = Reader(document, reading.diagnostics).model();
    if (has_errors(reading.diagnostics)) return;
    std::vector<Diagnostic> found = check(*model);
    reading.diagnostics.insert(reading.diagnostics.end(), found.begin(), found.end());
    if (has_errors(found)) return;
    model->switches = switching_surfaces(*model);
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
  // A folder opens like a file and then has no end.
  if (std::filesystem::is_directory(path))
    throw Error(ExitCode::file, fmt::format("cannot read '{}': it is a folder", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ExitCode::file, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  file.seekg(0, std::ios::end);
  const auto size = file.tellg();
  if (size > static_cast<std::streamoff>(largest_file))
    return {nullptr, {too_large(path, static_cast<std::size_t>(size))}};
  file.seekg(0);
  std::string text;
  std::vector<char> block(1U << 16U);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file) break;  // a pipe does not tell its size
  }
  if (file.bad()) throw Error(ExitCode::file, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return read_model(path, text);
}

}  // namespace saltus
