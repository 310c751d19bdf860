#include "saltus/driver/stored_orbits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/base/unbroken.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/result/json_place.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_orbits = 1'000'000;
constexpr std::size_t most_names = 1000;
constexpr double longest_segment = 1e6;

Error unreadable(const std::string& path, const std::string& why) {
  return {ExitCode::file, fmt::format("cannot read '{}': {}", printable(path), why)};
}

/// The file is one of ours, but what it holds is no orbit of the model.
Error not_an_orbit(const std::string& why) {
  return {ExitCode::file, fmt::format("the file of ⟨from⟩ holds no orbit of this model: {}", why)};
}

Vector vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

constexpr const char* end_names[] = {"impact",      "release", "switch", "weight_low",
                                     "weight_high", "phase",   "strobe", "share"};

// ---- whose orbits they are -------------------------------------------------------------------------------------------

std::vector<std::string> contact_names(const Model& model) {
  std::vector<std::string> names;
  for (const Contact& contact : model.contacts) names.push_back(contact.name);
  return names;
}

std::vector<std::string> switch_names(const Model& model) {
  std::vector<std::string> names;
  for (const Switch& each : model.switches) names.push_back(printed(each.s));
  return names;
}

void require_same(const char* what, const std::vector<std::string>& there, const std::vector<std::string>& here,
                  const std::string& path) {
  if (there == here) return;
  const auto shown = [](const std::vector<std::string>& names) { return names.empty() ? "none" : listed(names); };
  throw usage(
      fmt::format("'{}' is of another model: its {} are {}, here they are {}\n  give the model it was computed "
                  "with, or begin without ⟨from⟩",
                  printable(path), what, shown(there), shown(here)));
}

/// Throws Error(usage) if components, contacts or switches of the file's model have other names or another order; a warning if
/// the text of the model differs otherwise.
std::optional<Diagnostic> same_model(const StoredOrbits& stored, const Model& model, const std::string& path) {
  if (!stored.components.empty()) require_same("components", stored.components, model.component_names(), path);
  if (stored.model_text.empty() || stored.model_text == model.source->text()) return std::nullopt;
  const ModelReading reading = read_model(path, stored.model_text);
  if (!reading.model) throw unreadable(path, "the model that it keeps cannot be read");
  require_same("components", reading.model->component_names(), model.component_names(), path);
  require_same("contacts", contact_names(*reading.model), contact_names(model), path);
  require_same("switches", switch_names(*reading.model), switch_names(model), path);
  return Diagnostic{Severity::warning,
                    {},
                    fmt::format("the text of the model is not the one '{}' was computed with", printable(path)),
                    "the same text; names and order of coordinates, contacts and switches are the same",
                    "",
                    {}};
}

// ---- segments --------------------------------------------------------------------------------------------------------

/// What kernels read of each contact or switch: `closed`, or `sign` and `filippov`.
template <class Number, class State>
std::vector<Number> inputs_of(const std::vector<State>& states, std::size_t which) {
  std::vector<Number> values;
  for (const State state : states) values.push_back(static_cast<Number>(row_of(state).inputs[which]));
  return values;
}

/// The state that kernels read so; nothing if there is none.
template <class Row, std::size_t states, std::size_t inputs>
std::optional<decltype(Row::state)> state_reading(const std::array<Row, states>& table,
                                                  const std::array<double, inputs>& read) {
  for (const Row& row : table)
    if (row.inputs == read) return row.state;
  return std::nullopt;
}

/// Numbers, one for each of so many.
std::vector<double> numbers_of_each(const JsonPlace& place, std::size_t count, const char* of) {
  if (!place.is_list() || place.value().size() != count)
    throw place.wrong(fmt::format("{} numbers, one for each {}", count, of));
  return place.numbers(count);
}

Mode mode_of(const JsonPlace& segment, const Model& model) {
  const std::vector<double> closed = numbers_of_each(segment.at("closed"), model.contacts.size(), "contact");
  const std::vector<double> sign = numbers_of_each(segment.at("sign"), model.switches.size(), "switch");
  const std::vector<double> filippov = numbers_of_each(segment.at("filippov"), model.switches.size(), "switch");
  std::vector<ContactState> contacts;
  std::vector<SwitchState> switches;
  for (const double read : closed) {
    const auto state = state_reading(contact_table, std::array{read});
    if (!state) throw segment.at("closed").wrong("what a contact can do: 0 or 1");
    contacts.push_back(*state);
  }
  for (std::size_t k = 0; k < sign.size(); ++k) {
    const auto state = state_reading(switch_table, std::array{sign[k], filippov[k]});
    if (!state) throw segment.at("sign").wrong("what a switch can do, with its 'filippov'");
    switches.push_back(*state);
  }
  return {std::move(contacts), std::move(switches)};
}

SegmentEnd::Kind kind_of(const JsonPlace& place) {
  const std::string name = place.text();
  if (name == "section") return SegmentEnd::Kind::phase;  // of older files: a cut that is no event
  for (std::size_t k = 0; k < std::size(end_names); ++k)
    if (name == end_names[k]) return static_cast<SegmentEnd::Kind>(k);
  throw place.wrong(fmt::format("the name of an event, and not '{}'", printable(name)));
}

std::size_t index_of(const JsonPlace& place, std::size_t count, const char* of) {
  if (count == 0) throw place.wrong(fmt::format("no {}, since the model has none", of));
  return static_cast<std::size_t>(place.whole(0, static_cast<long>(count) - 1));
}

SegmentEnd end_of(const JsonPlace& segment, const Model& model) {
  SegmentEnd end{.kind = kind_of(segment.at("end"))};
  const bool of_contact = end.kind == SegmentEnd::Kind::impact || end.kind == SegmentEnd::Kind::release;
  if (is_event(end))
    end.index = of_contact ? index_of(segment.at("index"), model.contacts.size(), "contact")
                           : index_of(segment.at("index"), model.switches.size(), "switch");
  end.offset = segment.at("offset").number();
  if (!segment.has("blows")) return end;
  for (const JsonPlace& blow : segment.at("blows").items(most_segments(model.dimension()))) {
    end.blows.emplace_back();
    for (const JsonPlace& contact : blow.items(model.contacts.size()))
      end.blows.back().push_back(index_of(contact, model.contacts.size(), "contact"));
  }
  return end;
}

/// An orbit with its sequence, every index and length of it checked against the model.
PlannedOrbit planned_orbit(const JsonPlace& place, const Model& model, bool forced) {
  PlannedOrbit orbit;
  orbit.t = place.at("t").number();
  orbit.plan.periods =
      place.at("periods").whole(forced ? 1 : 0, forced ? static_cast<long>(most_segments(model.dimension())) : 0);
  orbit.varied = place.at("varied").numbers(most_names);
  const std::vector<JsonPlace> segments = place.at("segments").items(most_segments(model.dimension()));
  if (segments.empty()) throw place.at("segments").wrong("at least one");
  for (const JsonPlace& each : segments) {
    SegmentPlan plan;
    plan.mode = mode_of(each, model);
    plan.end = end_of(each, model);
    plan.shift = vector_of(numbers_of_each(each.at("turns"), model.dimension(), "component"));
    if (each.has("chatter")) plan.chatter = index_of(each.at("chatter"), model.contacts.size(), "contact");
    if (each.has("together")) plan.together = each.at("together").truth();
    orbit.plan.segments.push_back(std::move(plan));
    orbit.x.push_back(vector_of(numbers_of_each(each.at("x"), model.dimension(), "component")));
    orbit.tau.push_back(each.at("duration").number());
    if (std::abs(orbit.tau.back()) > longest_segment)
      throw each.at("duration").wrong(fmt::format("at most {}", longest_segment));
  }
  share_out(orbit);
  return orbit;
}

// ---- JSON ------------------------------------------------------------------------------------------------------------

/// What orbits of a file have in common.
struct Family {
  const Model& model;
  double forcing_period;
  std::vector<std::string> names;  // of the varied parameters
};

/// Of an orbit on its own (`saltus orbit`) or of a point of a branch.
StoredOrbit orbit_of(const JsonPlace& place, const Family& family) {
  StoredOrbit orbit;
  orbit.x = vector_of(place.at("x").numbers(most_orbits));
  orbit.names = family.names;
  if (place.has("p"))
    orbit.varied = place.at("p").is_list() ? place.at("p").numbers(most_names) : std::vector{place.at("p").number()};
  const bool timed = place.has("period") && place.at("period").is_number();
  if (timed) orbit.period = place.at("period").number();
  if (place.has("returns"))
    orbit.returns = place.at("returns").whole(1, static_cast<long>(most_segments(family.model.dimension())));
  else if (family.forcing_period > 0.0 && timed)
    orbit.returns = std::lround(std::clamp(orbit.period / family.forcing_period, 1.0, 1e9));
  if (place.has("label")) orbit.label = place.at("label").text();
  return orbit;
}

void take_recipe(const JsonPlace& file, StoredOrbits& stored) {
  if (!file.has("recipe")) return;
  const JsonPlace recipe = file.at("recipe");
  if (recipe.has("case")) stored.case_name = recipe.at("case").text();
  if (recipe.has("model_text")) stored.model_text = recipe.at("model_text").text();
  if (!recipe.has("assignments")) return;
  const JsonPlace assignments = recipe.at("assignments");
  if (!assignments.is_object() || assignments.value().size() > most_names)
    throw assignments.wrong("names with their values");
  for (const auto& [name, value] : assignments.value().items())
    stored.assignments.push_back({name, assignments.at(name).text()});
}

StoredOrbits orbits_of(const JsonPlace& file, const std::string& path, const Model& model, double forcing_period) {
  StoredOrbits stored;
  take_recipe(file, stored);
  Family family{model, forcing_period, {}};
  if (file.has("parameters") && file.at("parameters").is_list())
    for (const JsonPlace& name : file.at("parameters").items(most_names)) family.names.push_back(name.text());
  if (file.has("components"))
    for (const JsonPlace& name : file.at("components").items(most_names)) stored.components.push_back(name.text());
  stored.warning = same_model(stored, model, path);
  // An orbit's points are its returns, a branch's are orbits.
  if (!file.has("command") || !file.at("command").is_text() || file.at("command").text() != "continue") {
    const bool several = file.has("orbits") && file.at("orbits").is_list();
    if (!several) stored.orbits.push_back(orbit_of(file, family));
    else
      for (const JsonPlace& each : file.at("orbits").items(most_orbits))
        stored.orbits.push_back(orbit_of(each, family));
    return stored;
  }
  for (const JsonPlace& point : file.at("points").items(most_orbits)) stored.orbits.push_back(orbit_of(point, family));
  if (!file.has("special")) return stored;
  for (const JsonPlace& special : file.at("special").items(most_orbits)) {
    const std::string label = special.at("label").text();
    if (!special.has("orbit") || label.empty()) continue;
    const PlannedOrbit planned = planned_orbit(special.at("orbit"), model, forcing_period > 0.0);
    for (StoredOrbit& orbit : stored.orbits)
      if (orbit.label == label) orbit.orbit = planned;
  }
  return stored;
}

// ---- NetCDF ----------------------------------------------------------------------------------------------------------

/// The variables of a file by name; what is not as it must be is Error(file).
class Variables {
 public:
  Variables(const ResultFile& file, const std::string& path) : file_(file), path_(path) {}

  const std::vector<double>& numbers(const std::string& name, std::optional<std::size_t> size = {}) const {
    const Variable* variable = variable_named(file_, name);
    const auto* values = variable ? std::get_if<std::vector<double>>(&variable->values) : nullptr;
    if (!values)
      throw unreadable(path_, fmt::format("it has no variable '{}', so it is no branch of orbits", printable(name)));
    if (size && values->size() != *size)
      throw unreadable(
          path_, fmt::format("its variable '{}' has {} numbers instead of {}", printable(name), values->size(), *size));
    return *values;
  }
  std::vector<std::string> texts(const std::string& name) const {
    const Variable* variable = variable_named(file_, name);
    const auto* values = variable ? std::get_if<std::vector<std::string>>(&variable->values) : nullptr;
    return values ? *values : std::vector<std::string>{};
  }
  long returns(double number, const Model& model) const {
    const auto most = static_cast<double>(most_segments(model.dimension()));
    if (number >= 1.0 && number <= most && number == std::floor(number)) return std::lround(number);
    throw unreadable(
        path_, fmt::format("at 'returns': expected a whole number from 1 to {}, and not {}", most, six_digits(number)));
  }

 private:
  const ResultFile& file_;
  const std::string& path_;
};

/// Of `saltus orbit`: everything over the axis `orbit`, the state component by component.
StoredOrbits single_orbits(const ResultFile& file, const Variables& variables, StoredOrbits stored, const Model& model,
                           const std::string& path) {
  for (const Variable& variable : file.variables)
    if (variable.name.starts_with("at_")) stored.components.push_back(variable.name.substr(3));
  stored.warning = same_model(stored, model, path);
  const std::vector<double>& returns = variables.numbers("returns");
  for (const double each : returns) stored.orbits.push_back({.returns = variables.returns(each, model)});
  for (const Variable& variable : file.variables) {
    if (!variable.name.starts_with("at_")) continue;
    const std::vector<double>& values = variables.numbers(variable.name, returns.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      Vector& x = stored.orbits[i].x;
      x.conservativeResize(x.size() + 1);
      x[x.size() - 1] = values[i];
    }
  }
  return stored;
}

/// A NetCDF file holds the same as text: whole numbers and labels over `point`, orbits of special points as JSON.
StoredOrbits orbits_of(const ResultFile& file, const std::string& path, const Model& model, bool forced) {
  StoredOrbits stored;
  stored.case_name = file.recipe.case_name;
  stored.model_text = file.recipe.model_text;
  for (const auto& [name, value] : file.recipe.assignments) stored.assignments.push_back({name, value});
  const Variables variables(file, path);
  const bool alone = std::any_of(file.variables.begin(), file.variables.end(),
                                 [](const Variable& variable) { return variable.name.starts_with("at_"); });
  if (alone) return single_orbits(file, variables, std::move(stored), model, path);
  stored.warning = same_model(stored, model, path);
  const std::vector<double>& returns = variables.numbers("returns");
  const std::size_t points = returns.size();
  const std::size_t N = model.dimension();
  const std::vector<double>& x = variables.numbers("x", points * N);
  const std::vector<double>& period = variables.numbers("period", points);
  const std::vector<std::string> labels = variables.texts("label");
  const std::vector<std::string> names = variables.texts("parameter");
  if (names.size() > most_names) throw unreadable(path, "it varies too many parameters");
  for (std::size_t i = 0; i < points; ++i) {
    StoredOrbit orbit;
    orbit.names = names;
    for (const std::string& name : names) orbit.varied.push_back(variables.numbers("value_" + name, points)[i]);
    orbit.x = Eigen::Map<const Vector>(x.data() + i * N, static_cast<Eigen::Index>(N));
    orbit.returns = variables.returns(returns[i], model);
    orbit.period = std::isfinite(period[i]) ? period[i] : 0.0;
    if (i < labels.size()) orbit.label = labels[i];
    stored.orbits.push_back(std::move(orbit));
  }
  const std::vector<std::string> special = variables.texts("special");
  const std::vector<std::string> orbits = variables.texts("special_orbit");
  for (std::size_t k = 0; k < special.size() && k < orbits.size(); ++k) {
    if (orbits[k].empty() || special[k].empty()) continue;
    const Json json = json_of(orbits[k], path);
    const PlannedOrbit planned = planned_orbit(JsonPlace(json, path), model, forced);
    for (StoredOrbit& orbit : stored.orbits)
      if (orbit.label == special[k]) orbit.orbit = planned;
  }
  return stored;
}

}  // namespace

std::size_t most_segments(std::size_t dimension) {
  constexpr std::size_t most_unknowns = 3000;  // dense matrices of 300 MB in all, decomposed in seconds
  return std::max<std::size_t>(100, most_unknowns / (dimension + 1));
}

Json to_json(const PlannedOrbit& orbit) {
  Json segments = Json::array();
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    const SegmentPlan& plan = orbit.plan.segments[i];
    segments.push_back({{"x", json_numbers(numbers_of(orbit.x[i]))},
                        {"duration", json_number(orbit.tau[i])},
                        {"closed", inputs_of<int>(plan.mode.contacts(), 0)},
                        {"sign", inputs_of<double>(plan.mode.switches(), 0)},
                        {"filippov", inputs_of<int>(plan.mode.switches(), 1)},
                        {"end", end_names[static_cast<std::size_t>(plan.end.kind)]},
                        {"index", plan.end.index},
                        {"offset", plan.end.offset},
                        {"turns", json_numbers(numbers_of(plan.shift))},
                        {"chatter", plan.chatter ? Json(*plan.chatter) : Json(nullptr)}});
    if (!plan.end.blows.empty()) segments.back()["blows"] = plan.end.blows;
    if (plan.together) segments.back()["together"] = true;
  }
  return {
      {"t", json_number(orbit.t)}, {"periods", orbit.plan.periods}, {"varied", orbit.varied}, {"segments", segments}};
}

void require_fitting(const StoredOrbit& stored, const Model& model) {
  if (!stored.x.allFinite()) throw not_an_orbit("a number is not finite");
  if (static_cast<std::size_t>(stored.x.size()) != model.dimension())
    throw not_an_orbit(fmt::format("the orbit has {} components, the model {}\n  is it of another model?",
                                   stored.x.size(), model.dimension()));
  const auto finite = [](double number) { return std::isfinite(number); };
  if (!std::all_of(stored.varied.begin(), stored.varied.end(), finite)) throw not_an_orbit("a number is not finite");
  if (stored.returns > static_cast<long>(most_segments(model.dimension())))
    throw not_an_orbit(fmt::format("an orbit of {} returns; at most {} are followed", stored.returns,
                                   most_segments(model.dimension())));
}

StoredOrbits read_orbits(const std::string& path, const Model& model, double forcing_period) {
  const Unbroken reading;
  if (path.ends_with(".nc")) return orbits_of(read_result(path), path, model, forcing_period > 0.0);
  const Json json = json_of_file(path);
  return orbits_of(JsonPlace(json, path), path, model, forcing_period);
}

}  // namespace saltus
