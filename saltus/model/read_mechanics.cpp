#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/text.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/model/check.hpp"
#include "saltus/model/mechanics.hpp"
#include "saltus/model/model_reader.hpp"

namespace saltus {

void ModelReader::read_mechanics() {
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

void ModelReader::report_mixture(const TomlValue& mechanics, bool by_energies) {
  const Keys strangers = by_energies ? Keys{"mass", "force"} : Keys{"potential", "dissipation", "applied"};
  for (const TomlEntry& entry : mechanics.entries) {
    if (std::find(strangers.begin(), strangers.end(), entry.key) == strangers.end()) continue;
    error(entry.key_span,
          by_energies ? fmt::format("'{}' cannot stand beside the kinetic energy", entry.key)
                      : fmt::format("'{}' needs a kinetic energy beside it", entry.key),
          "mass and force, or kinetic, potential, dissipation and applied");
  }
}

SourceSpan ModelReader::key_span(const std::string& name) const {
  for (const TomlEntry& entry : root_.entries)
    if (entry.key == name) return entry.key_span;
  return {document_.source(), 0, 0, 0};
}

void ModelReader::read_mass(const TomlValue& mechanics) {
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

void ModelReader::read_force(const TomlValue& mechanics) {
  if (mechanics.find("force")) {
    model_->force = read_per_name(mechanics, "force", model_->coordinates);
  } else if (mechanics.find("mass") && !has_or_means(mechanics, "force")) {
    error(key_span("mechanics"), "[mechanics] has a mass but no force", "force = [\"…\"], one for each coordinate");
  }
}

void ModelReader::read_energies(const TomlValue& mechanics) {
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

void ModelReader::derive_equations() {
  const Energies& energies = *model_->energies;
  try {
    const EquationsOfMotion equations = euler_lagrange(energies, model_->q, model_->v, model_->t);
    for (const Expr& entry : equations.mass) model_->mass.push_back({without_velocities(entry), energies.kinetic.span});
    for (std::size_t i = 0; i < equations.force.size(); ++i)
      model_->force.push_back(
          {equations.force[i], energies.applied.empty() ? energies.kinetic.span : energies.applied[i].span});
  } catch (const GraphLimit& limit) {
    error(energies.kinetic.span, limit.what(), "energies whose derivatives are smaller");
    throw ReadingAbandoned();
  }
}

Expr ModelReader::without_velocities(Expr entry) {
  const std::vector<Expr> zeros(model_->v.size(), graph_->constant(0.0));
  const Expr at_rest = substitute(entry, model_->v, zeros);
  return equal_somewhere(entry, at_rest).value_or(false) ? at_rest : entry;
}

void ModelReader::read_rates(const TomlValue& mechanics) {
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

void ModelReader::read_hill() {
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

const TomlValue* ModelReader::required(const TomlValue& table, const std::string& key, const std::string& where,
                                       const std::string& expected) {
  const TomlValue* value = table.find(key);
  if (!has_or_means(table, key)) error(table.span, fmt::format("{} has no '{}'", where, key), expected);
  return value;
}

}  // namespace saltus
