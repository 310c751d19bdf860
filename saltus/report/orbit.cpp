#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/numerics/vectors.hpp"
#include "saltus/report/drift.hpp"
#include "saltus/report/event.hpp"
#include "saltus/report/orbit_quantities.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

std::vector<double> numbers(const Vector& x) { return {x.data(), x.data() + x.size()}; }

constexpr std::size_t most_steps_shown = 60;

std::vector<std::string> closed_contacts(const OrbitResult& result, const Mode& mode) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < mode.contacts().size(); ++i)
    if (mode.is_closed(i)) names.push_back(result.prepared.model->contacts[i].name);
  return names;
}

/// "4 segments", "10 elements of degree 3".
std::string pieces_text(const OrbitResult& result, const PeriodicOrbit& orbit) {
  if (!result.elements) return counted(static_cast<long>(orbit.segments()), "segment", "segments");
  const TimeElementOptions& options = result.elements->options();
  return fmt::format("{} of degree {}", counted(static_cast<long>(options.elements), "element", "elements"),
                     options.degree);
}

std::string returns_text(const OrbitResult& result, long returns) {
  if (result.p.period > 0.0) return counted(returns, "forcing period", "forcing periods");
  if (returns == 0) return "autonomous";
  return counted(returns, "return to the section", "returns to the section");
}

/// "phi turns 2 times", in the angle's own period; what it gains where it has none of its own, as where only a sum of angles has one.
std::string turns_text(const OrbitResult& result, const PeriodicOrbit& orbit) {
  const std::vector<std::string> names = result.prepared.model->component_names();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double gain = orbit.turns[index(i)];
    if (gain == 0.0) continue;
    const double full = 2.0 * std::numbers::pi;
    const double own = orbit.mesh.translations.period(index(i));
    const double turn = own > 0.0 ? own : full;
    const double count = gain / turn;
    const std::string unusual = std::abs(turn - full) > 1e-9 * full ? fmt::format(" of {}", six_digits(turn)) : "";
    if (std::abs(count - std::round(count)) < 1e-9)
      parts.push_back(fmt::format("{} turns {} times{}", names[i], std::lround(count), unusual));
    else parts.push_back(fmt::format("{} gains {}", names[i], six_digits(gain)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string complex_text(const std::complex<double>& z) {
  if (z.imag() == 0.0) return fmt::format("{:.10g}", z.real());
  return fmt::format("{:.10g} {} {:.10g}i", z.real(), z.imag() < 0.0 ? "-" : "+", std::abs(z.imag()));
}

std::string remark(const Multiplier& m) {
  if (!m.resolved) return "not resolved: smaller than errors of the tangent";
  if (m.annihilated) return "annihilated by contact";
  if (m.cyclic) return "trivial: along a cyclic coordinate";
  return m.trivial ? "trivial: along the motion" : "";
}

std::vector<std::string> multiplier_lines(const std::vector<Multiplier>& multipliers) {
  std::vector<std::vector<std::string>> rows;
  for (const Multiplier& m : multipliers) {
    if (!m.resolved && !std::isfinite(m.log_abs)) {
      rows.push_back({"0", "", remark(m)});
      continue;
    }
    const bool underflows = m.value == 0.0 && !m.annihilated;
    rows.push_back({underflows ? "0" : complex_text(m.value),
                    underflows ? fmt::format("modulus 1e{:.0f}", std::floor(m.log_abs / std::numbers::ln10))
                               : fmt::format("modulus {}", six_digits(std::abs(m.value)))});
    if (const std::string text = remark(m); !text.empty()) rows.back().push_back(text);
  }
  return aligned(rows);
}

/// The largest that is not trivial.
double leading(const PeriodicOrbit& orbit) {
  double largest = 0.0;
  for (const Multiplier& m : orbit.multipliers)
    if (!m.trivial) largest = std::max(largest, std::abs(m.value));
  return largest;
}

std::string symmetry_text(const OrbitResult& result, const PeriodicOrbit& orbit) {
  switch (orbit.symmetry) {
    case OrbitSymmetry::symmetric: return "x(t + T/2) = -x(t)";
    case OrbitSymmetry::mirror_pair:
      return result.p.period > 0.0 ? "one of a pair: -x(t + half a forcing period) is an orbit, too"
                                   : "one of a pair: -x(t) is an orbit, too";
    case OrbitSymmetry::none: return "none";
  }
  return "";
}

std::vector<std::string> state_lines(const OrbitResult& result, const Vector& x) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> names = result.prepared.model->component_names();
  for (std::size_t i = 0; i < names.size(); ++i) rows.push_back({names[i], "= " + fmt::format("{:.12g}", x[index(i)])});
  return aligned(rows);
}

std::string stable_text(const PeriodicOrbit& orbit) {
  switch (orbit.stability) {
    case Stability::stable: return "yes";
    case Stability::unstable: return "no";
    case Stability::neutral: return "neutral";
  }
  return "";
}

std::string single_text(const OrbitResult& result) {
  const PeriodicOrbit& orbit = result.orbits.front().orbit;
  std::string period = fmt::format("{:.12g}, {}", orbit.period, returns_text(result, orbit.returns));
  if (result.search.reduced_from > 0)
    period += fmt::format(" (asked for {}: it closes already after {})", result.search.reduced_from, orbit.returns);
  const std::string turns = turns_text(result, orbit);
  std::vector<Labelled> blocks = {
      {"period", {period}},
      {"sequence", {sequence_text(orbit.sequence, *result.prepared.model)}},
      {"stable",
       {fmt::format("{}: the largest multiplier has modulus {}", stable_text(orbit), six_digits(leading(orbit)))}},
      {"multipliers", multiplier_lines(orbit.multipliers)},
      {result.section == "strobe" ? "at strobe"
       : result.section.empty()   ? "passes"
                                  : "at section",
       state_lines(result, orbit.x)},
      {"closed there", closed_contacts(result, orbit.mode)},
      {"symmetry", {symmetry_text(result, orbit)}}};
  if (!turns.empty()) blocks.push_back({"turns", {turns}});
  const std::string drift = drift_text(*result.prepared.model, orbit.drift);
  if (!drift.empty()) blocks.push_back({"drift", {drift}});
  blocks.push_back({"residual",
                    {fmt::format("{:.1e}, condition of the Jacobian {:.1e}, {}", orbit.residual, orbit.condition,
                                 pieces_text(result, orbit))}});
  return labelled_text(blocks);
}

std::string several_text(const OrbitResult& result) {
  if (result.orbits.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"returns", "period", "stable", "|multiplier|", "starts", "sequence"}};
  for (const std::string& name : result.prepared.model->component_names()) rows.front().push_back(name);
  for (const FoundOrbit& found : result.orbits) {
    const PeriodicOrbit& orbit = found.orbit;
    rows.push_back({std::to_string(orbit.returns), six_digits(orbit.period), stable_text(orbit),
                    six_digits(leading(orbit)), std::to_string(found.starts.size()),
                    sequence_text(orbit.sequence, *result.prepared.model)});
    for (const double value : orbit.x) rows.back().push_back(six_digits(value));
  }
  const long unstable = std::count_if(result.orbits.begin(), result.orbits.end(), [](const FoundOrbit& found) {
    return found.orbit.stability == Stability::unstable;
  });
  std::string text = fmt::format("{} from {}, {} of them unstable\n\n",
                                 counted(static_cast<long>(result.orbits.size()), "orbit", "orbits"),
                                 counted(static_cast<long>(result.tried), "start", "starts"), unstable);
  for (const std::string& line : aligned(rows)) text += line + "\n";
  return text;
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

Json multipliers_json(const std::vector<Multiplier>& multipliers) {
  Json list = Json::array();
  for (const Multiplier& m : multipliers)
    list.push_back({{"re", json_number(m.value.real())},
                    {"im", json_number(m.value.imag())},
                    {"abs", json_number(std::abs(m.value))},
                    {"log_abs", m.annihilated ? Json(nullptr) : json_number(m.log_abs)},
                    {"trivial", m.trivial},
                    {"cyclic", m.cyclic},
                    {"annihilated", m.annihilated},
                    {"resolved", m.resolved}});
  return list;
}

void add_orbit(Json& json, const OrbitResult& result, const PeriodicOrbit& orbit) {
  const Model& model = *result.prepared.model;
  json["x"] = json_numbers(numbers(orbit.x));
  json["active"] = closed_contacts(result, orbit.mode);
  json["period"] = json_number(orbit.period);
  json["drift"] = drift_json(model, orbit.drift);
  json["returns"] = orbit.returns;
  json["multipliers"] = multipliers_json(orbit.multipliers);
  json["stable"] = orbit.stable;
  json["stability"] = name_of(orbit.stability);
  json["sequence"] = sequence_text(orbit.sequence, model);
  json["residual"] = json_number(orbit.residual);
  json["condition"] = json_number(orbit.condition);
  if (result.elements) {
    json["elements"] = result.elements->options().elements;
    json["degree"] = result.elements->options().degree;
  } else {
    json["segments"] = orbit.segments();
  }
  json["symmetry"] = name_of(orbit.symmetry);
  json["turns"] = json_numbers(numbers(orbit.turns));
  Json points = Json::array();
  for (const Vector& point : orbit.points) points.push_back(json_numbers(numbers(point)));
  json["points"] = std::move(points);
  Json events = Json::array();
  for (const Event& event : orbit.events) events.push_back(event_json(model, event));
  json["events"] = std::move(events);
}

/// The same keys where there is no orbit, with the last point of the search.
void add_last_point(Json& json, const OrbitResult& result) {
  const ShootingResult& shooting = result.search.shooting;
  Vector x = result.search.last;
  if (x.size() == 0) x = result.stopped ? result.stopped->x : initial_state(result.prepared);
  json["x"] = json_numbers(numbers(x));
  json["period"] = nullptr;
  json["drift"] = nullptr;
  json["multipliers"] = Json::array();
  json["stable"] = nullptr;
  json["stability"] = nullptr;
  json["sequence"] = shooting.steps.empty()
                         ? Json(nullptr)
                         : Json(sequence_text(shooting.steps.back().sequence, *result.prepared.model));
  json["residual"] = shooting.steps.empty() ? Json(nullptr) : json_number(shooting.steps.back().error);
}

Json steps_json(const OrbitResult& result) {
  Json steps = Json::array();
  for (const NewtonStep& step : result.search.shooting.steps)
    steps.push_back({{"residual", json_number(step.error)},
                     {"damping", json_number(step.damping)},
                     {"sequence", sequence_text(step.sequence, *result.prepared.model)}});
  return steps;
}

Json parameters_json(const OrbitResult& result) {
  Json json = Json::object();
  const Model& model = *result.prepared.model;
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    json[model.parameters[i].name] = json_number(result.p.inputs[i]);
  return json;
}

}  // namespace

std::string to_text(const OrbitResult& result) {
  if (result.orbits.empty()) return "";
  return is_single(result) ? single_text(result) : several_text(result);
}

std::string report_text(const OrbitResult& result) {
  if (!is_single(result)) return "";
  if (result.elements)
    return fmt::format("\n{} of Newton\n", counted(result.element_orbit.iterations, "iteration", "iterations"));
  std::vector<std::vector<std::string>> rows = {{"step", "residual", "damping", "sequence"}};
  const std::vector<NewtonStep>& steps = result.search.shooting.steps;
  for (std::size_t i = 0; i < steps.size() && i < most_steps_shown; ++i)
    rows.push_back({std::to_string(i), fmt::format("{:.1e}", steps[i].error), six_digits(steps[i].damping),
                    sequence_text(steps[i].sequence, *result.prepared.model)});
  std::string text = "\n";
  for (const std::string& line : aligned(rows)) text += line + "\n";
  return text;
}

Json to_json(const OrbitResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  Json json = {{"command", "orbit"},
               {"model", prepared.file},
               {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
               {"title", prepared.model->title},
               {"method", name_of(result.request.orbit_method)},
               {"section", result.section.empty() ? Json(nullptr) : Json(result.section)},
               {"complete", exit_code(result) == ExitCode::done},
               {"message", message.empty() ? Json(nullptr) : Json(message)},
               {"components", prepared.model->component_names()},
               {"forcing_period", result.p.period > 0.0 ? json_number(result.p.period) : Json(nullptr)},
               {"parameters", parameters_json(result)}};
  if (!result.orbits.empty()) add_orbit(json, result, result.orbits.front().orbit);
  else add_last_point(json, result);
  if (is_single(result)) {
    json["steps"] = steps_json(result);
  } else {
    json["starts"] = result.tried;
    json["seed"] = result.request.seed;
    Json orbits = Json::array();
    for (const FoundOrbit& found : result.orbits) {
      Json each = {{"starts", found.starts.size()}};
      add_orbit(each, result, found.orbit);
      orbits.push_back(std::move(each));
    }
    json["orbits"] = std::move(orbits);
  }
  if (is_single(result) && result.request.samples > 1 && !result.orbits.empty()) {
    const std::vector<std::string> names = quantity_names(*prepared.model);
    Json samples = {{"t", Json::array()}};
    for (const std::string& name : names) samples[name] = Json::array();
    for (const Sample& sample : orbit_samples(result, result.orbits.front().orbit, result.request.samples - 1)) {
      samples["t"].push_back(json_number(sample.t));
      const std::vector<double> row = quantities(result, phase_of(result, sample.t), sample.x);
      for (std::size_t i = 0; i < names.size(); ++i) samples[names[i]].push_back(json_number(row[i]));
    }
    json["samples"] = std::move(samples);
  }
  json["diagnostics"] = json_diagnostics(result.warnings());
  return json;
}

}  // namespace saltus
