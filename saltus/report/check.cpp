#include "saltus/report/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/time_dependence.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/kernel/lowered.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

constexpr std::size_t at_a_glance = 90;  // characters of an expression in the text; JSON has all of it

std::string brief(Expr e) { return printed(e, at_a_glance); }

/// "e = 0.8", "pi = 3.14159", or "0.8" alone for a plain number.
std::string with_value(const PreparedModel& prepared, Expr e) {
  const std::string value = six_digits(number(prepared, e));
  const std::string text = brief(e);
  return text == value ? value : fmt::format("{} = {}", text, value);
}

/// Name, value, and what a long or dependent value comes from.
std::vector<std::string> parameter_row(const PreparedModel& prepared, const Parameter& parameter, double value) {
  constexpr std::size_t long_number = 10;
  // After --case or --set an expression of the file may no longer be where the number comes from.
  const bool follows = !parameter.value.is_constant() && number(prepared, parameter.value) == value;
  if (follows) return {parameter.name, "= " + six_digits(value), "from " + brief(parameter.value)};
  const std::string plain = shortest(value);
  const std::string recognised = printed_number(value);  // 4/7, 50*pi
  if (plain.size() > long_number && recognised != plain)
    return {parameter.name, "= " + six_digits(value), "from " + recognised};
  return {parameter.name, "= " + plain};
}

std::vector<std::string> unless_empty(const std::string& line) {
  return line.empty() ? std::vector<std::string>() : std::vector{line};
}

std::vector<std::string> parameter_lines(const PreparedModel& prepared) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<Parameter>& parameters = prepared.model->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    rows.push_back(parameter_row(prepared, parameters[i], prepared.setup.parameters[i]));
  return aligned(rows);
}

/// "0.9", "e = 0.9", or "0.9 - 0.05*approach, 0.9 of the slowest impacts".
std::string restitution_text(const PreparedModel& prepared, const Contact& contact) {
  if (!contact.by_speed) return with_value(prepared, contact.restitution.expr);
  return fmt::format("{}, {} of the slowest impacts", brief(contact.by_speed->expr),
                     six_digits(number(prepared, contact.restitution.expr)));
}

std::vector<std::string> contact_lines(const PreparedModel& prepared) {
  std::vector<std::vector<std::string>> rows;
  for (const Contact& contact : prepared.model->contacts)
    rows.push_back(
        {contact.name, "gap " + brief(contact.gap.expr), "restitution " + restitution_text(prepared, contact)});
  return aligned(rows);
}

std::vector<std::string> switch_lines(const Model& model) {
  std::vector<std::string> lines;
  for (const Switch& s : model.switches) {
    const std::string line = (s.text.size() > at_a_glance ? brief(s.s) : s.text) + " = 0";
    // The two halves of a comparison with floor(u) are written alike.
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> observable_lines(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (const Observable& observable : model.observables)
    rows.push_back({observable.name, "= " + brief(observable.value.expr)});
  return aligned(rows);
}

std::vector<std::string> case_lines(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (const Case& named : model.cases) rows.push_back({named.name, named.title});
  return aligned(rows);
}

std::vector<std::string> initial_lines(const PreparedModel& prepared) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> names = prepared.model->component_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({names[i], "= " + six_digits(prepared.setup.initial[i])});
  return aligned(rows);
}

std::string_view name_of(Crossing direction) {
  switch (direction) {
    case Crossing::up: return "up";
    case Crossing::down: return "down";
    case Crossing::both: return "both";
  }
  return "";
}

std::vector<std::string> section_lines(const PreparedModel& prepared) {
  const std::optional<Section>& section = prepared.model->section;
  if (!section) return {};
  const std::string modulo = section->modulo ? fmt::format(" (mod {})", brief(section->modulo->expr)) : "";
  return {fmt::format("{} = 0{}, {}", brief(section->surface.expr), modulo, in_words(section->direction))};
}

std::vector<std::string> forcing_lines(const PreparedModel& prepared) {
  if (is_hill(prepared)) return {};
  const std::optional<Located>& period = prepared.model->forcing_period;
  if (!period) return {depends_on_time(*prepared.model) ? "none, but the model depends on t" : "none: autonomous"};
  return {"period " + with_value(prepared, period->expr)};
}

std::vector<std::string> hill_lines(const PreparedModel& prepared) {
  const std::optional<Hill>& hill = prepared.model->hill;
  if (!hill) return {};
  const std::string damping = hill->damping ? fmt::format("({}) x' + ", brief(hill->damping->expr)) : "";
  return {fmt::format("x'' + {}g(t) x = 0,  x >= 0", damping), "g = " + brief(hill->g.expr),
          "period " + with_value(prepared, hill->period.expr),
          "restitution " + with_value(prepared, hill->restitution.expr)};
}

std::vector<std::string> mechanics_lines(const Model& model) {
  if (model.hill) return {};
  const std::string given = model.energies ? "energies" : "mass and force";
  return {fmt::format("{} coordinate{}, given by {}; dimension {}", model.n(), model.n() == 1 ? "" : "s", given,
                      model.dimension())};
}

Json located(const std::optional<Located>& item) { return item ? Json(printed(item->expr)) : Json(nullptr); }

Json parameter_values(const PreparedModel& prepared) {
  Json values = Json::object();
  for (std::size_t i = 0; i < prepared.model->parameters.size(); ++i)
    values[prepared.model->parameters[i].name] = json_number(prepared.setup.parameters[i]);
  return values;
}

Json parameter_expressions(const Model& model) {
  Json expressions = Json::object();
  for (const Parameter& parameter : model.parameters)
    if (!parameter.value.is_constant()) expressions[parameter.name] = printed(parameter.value);
  return expressions;
}

Json contacts_json(const PreparedModel& prepared) {
  Json contacts = Json::array();
  for (const Contact& contact : prepared.model->contacts)
    contacts.push_back({{"name", contact.name},
                        {"gap", printed(contact.gap.expr)},
                        {"restitution", json_number(number(prepared, contact.restitution.expr))},
                        {"restitution_expression", printed(contact.restitution_as_written().expr)}});
  return contacts;
}

Json switches_json(const Model& model) {
  Json switches = Json::array();
  for (const Switch& s : model.switches)
    switches.push_back({{"surface", printed(s.s)}, {"text", s.text}, {"line", s.span.line}});
  return switches;
}

Json section_json(const Model& model) {
  if (!model.section) return nullptr;
  return {{"surface", printed(model.section->surface.expr)},
          {"direction", name_of(model.section->direction)},
          {"modulo", located(model.section->modulo)}};
}

Json forcing_json(const PreparedModel& prepared) {
  const std::optional<Located>& period = prepared.model->forcing_period;
  if (!period) return nullptr;
  return {{"period", json_number(prepared.setup.forcing_period)}, {"expression", printed(period->expr)}};
}

Json initial_json(const PreparedModel& prepared) {
  Json initial = Json::object();
  const std::vector<std::string> names = prepared.model->component_names();
  for (std::size_t i = 0; i < names.size(); ++i) initial[names[i]] = json_number(prepared.setup.initial[i]);
  return initial;
}

Json observables_json(const Model& model) {
  Json observables = Json::object();
  for (const Observable& observable : model.observables) observables[observable.name] = printed(observable.value.expr);
  return observables;
}

Json cases_json(const Model& model) {
  Json cases = Json::array();
  for (const Case& named : model.cases) cases.push_back({{"name", named.name}, {"title", named.title}});
  return cases;
}

Json solver_json(const SolverSettings& solver) {
  Json settings = Json::object();
  if (solver.rtol) settings["rtol"] = *solver.rtol;
  if (solver.atol) settings["atol"] = *solver.atol;
  if (solver.impact_law) settings["impact_law"] = *solver.impact_law == ImpactLaw::moreau ? "moreau" : "sequential";
  if (solver.method) settings["method"] = *solver.method;
  return settings;
}

std::vector<std::string> solver_lines(const SolverSettings& solver) {
  std::vector<std::string> lines;
  const Json settings = solver_json(solver);
  for (const auto& [key, value] : settings.items())
    lines.push_back(fmt::format("{} = {}", key, value.is_string() ? value.get<std::string>() : shortest(value)));
  return lines;
}

Json hill_json(const PreparedModel& prepared) {
  const std::optional<Hill>& hill = prepared.model->hill;
  if (!hill) return nullptr;
  return {{"g", printed(hill->g.expr)},
          {"period", json_number(number(prepared, hill->period.expr))},
          {"restitution", json_number(number(prepared, hill->restitution.expr))},
          {"damping", located(hill->damping)}};
}

}  // namespace

std::string to_text(const CheckResult& result) {
  const PreparedModel& prepared = result.prepared;
  const Model& model = *prepared.model;
  std::string text = (model.title.empty() ? prepared.file : model.title) + "\n";
  if (!model.reference.empty()) text += "  " + model.reference + "\n";
  return text + "\n" +
         labelled_text({{"case", unless_empty(prepared.case_name)},
                        {"mechanics", mechanics_lines(model)},
                        {"equation", hill_lines(prepared)},
                        {"coordinates", unless_empty(listed(model.coordinates, 100))},
                        {"states", unless_empty(listed(model.states, 100))},
                        {"parameters", parameter_lines(prepared)},
                        {"contacts", contact_lines(prepared)},
                        {"switches", switch_lines(model)},
                        {"forcing", forcing_lines(prepared)},
                        {"section", section_lines(prepared)},
                        {"start", initial_lines(prepared)},
                        {"observables", observable_lines(model)},
                        {"solver", solver_lines(model.solver)},
                        {"cases", case_lines(model)}});
}

Json to_json(const CheckResult& result) {
  const PreparedModel& prepared = result.prepared;
  const Model& model = *prepared.model;
  return {{"command", "check"},
          {"model", prepared.file},
          {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
          {"title", model.title},
          {"source", model.reference},
          {"form", model.hill       ? "hill"
                   : model.energies ? "energies"
                                    : "mass_and_force"},
          {"dimension", model.dimension()},
          {"coordinates", model.coordinates},
          {"states", model.states},
          {"parameters", parameter_values(prepared)},
          {"parameter_expressions", parameter_expressions(model)},
          {"contacts", contacts_json(prepared)},
          {"switches", switches_json(model)},
          {"forcing", forcing_json(prepared)},
          {"section", section_json(model)},
          {"initial", initial_json(prepared)},
          {"observables", observables_json(model)},
          {"solver", solver_json(model.solver)},
          {"cases", cases_json(model)},
          {"hill", hill_json(prepared)},
          {"diagnostics", json_diagnostics(prepared.warnings)}};
}

}  // namespace saltus
