#include "saltus/driver/motion_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/option_expression.hpp"
#include "saltus/driver/time_dependence.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/model/surface_jump.hpp"

namespace saltus {
namespace {

double positive(const char* option, double value) {
  if (value > 0.0 && std::isfinite(value)) return value;
  throw usage(fmt::format("{} {} is no length\n  expected a number above 0", option, six_digits(value)));
}

/// `units` of an analysis, forcing periods or time, are counted; beyond the digits of a number the steps within one are lost.
void require_countable(const char* option, double value, double units, double period) {
  constexpr double most = 1e12;
  if (units <= most) return;
  throw usage(fmt::format("{} {} is more than {:g} {}\n  expected a shorter run", option, six_digits(value), most,
                          period > 0.0 ? "forcing periods" : "units of time"));
}

Crossing direction_named(const std::string& name) {
  if (name.empty() || name == "up") return Crossing::up;
  if (name == "down") return Crossing::down;
  if (name == "both") return Crossing::both;
  throw usage(fmt::format("'{}' is no direction of a crossing\n  expected up, down or both", printable(name)));
}

MotionSurface surface_of(Expr expr, const std::string& text, Crossing direction, double modulo) {
  const std::string turns = modulo > 0.0 ? fmt::format(" (mod {})", six_digits(modulo)) : "";
  return {expr, {0, direction, modulo}, fmt::format("{} = 0{}, {}", text, turns, in_words(direction))};
}

void require_continuous(Expr surface, const std::string& text, const PreparedModel& prepared) {
  const Model& model = *prepared.model;
  std::map<std::string, double> values = {{"t", 0.0}};
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    values[model.parameters[i].name] = prepared.setup.parameters[i];
  const std::vector<std::string> components = model.component_names();
  for (std::size_t i = 0; i < components.size(); ++i) values[components[i]] = prepared.setup.initial[i];
  const auto jump = surface_jump(surface, model, [&](const std::string& name) { return values.at(name); });
  if (!jump) return;
  throw usage(
      fmt::format("⟨surface⟩ '{}' {}\n  expected a continuous expression, which is zero where it is crossed\n  {}",
                  printable(text), in_words(*jump), advice(*jump)));
}

}  // namespace

MotionLength motion_length(const HowLong& request, double period) {
  if (request.time && request.periods) throw usage("both ⟨time⟩ and ⟨periods⟩ are given\n  expected one of them");
  if (!request.time && !request.periods)
    throw usage(period > 0.0 ? "how long? neither ⟨time⟩ nor ⟨periods⟩ is given\n"
                               "  expected ⟨time⟩ T or ⟨periods⟩ N, such as ⟨periods⟩ 1000"
                             : "how long? ⟨time⟩ is not given\n  expected ⟨time⟩ T, such as ⟨time⟩ 1000");
  if (request.periods && period == 0.0)
    throw usage("⟨periods⟩ counts forcing periods, and the model has no [forcing]\n  use ⟨time⟩ T instead");
  if (!(request.transient >= 0.0) || !std::isfinite(request.transient))
    throw usage(fmt::format("⟨transient⟩ {} is no length\n  expected 0 or more, in the unit of ⟨time⟩ or ⟨periods⟩",
                            six_digits(request.transient)));
  const double unit = !request.periods && period > 0.0 ? period : 1.0;
  const char* const option = request.periods ? "⟨periods⟩" : "⟨time⟩";
  const double asked = request.periods ? *request.periods : *request.time;
  const MotionLength length{request.transient / unit, positive(option, asked) / unit};
  require_countable("⟨transient⟩", request.transient, length.transient, period);
  require_countable(option, asked, length.length, period);
  return length;
}

void require_surface(const WhichSection& request) {
  if (request.surface.empty() && (!request.direction.empty() || !request.modulo.empty()))
    throw usage("the direction of a crossing and ⟨modulo⟩ belong to a surface\n  add ⟨surface⟩ EXPRESSION");
}

std::optional<MotionSurface> motion_surface(const WhichSection& request, const PreparedModel& prepared) {
  require_surface(request);
  if (request.surface.empty()) {
    const auto& section = prepared.model->section;
    if (!section) return std::nullopt;
    const double modulo = section->modulo ? number(prepared, section->modulo->expr) : 0.0;
    return surface_of(section->surface.expr, printed(section->surface.expr), section->direction, modulo);
  }
  const Model& model = *prepared.model;
  const Expr expr = option_expression("⟨surface⟩", request.surface, model);
  require_continuous(expr, request.surface, prepared);
  double modulo = 0.0;
  if (!request.modulo.empty()) {
    modulo =
        number(prepared, option_expression("⟨modulo⟩", request.modulo, model, parameters_of(model), "a parameter"));
    if (!(modulo > 0.0) || !std::isfinite(modulo))
      throw usage(
          fmt::format("⟨modulo⟩ {} is no period\n  expected a number above 0, such as 2*pi", six_digits(modulo)));
  }
  return surface_of(expr, request.surface, direction_named(request.direction), modulo);
}

std::vector<Diagnostic> motion_warnings(const HowLong& request, const PreparedModel& prepared) {
  std::vector<Diagnostic> warnings;
  const double length = request.periods.value_or(request.time.value_or(0.0));
  if (request.transient > length)
    warnings.push_back({Severity::warning,
                        {},
                        fmt::format("the transient of {0} is longer than the {1} that are measured after it",
                                    six_digits(request.transient), six_digits(length)),
                        "",
                        said("make ⟨time⟩ or ⟨periods⟩ longer: the transient comes on top of it"),
                        {}});
  if (const auto doubt = doubtful_time(prepared)) warnings.push_back(*doubt);
  return warnings;
}

Vector initial_state(const PreparedModel& prepared) {
  const std::vector<double>& x = prepared.setup.initial;
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

std::size_t contact_named(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const Contact& contact : model.contacts) names.push_back(contact.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string hint = did_you_mean(name, names);
  throw usage(fmt::format("the model has no contact '{}'\n  expected {}{}", printable(name),
                          names.empty() ? "a model with contacts" : listed(names), hint.empty() ? "" : "\n  " + hint));
}

std::string_view in_words(Crossing direction) {
  switch (direction) {
    case Crossing::up: return "upwards";
    case Crossing::down: return "downwards";
    case Crossing::both: return "both ways";
  }
  return "";
}

}  // namespace saltus
