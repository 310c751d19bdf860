#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "saltus/base/text.hpp"
#include "saltus/driver/continuation.hpp"
#include "saltus/driver/numbers.hpp"

namespace saltus {
namespace {

Error unreadable(const std::string& path, const std::string& why) {
  return {ExitCode::file, fmt::format("cannot read '{}': {}", printable(path), why)};
}

Vector vector_of(const Json& list) {
  Vector x(static_cast<Eigen::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) x[static_cast<Eigen::Index>(i)] = list[i].get<double>();
  return x;
}

constexpr long most_returns = 10'000;

/// The file is one of ours, but what it holds is no orbit of the model.
Error not_an_orbit(const std::string& why) {
  return {ExitCode::file, fmt::format("the file of --from holds no orbit of this model: {}", why)};
}

constexpr const char* end_names[] = {"impact",      "release", "switch", "weight_low",
                                     "weight_high", "phase",   "strobe", "share"};

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw unreadable(path, "no such file");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

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

Mode mode_of(const Json& segment) {
  const auto numbers = [&](const char* name) { return segment.at(name).get<std::vector<double>>(); };
  const std::vector<double> closed = numbers("closed"), sign = numbers("sign"), filippov = numbers("filippov");
  std::vector<ContactState> contacts;
  std::vector<SwitchState> switches;
  for (const double read : closed)
    if (const auto state = state_reading(contact_table, std::array{read})) contacts.push_back(*state);
  for (std::size_t k = 0; k < std::min(sign.size(), filippov.size()); ++k)
    if (const auto state = state_reading(switch_table, std::array{sign[k], filippov[k]})) switches.push_back(*state);
  if (contacts.size() != closed.size() || switches.size() != sign.size() || sign.size() != filippov.size())
    throw not_an_orbit("a contact or a switch does what none can do");
  return {std::move(contacts), std::move(switches)};
}

/// Of an orbit on its own (`saltus orbit`) or of a point of a branch.
StoredOrbit orbit_of(const Json& json, const std::vector<std::string>& names, double forcing_period) {
  StoredOrbit orbit;
  orbit.x = vector_of(json.at("x"));
  orbit.names = names;
  if (json.contains("p"))
    for (const Json& value : json["p"].is_array() ? json["p"] : Json::array({json["p"]}))
      orbit.varied.push_back(value.get<double>());
  if (json.contains("returns") && json["returns"].is_number())
    orbit.returns = std::max(1L, json["returns"].get<long>());
  else if (forcing_period > 0.0 && json.contains("period") && json["period"].is_number())
    orbit.returns = std::max(1L, std::lround(json["period"].get<double>() / forcing_period));
  if (json.contains("period") && json["period"].is_number()) orbit.period = json["period"].get<double>();
  if (json.contains("label") && json["label"].is_string()) orbit.label = json["label"].get<std::string>();
  return orbit;
}

StoredOrbits orbits_of(const Json& json, double forcing_period) {
  StoredOrbits stored;
  if (json.contains("recipe")) {
    const Json& recipe = json["recipe"];
    if (recipe.contains("case") && recipe["case"].is_string()) stored.case_name = recipe["case"].get<std::string>();
    if (recipe.contains("assignments"))
      for (const auto& [name, value] : recipe["assignments"].items())
        stored.assignments.push_back({name, value.get<std::string>()});
  }
  std::vector<std::string> names;
  if (json.contains("parameters") && json["parameters"].is_array())
    for (const Json& name : json["parameters"])
      if (name.is_string()) names.push_back(name.get<std::string>());
  // An orbit's points are its returns, a branch's are orbits.
  if (json.value("command", "") != "continue") {
    const bool several = json.contains("orbits") && json["orbits"].is_array();
    for (const Json& each : several ? json["orbits"] : Json::array({json}))
      stored.orbits.push_back(orbit_of(each, names, forcing_period));
    return stored;
  }
  for (const Json& point : json["points"]) stored.orbits.push_back(orbit_of(point, names, forcing_period));
  if (json.contains("special"))
    for (const Json& special : json["special"])
      for (StoredOrbit& orbit : stored.orbits)
        if (!orbit.label.empty() && orbit.label == special.at("label").get<std::string>() && special.contains("orbit"))
          orbit.orbit = planned_orbit(special["orbit"]);
  return stored;
}

/// Of `saltus orbit`: everything over the axis `orbit`, the state component by component.
StoredOrbits single_orbits(const ResultFile& file, StoredOrbits stored) {
  for (const Variable& variable : file.variables) {
    const bool component = variable.name.starts_with("at_");
    if (!component && variable.name != "returns") continue;
    const auto& values = std::get<std::vector<double>>(variable.values);
    stored.orbits.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      StoredOrbit& orbit = stored.orbits[i];
      if (!component) orbit.returns = std::max(1L, std::lround(values[i]));
      else orbit.x.conservativeResize(orbit.x.size() + 1);
      if (component) orbit.x[orbit.x.size() - 1] = values[i];
    }
  }
  return stored;
}

/// A NetCDF file holds the same as text: whole numbers and labels over `point`, orbits of special points as JSON.
StoredOrbits orbits_of(const ResultFile& file, const std::string& path) {
  StoredOrbits stored;
  stored.case_name = file.recipe.case_name;
  for (const auto& [name, value] : file.recipe.assignments) stored.assignments.push_back({name, value});
  const auto numbers = [&](const std::string& name) -> const std::vector<double>& {
    const Variable* variable = variable_named(file, name);
    if (!variable || !std::holds_alternative<std::vector<double>>(variable->values))
      throw unreadable(path, fmt::format("it has no variable '{}', so it is no branch of orbits", name));
    return std::get<std::vector<double>>(variable->values);
  };
  const auto texts = [&](const std::string& name) {
    const Variable* variable = variable_named(file, name);
    return variable && std::holds_alternative<std::vector<std::string>>(variable->values)
               ? std::get<std::vector<std::string>>(variable->values)
               : std::vector<std::string>{};
  };
  const bool alone = std::any_of(file.variables.begin(), file.variables.end(),
                                 [](const Variable& variable) { return variable.name.starts_with("at_"); });
  if (alone) return single_orbits(file, std::move(stored));
  const std::vector<double>& x = numbers("x");
  const std::vector<double>& returns = numbers("returns");
  const std::vector<double>& period = numbers("period");
  const std::vector<std::string> labels = texts("label");
  const std::vector<std::string> names = texts("parameter");
  const std::size_t points = returns.size();
  const std::size_t N = points > 0 ? x.size() / points : 0;
  for (std::size_t i = 0; i < points; ++i) {
    StoredOrbit orbit;
    orbit.names = names;
    for (const std::string& name : names) orbit.varied.push_back(numbers("value_" + name)[i]);
    orbit.x = Eigen::Map<const Vector>(x.data() + i * N, static_cast<Eigen::Index>(N));
    orbit.returns = std::max(1L, std::lround(returns[i]));
    orbit.period = period[i];
    if (i < labels.size()) orbit.label = labels[i];
    stored.orbits.push_back(std::move(orbit));
  }
  const std::vector<std::string> special = texts("special");
  const std::vector<std::string> orbits = texts("special_orbit");
  for (std::size_t k = 0; k < special.size() && k < orbits.size(); ++k)
    for (StoredOrbit& orbit : stored.orbits)
      if (orbit.label == special[k] && !orbits[k].empty()) orbit.orbit = planned_orbit(Json::parse(orbits[k]));
  return stored;
}

}  // namespace

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

PlannedOrbit planned_orbit(const Json& json) {
  PlannedOrbit orbit;
  orbit.t = json.at("t").get<double>();
  orbit.plan.periods = json.at("periods").get<long>();
  orbit.varied = json.at("varied").get<std::vector<double>>();
  for (const Json& each : json.at("segments")) {
    SegmentPlan plan;
    plan.mode = mode_of(each);
    const std::string name = each.at("end").get<std::string>();
    bool known = name == "section";  // of older files: a cut that is no event
    if (known) plan.end.kind = SegmentEnd::Kind::phase;
    for (std::size_t k = 0; k < std::size(end_names); ++k) {
      if (name != end_names[k]) continue;
      plan.end.kind = static_cast<SegmentEnd::Kind>(k);
      known = true;
    }
    if (!known) throw not_an_orbit(fmt::format("a segment ends with '{}', which is no event", printable(name)));
    plan.end.index = each.at("index").get<std::size_t>();
    plan.end.offset = each.at("offset").get<double>();
    plan.shift = vector_of(each.at("turns"));
    if (each.contains("chatter") && each["chatter"].is_number()) plan.chatter = each["chatter"].get<std::size_t>();
    if (each.contains("blows")) plan.end.blows = each["blows"].get<std::vector<std::vector<std::size_t>>>();
    if (each.contains("together")) plan.together = each["together"].get<bool>();
    orbit.plan.segments.push_back(std::move(plan));
    orbit.x.push_back(vector_of(each.at("x")));
    orbit.tau.push_back(each.at("duration").get<double>());
  }
  share_out(orbit);
  return orbit;
}

namespace {

/// What makes a segment impossible in this model; empty if nothing does.
std::string contradiction_of(const SegmentPlan& plan, const Vector& x, double tau, const Model& model) {
  const std::size_t contacts = model.contacts.size();
  const std::size_t switches = model.switches.size();
  const auto N = static_cast<Eigen::Index>(model.dimension());
  if (plan.mode.contacts().size() != contacts || plan.mode.switches().size() != switches)
    return fmt::format("its modes are not those of {} contacts and {} switches", contacts, switches);
  if (x.size() != N || plan.shift.size() != N) return fmt::format("a segment has not {} components", N);
  if (!x.allFinite() || !plan.shift.allFinite() || !std::isfinite(plan.end.offset)) return "a number is not finite";
  if (!(std::abs(tau) < 1e6)) return "a segment has no duration that could be followed";
  const bool of_contact = plan.end.kind == SegmentEnd::Kind::impact || plan.end.kind == SegmentEnd::Kind::release;
  if (is_event(plan.end) && plan.end.index >= (of_contact ? contacts : switches))
    return fmt::format("a segment ends at {} {}, which does not exist", of_contact ? "contact" : "switch",
                       plan.end.index);
  for (const std::vector<std::size_t>& blow : plan.end.blows)
    for (const std::size_t c : blow)
      if (c >= contacts) return fmt::format("an impact strikes contact {}, which does not exist", c);
  if (plan.chatter && *plan.chatter >= contacts)
    return fmt::format("a chatter is on contact {}, which does not exist", *plan.chatter);
  return "";
}

}  // namespace

void require_fitting(const StoredOrbit& stored, const Model& model, bool forced) {
  if (!stored.x.allFinite()) throw not_an_orbit("a number is not finite");
  if (static_cast<std::size_t>(stored.x.size()) != model.dimension())
    throw not_an_orbit(fmt::format("the orbit has {} components, the model {}\n  is it of another model?",
                                   stored.x.size(), model.dimension()));
  if (stored.returns > most_returns)
    throw not_an_orbit(fmt::format("an orbit of {} returns; at most {} are followed", stored.returns, most_returns));
  if (!stored.orbit) return;
  const PlannedOrbit& orbit = *stored.orbit;
  const std::vector<SegmentPlan>& segments = orbit.plan.segments;
  if (segments.empty()) throw not_an_orbit("an orbit has no segments");
  if ((orbit.plan.periods > 0) != forced || orbit.plan.periods < 0 || orbit.plan.periods > most_returns)
    throw not_an_orbit(fmt::format("an orbit of {} forcing periods", orbit.plan.periods));
  if (!std::isfinite(orbit.t)) throw not_an_orbit("a number is not finite");
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (const std::string found = contradiction_of(segments[i], orbit.x[i], orbit.tau[i], model); !found.empty())
      throw not_an_orbit(found);
}

StoredOrbits read_orbits(const std::string& path, double forcing_period) {
  if (path.ends_with(".nc")) return orbits_of(read_result(path), path);
  try {
    return orbits_of(Json::parse(text_of(path)), forcing_period);
  } catch (const Json::exception&) {
    throw unreadable(path,
                     "it is no result of 'saltus orbit' or 'saltus continue'\n"
                     "  expected a file written with --out orbit.json, branch.json or branch.nc");
  }
}

}  // namespace saltus
