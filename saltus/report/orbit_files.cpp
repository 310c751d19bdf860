// Orbits as files and pictures.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/numerics/vectors.hpp"
#include "saltus/report/event.hpp"
#include "saltus/report/orbit_quantities.hpp"

namespace saltus {

std::vector<std::string> quantity_names(const Model& model) {
  std::vector<std::string> names = model.component_names();
  for (const Observable& observable : model.observables) names.push_back(observable.name);
  return names;
}

std::vector<double> quantities(const OrbitResult& result, double phase, const Vector& x) {
  std::vector<double> values = {x.data(), x.data() + x.size()};
  if (result.prepared.model->observables.empty()) return values;
  const Vector observed = Mechanism(*result.kernels, result.p.inputs).observe(phase, x);
  values.insert(values.end(), observed.data(), observed.data() + observed.size());
  return values;
}

double phase_of(const OrbitResult& result, double t) {
  return result.p.period > 0.0 ? std::fmod(t, result.p.period) : t;
}

namespace {

constexpr std::size_t samples_of_a_picture = 1000;
constexpr std::size_t samples_of_a_file = 400;

void add_samples(ResultFile& file, const OrbitResult& result) {
  const PeriodicOrbit& orbit = result.orbits.front().orbit;
  const std::size_t count = result.request.samples > 1 ? result.request.samples - 1 : samples_of_a_file;
  const std::vector<std::string> names = quantity_names(*result.prepared.model);
  std::vector<double> t;
  std::vector<std::vector<double>> columns(names.size());
  for (const Sample& sample : orbit_samples(result, orbit, count)) {
    t.push_back(sample.t);
    const std::vector<double> row = quantities(result, phase_of(result, sample.t), sample.x);
    for (std::size_t i = 0; i < names.size(); ++i) columns[i].push_back(row[i]);
  }
  file.axes.push_back({"t", t.size()});
  file.variables.push_back({"t", "time from the strobe or section", "", {"t"}, std::move(t)});
  for (std::size_t i = 0; i < names.size(); ++i)
    file.variables.push_back({names[i], "of one period", "", {"t"}, std::move(columns[i])});
}

void add_events(ResultFile& file, const OrbitResult& result) {
  const Model& model = *result.prepared.model;
  const std::vector<Event>& events = result.orbits.front().orbit.events;
  file.axes.push_back({"event", events.size()});
  const auto add = [&](const char* name, const char* long_name, const std::function<double(const Event&)>& value) {
    std::vector<double> values;
    for (const Event& event : events) values.push_back(value(event));
    file.variables.push_back({name, long_name, "", {"event"}, std::move(values)});
  };
  std::vector<std::string> kinds;
  std::vector<std::string> places;
  for (const Event& event : events) {
    kinds.emplace_back(name_of(event.kind));
    places.push_back(contact_name(model, event) + switch_name(model, event));
  }
  add("event_t", "time of the event", [](const Event& e) { return e.t; });
  file.variables.push_back({"event_kind", "kind of the event", "", {"event"}, std::move(kinds)});
  file.variables.push_back({"event_at", "contact or switching surface", "", {"event"}, std::move(places)});
  add("event_gamma_minus", "rate of the gap just before", [](const Event& e) { return e.gamma_minus; });
  add("event_gamma_plus", "rate of the gap just after", [](const Event& e) { return e.gamma_plus; });
}

/// What is known of every orbit, over the axis `orbit`.
void add_table(ResultFile& file, const OrbitResult& result) {
  const Model& model = *result.prepared.model;
  file.axes.push_back({"orbit", result.orbits.size()});
  file.axes.push_back({"multiplier", model.dimension()});
  const auto add = [&](const std::string& name, const char* long_name,
                       const std::function<double(const PeriodicOrbit&)>& value) {
    std::vector<double> values;
    for (const FoundOrbit& found : result.orbits) values.push_back(value(found.orbit));
    file.variables.push_back({name, long_name, "", {"orbit"}, std::move(values)});
  };
  std::vector<double> numbers;
  for (std::size_t k = 0; k < result.orbits.size(); ++k) numbers.push_back(static_cast<double>(k + 1));
  file.variables.push_back({"orbit", said("number of the orbit, as for ⟨point⟩"), "1", {"orbit"}, std::move(numbers)});
  add("period", "period in time", [](const PeriodicOrbit& o) { return o.period; });
  add("returns", "forcing periods, or returns to the section",
      [](const PeriodicOrbit& o) { return static_cast<double>(o.returns); });
  add("stable", "1: stable, 0: unstable", [](const PeriodicOrbit& o) { return o.stable ? 1.0 : 0.0; });
  add("residual", "of the closing conditions", [](const PeriodicOrbit& o) { return o.residual; });
  add("condition", "of the Jacobian", [](const PeriodicOrbit& o) { return o.condition; });
  std::vector<std::string> sequences;
  for (const FoundOrbit& found : result.orbits) sequences.push_back(sequence_text(found.orbit.sequence, model));
  file.variables.push_back({"sequence", "events of one period", "", {"orbit"}, std::move(sequences)});
  const std::vector<std::string> names = model.component_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    add("at_" + names[i], "at the strobe or section", [i](const PeriodicOrbit& o) { return o.x[index(i)]; });
  std::vector<double> re;
  std::vector<double> im;
  for (const FoundOrbit& found : result.orbits)
    for (const Multiplier& m : found.orbit.multipliers) {
      re.push_back(m.value.real());
      im.push_back(m.value.imag());
    }
  file.variables.push_back({"multiplier_re", "real part", "", {"orbit", "multiplier"}, std::move(re)});
  file.variables.push_back({"multiplier_im", "imaginary part", "", {"orbit", "multiplier"}, std::move(im)});
}

/// Which two quantities span the plane.
std::pair<std::size_t, std::size_t> plane_of(const Model& model, const std::vector<std::string>& names) {
  if (names.empty()) return {0, model.n() > 0 ? model.n() : model.dimension() - 1};
  if (names.size() != 2)
    throw Error(ExitCode::usage, "an orbit is drawn over two quantities\n  expected ⟨observe⟩ NAME,NAME, such as x,x'");
  const std::vector<std::string> known = quantity_names(model);
  const auto place = [&](const std::string& name) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    const std::string hint = did_you_mean(name, known);
    throw Error(ExitCode::usage, fmt::format("nothing is called '{}'\n  expected {}{}", printable(name), listed(known),
                                             hint.empty() ? "" : "\n  " + hint));
  };
  return {place(names[0]), place(names[1])};
}

/// An angle that turns is drawn within one turn.
double drawn(const OrbitResult& result, const PeriodicOrbit& orbit, std::size_t quantity, double value) {
  if (quantity >= result.prepared.model->n() || orbit.turns[index(quantity)] == 0.0) return value;
  const double period = result.translations.period(index(quantity));
  return period > 0.0 ? std::remainder(value, period) : value;
}

void add_path(Panel& panel, const OrbitResult& result, const PeriodicOrbit& orbit,
              const std::pair<std::size_t, std::size_t>& plane, const std::string& label) {
  Curve path{label, orbit.stable ? Stroke::line : Stroke::dashed};
  Curve jumps{"", Stroke::thin};
  Curve marks{"", Stroke::marks};
  const auto coordinates = [&](double t, const Vector& x) {
    const std::vector<double> values = quantities(result, phase_of(result, t), x);
    return std::pair{drawn(result, orbit, plane.first, values[plane.first]),
                     drawn(result, orbit, plane.second, values[plane.second])};
  };
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto put = [](Curve& curve, double x, double y) {
    curve.x.push_back(x);
    curve.y.push_back(y);
  };
  std::size_t next = 0;
  double last_x = 0.0;
  for (const Sample& sample : orbit_samples(result, orbit, samples_of_a_picture)) {
    // Up to an impact, and on from behind it.
    for (; next < orbit.events.size() && orbit.events[next].t <= sample.t; ++next) {
      const Event& event = orbit.events[next];
      const auto [x, y] = coordinates(event.t, event.x_plus);
      put(marks, x, y);
      if (event.kind != EventKind::impact) continue;
      const auto [x_before, y_before] = coordinates(event.t, event.x_minus);
      put(path, x_before, y_before);
      put(path, none, none);
      put(path, x, y);
      put(jumps, x_before, y_before);
      put(jumps, x, y);
      put(jumps, none, none);
      put(marks, x_before, y_before);
      last_x = x;
    }
    const auto [x, y] = coordinates(sample.t, sample.x);
    if (!path.x.empty() && std::abs(x - last_x) > std::numbers::pi && orbit.turns.cwiseAbs().maxCoeff() > 0.0)
      put(path, none, none);
    put(path, x, y);
    last_x = x;
  }
  panel.curves.push_back(std::move(path));
  panel.curves.push_back(std::move(jumps));
  if (!marks.x.empty()) panel.curves.push_back(std::move(marks));
}

constexpr double farthest_drawn = 2.5;  // multipliers beyond stand at the edge, with their modulus

void add_multipliers(Panel& panel, const PeriodicOrbit& orbit) {
  Curve points{"", Stroke::points};
  Curve far{"", Stroke::names};
  for (const Multiplier& m : orbit.multipliers) {
    const double modulus = std::abs(m.value);
    const bool fits = modulus < farthest_drawn;
    Curve& curve = fits ? points : far;
    const std::complex<double> place = fits ? m.value : m.value * (0.96 * farthest_drawn / modulus);
    curve.x.push_back(place.real());
    curve.y.push_back(place.imag());
    if (!fits) curve.names.push_back(six_digits(modulus));
  }
  panel.curves.push_back(std::move(points));
  if (!far.x.empty()) panel.curves.push_back(std::move(far));
}

double largest_multiplier(const OrbitResult& result) {
  double largest = 0.0;
  for (const FoundOrbit& found : result.orbits)
    for (const Multiplier& m : found.orbit.multipliers) largest = std::max(largest, std::abs(m.value));
  return largest;
}

}  // namespace

ResultFile result_file(const OrbitResult& result) {
  const bool found = !result.orbits.empty();
  ResultFile file{.recipe = recipe_of("orbit", result.request, result.prepared, result.options),
                  .title = result.prepared.model->title,
                  .outcome = found             ? "converged"
                             : result.elements ? "not_converged"
                                               : std::string(name_of(result.search.shooting.end)),
                  .complete = exit_code(result) == ExitCode::done,
                  .axes = {},
                  .variables = {}};
  if (found && is_single(result)) {
    add_samples(file, result);
    add_events(file, result);
  }
  add_table(file, result);
  return file;
}

void require_plane(const Model& model, const std::vector<std::string>& names) { plane_of(model, names); }

Figure figure(const OrbitResult& result, const std::vector<std::string>& names) {
  const Model& model = *result.prepared.model;
  const auto plane = plane_of(model, names);
  const std::vector<std::string> known = quantity_names(model);
  Panel portrait{.x_label = known[plane.first], .y_label = known[plane.second], .curves = {}};
  Panel circle{.x_label = "Re", .y_label = "Im", .curves = {unit_circle()}, .aspect = Aspect::equal};
  for (const FoundOrbit& found : result.orbits) {
    const PeriodicOrbit& orbit = found.orbit;
    std::string sequence = sequence_text(orbit.sequence, model);
    constexpr std::size_t longest_label = 32;
    if (sequence.size() > longest_label) sequence = fmt::format("{} events", orbit.sequence.size());
    const std::string label = fmt::format("{}: {}", orbit.stable ? "stable" : "unstable", sequence);
    add_path(portrait, result, orbit, plane, result.orbits.size() <= 6 ? label : "");
    add_multipliers(circle, orbit);
  }
  const double reach = std::min(1.1 * std::max(1.0, largest_multiplier(result)), farthest_drawn);
  circle.x_range = circle.y_range = AxisRange{-reach, reach};
  return {.title = model.title, .panels = {std::move(portrait), std::move(circle)}, .columns = 2};
}

}  // namespace saltus
