#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/model/model_reader.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_contacts = 1000;
constexpr std::size_t most_observables = 1000;
constexpr std::size_t most_cases = 1000;

}  // namespace

void ModelReader::read_contacts() {
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

void ModelReader::read_contact(const TomlValue& table) {
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
    contact.restitution = scope_.read(*e, {fmt::format("in the restitution of {}", whose),
                                           only_parameters,
                                           "a restitution depends on parameters and on the speed of the impact only",
                                           {{"approach", "the speed approach"}}});
    const Expr approach = graph_->symbol("approach");
    const bool is_speed = !scope_.meaning_of("approach");
    if (is_speed && depends_on(contact.restitution.expr, approach)) {
      contact.by_speed = contact.restitution;
      contact.restitution.expr =
          substitute(contact.restitution.expr, std::array{approach}, std::array{graph_->constant(0.0)});
    }
    require_restitution(contact.restitution, contact.by_speed ? "the slowest impacts on " + whose : whose);
  }
  model_->contacts.push_back(contact);
}

void ModelReader::require_restitution(const Located& restitution, const std::string& whose) {
  if (!restitution.expr.is_constant()) return;
  const double e = restitution.expr.value();
  if (!(e >= 0.0 && e <= 1.0))
    error(restitution.span, fmt::format("the restitution of {} is {}", whose, six_digits(e)),
          "a number between 0 and 1");
}

void ModelReader::check_contact_name(const Contact& contact, const TomlValue& value) {
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

void ModelReader::read_forcing() {
  const TomlValue* forcing = section("forcing");
  if (!forcing || root_.find("hill")) return;
  only(*forcing, {"period"}, "in [forcing]");
  if (const TomlValue* period = required(*forcing, "period", "[forcing]", "period = \"2*pi/omega\", say"))
    model_->forcing_period = scope_.read(*period, {"in the period of the forcing", only_parameters, ""});
}

void ModelReader::read_section() {
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

std::map<std::string, Located> ModelReader::read_initial_table(const TomlValue& table, const std::string& where) {
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

void ModelReader::read_initial() {
  const TomlValue* table = section("initial");
  if (root_.find("hill")) return;
  const auto given = table ? read_initial_table(*table, "in [initial]") : std::map<std::string, Located>();
  for (const std::string& component : model_->component_names()) {
    const auto found = given.find(component);
    const SourceSpan nowhere{document_.source(), 0, 0, 0};
    model_->initial.push_back(found == given.end() ? Located{graph_->constant(0.0), nowhere} : found->second);
  }
}

void ModelReader::read_observables() {
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

void ModelReader::read_cases() {
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

void ModelReader::read_case(const TomlEntry& entry) {
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

void ModelReader::read_initial_of_case(const TomlEntry& setting, const std::string& where, Case& result) {
  if (root_.find("hill")) {
    error(setting.key_span, "'initial' has no meaning beside [hill]", "parameters only");
  } else if (require(setting.value, TomlKind::table, "'initial'", "a table such as { x = 1 }")) {
    result.initial = read_initial_table(setting.value, "in the initial state " + where);
  }
}

void ModelReader::report_unknown_setting(const TomlEntry& setting, const std::string& where, const Keys& parameters) {
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

std::optional<double> ModelReader::positive_number(const TomlValue& table, const std::string& key) {
  const TomlValue* value = table.find(key);
  const std::string expected = "a positive number, such as 1e-10";
  if (!value || !require(*value, TomlKind::number, fmt::format("'{}'", key), expected)) return std::nullopt;
  if (value->number > 0.0 && std::isfinite(value->number)) return value->number;
  error(value->span, fmt::format("'{}' is {}", key, six_digits(value->number)), expected);
  return std::nullopt;
}

void ModelReader::read_solver() {
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

}  // namespace saltus
