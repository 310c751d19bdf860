#include "saltus/report/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/numerics/vectors.hpp"
#include "saltus/report/event.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

std::vector<std::string> closed_contacts(const SimulateResult& result) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < result.prepared.model->contacts.size(); ++i)
    if (result.flow.end.mode.is_closed(i)) names.push_back(result.prepared.model->contacts[i].name);
  return names;
}

// ---- text ----------------------------------------------------------------------------------------------------------

std::string counted(long count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string event_counts(const Ledger& ledger) {
  std::vector<std::string> parts;
  const auto add = [&](long count, const char* one, const char* many) {
    if (count > 0) parts.push_back(counted(count, one, many));
  };
  add(ledger.impacts, "impact", "impacts");
  add(ledger.chatters, "completed chatter", "completed chatters");
  add(ledger.slides, "start of sliding", "starts of sliding");
  add(ledger.switches, "switch", "switches");
  add(ledger.grazings, "grazing", "grazings");
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> final_lines(const SimulateResult& result) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> names = result.prepared.model->component_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({names[i], "= " + fmt::format("{:.10g}", result.flow.end.x[index(i)])});
  return aligned(rows);
}

std::string outcome_line(const SimulateResult& result) {
  const std::string t = fmt::format("{:.10g}", result.t_end());
  if (result.complete()) return "reached t = " + t;
  return fmt::format("{}: stopped at t = {}", name_of(result.flow.outcome), t);
}

std::vector<std::string> event_lines(const SimulateResult& result) {
  const Model& model = *result.prepared.model;
  std::vector<std::vector<std::string>> rows = {{"t", "kind", "at", "approach", "departure", "impulse"}};
  for (const Event& event : result.flow.events) {
    const bool impact = event.kind == EventKind::impact || event.kind == EventKind::chatter;
    const std::string at = contact_name(model, event) + switch_name(model, event);
    rows.push_back({fmt::format("{:.12g}", event.t), std::string(name_of(event.kind)), at});
    if (impact)
      for (const double value : {event.gamma_minus, event.gamma_plus, event.impulse})
        rows.back().push_back(six_digits(value));
  }
  return aligned(rows);
}

std::vector<std::string> sample_lines(const SimulateResult& result) {
  const std::vector<SampleColumn> columns = sample_columns(result);
  std::vector<std::vector<std::string>> rows = {{"t"}};
  for (const SampleColumn& column : columns) rows.front().push_back(column.name);
  for (std::size_t k = 0; k < result.flow.samples.size(); ++k) {
    rows.push_back({fmt::format("{:.10g}", result.flow.samples[k].t)});
    for (const SampleColumn& column : columns) rows.back().push_back(fmt::format("{:.10g}", column.values[k]));
  }
  return aligned(rows);
}

std::vector<std::string> report_lines(const SimulateResult& result) {
  const Ledger& ledger = result.flow.ledger;
  std::vector<std::vector<std::string>> rows = {{"steps", std::to_string(ledger.steps)},
                                                {"rejected steps", std::to_string(ledger.rejected)},
                                                {"worst penetration", six_digits(ledger.worst_penetration)},
                                                {"  nowhere more than", six_digits(ledger.penetration_bound)}};
  const double left_over = ledger.energy_change - ledger.energy_work - ledger.energy_impacts;
  rows.push_back({"kinetic energy, change", six_digits(ledger.energy_change)});
  rows.push_back({"  by forces", six_digits(ledger.energy_work)});
  rows.push_back({"  by impacts", six_digits(ledger.energy_impacts)});
  rows.push_back({"  left over", fmt::format("{:.0e}", left_over)});
  for (std::size_t i = 0; i < result.prepared.model->contacts.size(); ++i) {
    const std::string name = "'" + result.prepared.model->contacts[i].name + "'";
    const auto row = [&](const std::string& what, double value) {
      if (std::isfinite(value)) rows.push_back({what + name, six_digits(value)});
    };
    row("slowest impact at ", ledger.smallest_gamma[i]);
    row("closest miss of ", ledger.closest_miss[i]);
    row("no nearer miss of ", ledger.closest_miss_bound[i]);
    if (ledger.sliding_time[i] > 0.0) row("time in contact with ", ledger.sliding_time[i]);
  }
  return aligned(rows);
}

std::string block(const std::vector<std::string>& lines) {
  std::string text = "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

Json final_json(const SimulateResult& result) {
  const std::size_t n = result.prepared.model->n();
  const Vector& x = result.flow.end.x;
  Json final = {{"t", json_number(result.t_end())},
                {"q", json_numbers(part(x, 0, n))},
                {"v", json_numbers(part(x, n, n))},
                {"active", closed_contacts(result)}};
  if (!result.prepared.model->states.empty())
    final["z"] = json_numbers(part(x, 2 * n, result.prepared.model->states.size()));
  return final;
}

Json or_null(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

Json per_contact(const Model& model, const std::vector<double>& values) {
  Json object = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i)
    object[model.contacts[i].name] = std::isfinite(values[i]) ? Json(values[i]) : Json(nullptr);
  return object;
}

Json report_json(const SimulateResult& result) {
  const Ledger& ledger = result.flow.ledger;
  const Model& model = *result.prepared.model;
  return {{"steps", ledger.steps},
          {"rejected", ledger.rejected},
          {"impacts", ledger.impacts},
          {"chatters", ledger.chatters},
          {"slides", ledger.slides},
          {"switches", ledger.switches},
          {"grazings", ledger.grazings},
          {"worst_penetration", json_number(ledger.worst_penetration)},
          {"penetration_bound", json_number(ledger.penetration_bound)},
          {"energy",
           {{"change", json_number(ledger.energy_change)},
            {"work", json_number(ledger.energy_work)},
            {"impacts", json_number(ledger.energy_impacts)},
            {"impact_residual", json_number(ledger.energy_residual)}}},
          {"closest_miss", per_contact(model, ledger.closest_miss)},
          {"closest_miss_bound", per_contact(model, ledger.closest_miss_bound)},
          {"smallest_gamma", per_contact(model, ledger.smallest_gamma)},
          {"sliding_time", per_contact(model, ledger.sliding_time)}};
}

Json samples_json(const SimulateResult& result) {
  std::vector<double> t;
  for (const Sample& sample : result.flow.samples) t.push_back(sample.t);
  Json json = {{"t", json_numbers(t)}};
  for (const SampleColumn& column : sample_columns(result)) json[column.name] = json_numbers(column.values);
  return json;
}

// ---- file ----------------------------------------------------------------------------------------------------------

Recipe recipe_of(const SimulateResult& result) {
  const SimulateRequest& request = result.request;
  Recipe recipe = recipe_of("simulate", request, result.prepared, result.options);
  if (request.time) recipe.settings.emplace_back("time", shortest(*request.time));
  if (request.periods) recipe.settings.emplace_back("periods", std::to_string(*request.periods));
  return recipe;
}

/// Variables over the axis `event`.
class EventVariables {
 public:
  explicit EventVariables(const SimulateResult& result) : result_(result) {}

  void add(const std::string& name, const std::string& long_name, const std::function<double(const Event&)>& value) {
    std::vector<double> values;
    for (const Event& event : result_.flow.events) values.push_back(value(event));
    variables.push_back({"event_" + name, long_name, "", {"event"}, std::move(values)});
  }
  void add_text(const std::string& name, const std::string& long_name,
                const std::function<std::string(const Event&)>& text) {
    std::vector<std::string> texts;
    for (const Event& event : result_.flow.events) texts.push_back(text(event));
    variables.push_back({"event_" + name, long_name, "", {"event"}, std::move(texts)});
  }
  std::vector<Variable> variables;

 private:
  const SimulateResult& result_;
};

std::vector<Variable> event_variables(const SimulateResult& result) {
  const Model& model = *result.prepared.model;
  EventVariables events(result);
  events.add("t", "time of the event", [](const Event& e) { return e.t; });
  events.add_text("kind", "kind of the event", [](const Event& e) { return std::string(name_of(e.kind)); });
  events.add_text("at", "contact or switching surface",
                  [&](const Event& e) { return contact_name(model, e) + switch_name(model, e); });
  events.add("gamma_minus", "rate of the gap just before", [](const Event& e) { return e.gamma_minus; });
  events.add("gamma_plus", "rate of the gap just after", [](const Event& e) { return e.gamma_plus; });
  events.add("impulse", "contact impulse", [](const Event& e) { return e.impulse; });
  const std::vector<std::string> names = model.component_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool jumps = i >= model.n() && i < 2 * model.n();
    if (jumps)
      events.add(names[i] + "_minus", names[i] + " just before", [i](const Event& e) { return e.x_minus[index(i)]; });
    events.add(names[i] + (jumps ? "_plus" : ""), names[i] + (jumps ? " just after" : " at the event"),
               [i](const Event& e) { return e.x_plus[index(i)]; });
  }
  return std::move(events.variables);
}

}  // namespace

std::vector<SampleColumn> sample_columns(const SimulateResult& result) {
  const Model& model = *result.prepared.model;
  const std::vector<std::string> names = model.component_names();
  const std::vector<Sample>& samples = result.flow.samples;
  std::vector<SampleColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* kind = i < model.n() ? "coordinate " : i < 2 * model.n() ? "velocity " : "state ";
    columns.push_back({names[i], kind + names[i], {}});
    for (const Sample& sample : samples) columns.back().values.push_back(sample.x[index(i)]);
  }
  const Mechanism mechanism(*result.kernels, result.prepared.setup.parameters);
  const std::size_t observed = columns.size();
  for (const Observable& observable : model.observables)
    columns.push_back({observable.name, "observable " + observable.name, {}});
  // An observable of the model may bear the name that ours would have.
  const auto free_name = [&](std::string name) {
    const auto is_taken = [&](const SampleColumn& column) { return column.name == name; };
    while (std::any_of(columns.begin(), columns.end(), is_taken)) name += "_";
    return name;
  };
  const std::size_t gaps = columns.size();
  for (const Contact& contact : model.contacts)
    columns.push_back({free_name("gap_" + contact.name), "gap of contact " + contact.name, {}});
  const std::size_t forces = columns.size();
  for (const Contact& contact : model.contacts)
    columns.push_back({free_name("force_" + contact.name), "force of contact " + contact.name, {}});
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    if (!model.observables.empty()) {
      const Vector values = mechanism.observe(sample.t, sample.x);
      for (std::size_t i = 0; i < model.observables.size(); ++i)
        columns[observed + i].values.push_back(values[index(i)]);
    }
    if (model.contacts.empty()) continue;
    const Vector h = mechanism.contact(result.sample_times[k].phase, sample.x, sample.mode).h;
    for (std::size_t i = 0; i < model.contacts.size(); ++i) {
      columns[gaps + i].values.push_back(h[index(i)]);
      columns[forces + i].values.push_back(sample.force[index(i)]);
    }
  }
  return columns;
}

std::string to_text(const SimulateResult& result, const SimulateText& wanted) {
  std::string text = labelled_text({{"outcome", {outcome_line(result)}},
                                    {"events", {event_counts(result.flow.ledger)}},
                                    {"final", final_lines(result)},
                                    {"closed", closed_contacts(result)}});
  if (wanted.events && !result.flow.events.empty()) text += block(event_lines(result));
  if (wanted.samples && !result.flow.samples.empty()) text += block(sample_lines(result));
  if (wanted.report) text += block(report_lines(result));
  return text;
}

Json to_json(const SimulateResult& result) {
  const Model& model = *result.prepared.model;
  Json events = Json::array();
  for (const Event& event : result.flow.events) events.push_back(event_json(model, event));
  Json json = {{"command", "simulate"},
               {"model", result.prepared.file},
               {"case", or_null(result.prepared.case_name)},
               {"title", model.title},
               {"coordinates", model.coordinates},
               {"outcome", name_of(result.flow.outcome)},
               {"complete", result.complete()},
               {"message", or_null(stop_message(result))},
               {"final", final_json(result)},
               {"events", std::move(events)},
               {"report", report_json(result)}};
  if (result.request.samples > 0) json["samples"] = samples_json(result);
  std::vector<Diagnostic> diagnostics = result.warnings();
  if (!result.complete()) diagnostics.push_back({Severity::error, {}, stop_message(result), "", "", {}});
  json["diagnostics"] = json_diagnostics(diagnostics);
  return json;
}

ResultFile result_file(const SimulateResult& result) {
  ResultFile file{.recipe = recipe_of(result),
                  .title = result.prepared.model->title,
                  .outcome = std::string(name_of(result.flow.outcome)),
                  .complete = result.complete(),
                  .axes = {},
                  .variables = {}};
  if (!result.flow.samples.empty()) {
    std::vector<double> t;
    for (const Sample& sample : result.flow.samples) t.push_back(sample.t);
    file.axes.push_back({"t", t.size()});
    file.variables.push_back({"t", "time", "", {"t"}, std::move(t)});
    for (SampleColumn& column : sample_columns(result))
      file.variables.push_back({column.name, column.long_name, "", {"t"}, std::move(column.values)});
  }
  file.axes.push_back({"event", result.flow.events.size()});
  for (Variable& variable : event_variables(result)) file.variables.push_back(std::move(variable));
  return file;
}

}  // namespace saltus
