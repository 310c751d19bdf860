#include "saltus/driver/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"

namespace saltus {
namespace {

constexpr std::size_t fewest_points = 9;  // that can repeat: see recurrence_period

std::size_t contact_named(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const Contact& contact : model.contacts) names.push_back(contact.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string hint = did_you_mean(name, names);
  throw Error(ExitCode::usage,
              fmt::format("the model has no contact '{}'\n  expected {}{}", printable(name),
                          names.empty() ? "a model with contacts" : listed(names), hint.empty() ? "" : "\n  " + hint));
}

/// Where to look, with the surface that the kernels must know.
struct Chosen {
  SectionPlace place;
  std::vector<Expr> surfaces;
  std::string text;
};

Chosen chosen(const SectionRequest& request, const PreparedModel& prepared) {
  if (!request.at_impacts.empty()) {
    if (!request.surface.empty())
      throw Error(ExitCode::usage, "both --surface and --at-impacts are given\n  expected one of them");
    const std::size_t contact = contact_named(*prepared.model, request.at_impacts);
    return {{SectionPlace::Kind::impacts, {}, contact}, {}, fmt::format("impacts of '{}'", request.at_impacts)};
  }
  if (prepared.setup.forcing_period > 0.0 && request.surface.empty() && request.direction.empty() &&
      request.modulo.empty())
    return {{SectionPlace::Kind::strobe, {}, 0}, {}, "strobe"};
  const auto surface = motion_surface(request, prepared);
  if (!surface)
    throw Error(ExitCode::usage,
                "the model has neither a forcing period nor a section\n"
                "  add [section] to the model, or --surface EXPRESSION, or --at-impacts CONTACT");
  return {{SectionPlace::Kind::surface, surface->watch, 0}, {surface->expr}, surface->text};
}

std::vector<double> row_of(const SectionPoint& point, const Mechanism& mechanism, const Model& model) {
  std::vector<double> row(point.x.data(), point.x.data() + point.x.size());
  if (model.observables.empty()) return row;
  const Vector observed = mechanism.observe(point.t, point.x);
  row.insert(row.end(), observed.data(), observed.data() + observed.size());
  return row;
}

}  // namespace

SectionResult run(const SectionRequest& request) {
  SectionResult result{.prepared = prepared(request), .request = request};
  const Model& model = *result.prepared.model;
  if (model.hill)
    throw Error(ExitCode::usage, "a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  const Setup& setup = result.prepared.setup;
  const Chosen at = chosen(request, result.prepared);
  const MotionLength length = motion_length(request, setup.forcing_period);
  result.place = at.text;
  SectionOptions options;
  options.place = at.place;
  options.transient = length.transient;
  options.length = length.length;
  options.flow = flow_options(result.prepared, request.options, request.method);
  options.interrupted = request.interrupted;
  options.progress = request.progress;
  KernelOptions wanted;
  wanted.state_columns = 0;
  wanted.surfaces = at.surfaces;
  for (const Observable& observable : model.observables) wanted.observables.push_back(observable.value.expr);
  const Kernels kernels(model, wanted);
  result.section =
      section_points(kernels, initial_state(result.prepared), setup.parameters, setup.forcing_period, options);
  result.columns = model.component_names();
  for (const Observable& observable : model.observables) result.columns.push_back(observable.name);
  const Mechanism mechanism(kernels, setup.parameters);
  for (const SectionPoint& point : result.section.points) result.rows.push_back(row_of(point, mechanism, model));
  return result;
}

std::string stop_message(const SectionResult& result) {
  const SectionPoints& section = result.section;
  const double t = section.end.t.absolute(result.prepared.setup.forcing_period);
  if (section.outcome != Outcome::reached_end)
    return stop_message(result.prepared, {section.outcome, t, section.end, section.contacts, section.message});
  if (!section.points.empty()) return "";
  return fmt::format(
      "{}: the section was never met until t = {}: {}\n"
      "  make the run longer, or choose another surface with --surface EXPRESSION or --at-impacts CONTACT\n",
      result.prepared.file, six_digits(t), result.place);
}

ExitCode exit_code(const SectionResult& result) {
  if (result.section.outcome != Outcome::reached_end) return exit_code_of(result.section.outcome);
  return result.section.points.empty() ? ExitCode::stopped_early : ExitCode::done;
}

std::string verdict(const SectionResult& result) {
  if (result.section.period) return "periodic";
  return result.section.points.size() < fewest_points ? "undecided" : "not periodic";
}

std::string reason(const SectionResult& result) {
  const std::size_t count = result.section.points.size();
  if (result.section.period) return fmt::format("the last points of {} repeat after {}", count, *result.section.period);
  if (count < fewest_points) return fmt::format("{} points are too few to see them repeat", count);
  // max(3k, 8) + k points can repeat after k.
  const std::size_t longest =
      std::min(SectionOptions{}.longest_period, std::max(count / 4, std::min<std::size_t>(2, count - 8)));
  return fmt::format(
      "no period up to {} in {} points: quasi-periodic, chaotic, a longer period or a transient that is too short",
      longest, count);
}

std::string to_csv(const SectionResult& result) {
  std::string text = fmt::format("t,{}\n", fmt::join(result.columns, ","));
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    text += shortest(result.section.points[i].t);
    for (const double value : result.rows[i]) text += "," + shortest(value);
    text += "\n";
  }
  return text;
}

Json to_json(const SectionResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  Json points = Json::array();
  std::vector<double> times;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    points.push_back(json_numbers(result.rows[i]));
    times.push_back(result.section.points[i].t);
  }
  return {{"command", "section"},
          {"model", prepared.file},
          {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
          {"title", prepared.model->title},
          {"section", result.place},
          {"verdict", verdict(result)},
          {"reason", reason(result)},
          {"period", result.section.period ? Json(*result.section.period) : Json(nullptr)},
          {"outcome", name_of(result.section.outcome)},
          {"message", message.empty() ? Json(nullptr) : Json(message)},
          {"columns", result.columns},
          {"times", json_numbers(times)},
          {"points", std::move(points)},
          {"diagnostics", json_diagnostics(result.warnings())}};
}

}  // namespace saltus
