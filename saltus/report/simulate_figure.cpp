#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/numerics/vectors.hpp"
#include "saltus/report/simulate.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_marks = 3000;  // more impacts than this would only blacken the picture
constexpr std::size_t ghosts = 12;

std::vector<std::string> quantities(const Model& model) {
  std::vector<std::string> names = model.component_names();
  for (const Observable& observable : model.observables) names.push_back(observable.name);
  return names;
}

std::vector<std::string> chosen(const Model& model, MotionPlot kind, const std::vector<std::string>& names) {
  if (!names.empty()) return names;
  if (kind == MotionPlot::phase && !model.coordinates.empty())
    return {model.coordinates.front(), model.coordinates.front() + "'"};
  if (kind == MotionPlot::phase && model.states.size() < 2)
    throw Error(ExitCode::usage, "a phase portrait needs two components, and the model has one\n  name what to draw");
  if (kind == MotionPlot::phase) return {model.states[0], model.states[1]};
  if (model.observables.empty()) return model.coordinates.empty() ? model.states : model.coordinates;
  std::vector<std::string> all;
  for (const Observable& observable : model.observables) all.push_back(observable.name);
  return all;
}

void require_known(const Model& model, const std::vector<std::string>& names) {
  const std::vector<std::string> known = quantities(model);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string hint = did_you_mean(name, known);
    throw Error(ExitCode::usage, fmt::format("'{}' is nothing to observe\n  expected one of {}{}", printable(name),
                                             listed(known), hint.empty() ? "" : "\n  " + hint));
  }
}

/// What the figure is made of: the motion as points in time, the two sides of every event among them.
class Trace {
 public:
  explicit Trace(const SimulateResult& result)
      : result_(result), mechanism_(*result.kernels, result.prepared.setup.parameters) {
    std::vector<const Event*> events;
    for (const Event& event : result.flow.events) events.push_back(&event);
    // A completed chatter has the time at which it ends, later than the start of sliding that is listed behind it.
    std::stable_sort(events.begin(), events.end(), [](const Event* a, const Event* b) { return a->t < b->t; });
    std::size_t next = 0;
    const auto add_events_until = [&](double t) {
      for (; next < events.size() && events[next]->t <= t; ++next) {
        points_.push_back({events[next]->t, events[next]->x_minus});
        points_.push_back({events[next]->t, events[next]->x_plus});
      }
    };
    for (const Sample& sample : result.flow.samples) {
      add_events_until(sample.t);
      points_.push_back({sample.t, sample.x});
    }
  }

  double value(const std::string& name, double t, const Vector& x) const {
    const std::vector<std::string> names = quantities(*result_.prepared.model);
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const std::size_t N = result_.prepared.model->dimension();
    return place < N ? x[index(place)] : mechanism_.observe(t, x)[index(place - N)];
  }

  std::vector<double> times() const {
    std::vector<double> t;
    for (const Point& point : points_) t.push_back(point.t);
    return t;
  }
  std::vector<double> values(const std::string& name) const {
    std::vector<double> all;
    for (const Point& point : points_) all.push_back(value(name, point.t, point.x));
    return all;
  }
  const Mechanism& mechanism() const { return mechanism_; }

 private:
  struct Point {
    double t;
    const Vector& x;
  };
  const SimulateResult& result_;
  Mechanism mechanism_;
  std::vector<Point> points_;
};

std::vector<const Event*> impacts_of(const SimulateResult& result) {
  std::vector<const Event*> impacts;
  for (const Event& event : result.flow.events)
    if (event.kind == EventKind::impact) impacts.push_back(&event);
  return impacts.size() > most_marks ? std::vector<const Event*>() : impacts;
}

std::string title_of(const SimulateResult& result) {
  const Model& model = *result.prepared.model;
  std::string title = model.title.empty() ? result.prepared.file : model.title;
  if (!result.prepared.case_name.empty()) title += ", case " + result.prepared.case_name;
  return result.complete() ? title : title + fmt::format(" (stopped at t = {})", six_digits(result.t_end()));
}

Panel time_panel(const SimulateResult& result, const Trace& trace, const std::string& name) {
  Panel panel{.x_label = "t", .y_label = name, .curves = {}, .aspect = Aspect::free};
  panel.curves.push_back({"", Stroke::line, trace.times(), trace.values(name)});
  Curve marks{"impacts", Stroke::marks, {}, {}};
  for (const Event* impact : impacts_of(result)) {
    marks.x.push_back(impact->t);
    marks.y.push_back(trace.value(name, impact->t, impact->x_minus));
  }
  if (!marks.x.empty()) panel.curves.push_back(std::move(marks));
  return panel;
}

Figure time_figure(const SimulateResult& result, const std::vector<std::string>& names) {
  const Trace trace(result);
  Figure figure{.title = title_of(result), .panels = {}, .x_axis = Abscissa::common};
  for (const std::string& name : names) figure.panels.push_back(time_panel(result, trace, name));
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    if (i > 0 && figure.panels[i].curves.size() > 1) figure.panels[i].curves.back().label = "";
  }
  return figure;
}

Figure phase_figure(const SimulateResult& result, const std::vector<std::string>& names) {
  const Trace trace(result);
  Panel panel{.x_label = names[0], .y_label = names[1], .curves = {}, .aspect = Aspect::free};
  Curve path{"", Stroke::line, {}, {}};
  Curve jumps{"", Stroke::thin, {}, {}};
  Curve marks{"impacts", Stroke::marks, {}, {}};
  for (const Event* impact : impacts_of(result)) {
    for (const Vector* x : {&impact->x_minus, &impact->x_plus}) {
      jumps.x.push_back(trace.value(names[0], impact->t, *x));
      jumps.y.push_back(trace.value(names[1], impact->t, *x));
    }
    marks.x.push_back(jumps.x[jumps.x.size() - 2]);
    marks.y.push_back(jumps.y[jumps.y.size() - 2]);
    jumps.x.push_back(nothing);
    jumps.y.push_back(nothing);
  }
  path.x = trace.values(names[0]);
  path.y = trace.values(names[1]);
  panel.curves = {std::move(path), std::move(jumps)};
  if (!marks.x.empty()) panel.curves.push_back(std::move(marks));
  return {title_of(result), {std::move(panel)}};
}

// ---- configuration -------------------------------------------------------------------------------------------------

/// The drawing at one instant.
class Snapshot {
 public:
  Snapshot(const Model& model, const Vector& observed) : model_(model), observed_(observed) {}

  double x(std::size_t point) const { return observed_[index(model_.observables.size() + 2 * point)]; }
  double y(std::size_t point) const { return observed_[index(model_.observables.size() + 2 * point + 1)]; }

  /// The skeleton, and the points that stand alone.
  Curve lines(const std::string& label, Stroke stroke) const {
    Curve curve{label, stroke, {}, {}};
    for (const std::vector<std::size_t>& line : model_.drawing.lines) {
      for (const std::size_t point : line) {
        curve.x.push_back(x(point));
        curve.y.push_back(y(point));
      }
      curve.x.push_back(nothing);
      curve.y.push_back(nothing);
    }
    for (std::size_t point = 0; point < model_.drawing.points.size(); ++point) {
      const auto holds = [point](const auto& line) { return std::find(line.begin(), line.end(), point) != line.end(); };
      if (std::any_of(model_.drawing.lines.begin(), model_.drawing.lines.end(), holds)) continue;
      curve.x.insert(curve.x.end(), {x(point), nothing});
      curve.y.insert(curve.y.end(), {y(point), nothing});
    }
    return curve;
  }
  Curve walls() const {
    Curve curve{"", Stroke::wall, {}, {}};
    const std::size_t first = model_.observables.size() + 2 * model_.drawing.points.size();
    for (std::size_t w = 0; w < model_.drawing.walls.size(); ++w) {
      const auto at = [&](std::size_t k) { return observed_[index(first + 4 * w + k)]; };
      curve.x.insert(curve.x.end(), {at(0), at(2), nothing});
      curve.y.insert(curve.y.end(), {at(1), at(3), nothing});
    }
    return curve;
  }

 private:
  const Model& model_;
  const Vector& observed_;
};

Curve path_of(const SimulateResult& result, const std::vector<Vector>& observed, std::size_t point) {
  Curve path{"path of " + result.prepared.model->drawing.points[point].name, Stroke::path, {}, {}};
  for (const Vector& values : observed) {
    path.x.push_back(Snapshot(*result.prepared.model, values).x(point));
    path.y.push_back(Snapshot(*result.prepared.model, values).y(point));
  }
  return path;
}

Figure configuration_figure(const SimulateResult& result) {
  const Model& model = *result.prepared.model;
  const Mechanism mechanism(*result.kernels, result.prepared.setup.parameters);
  std::vector<Vector> observed;
  for (const Sample& sample : result.flow.samples) observed.push_back(mechanism.observe(sample.t, sample.x));
  Panel panel{.x_label = "x", .y_label = "y", .curves = {}, .aspect = Aspect::equal};
  if (observed.empty()) return {title_of(result), {std::move(panel)}};
  for (const std::size_t point : model.drawing.trace) panel.curves.push_back(path_of(result, observed, point));
  const std::size_t last = observed.size() - 1;
  for (std::size_t g = 0; g < ghosts && last > ghosts; ++g)
    panel.curves.push_back(Snapshot(model, observed[g * last / ghosts]).lines("", Stroke::ghost));
  panel.curves.push_back(Snapshot(model, observed[last]).walls());
  const double t = result.flow.samples[last].t;
  panel.curves.push_back(Snapshot(model, observed[last]).lines("t = " + six_digits(t), Stroke::skeleton));
  return {title_of(result), {std::move(panel)}};
}

// ---- gaps and forces -----------------------------------------------------------------------------------------------

Figure gaps_figure(const SimulateResult& result) {
  const Trace trace(result);
  const std::vector<Contact>& contacts = result.prepared.model->contacts;
  Panel panel{.x_label = "t", .y_label = "gap", .curves = {}, .aspect = Aspect::free};
  const std::vector<SampleColumn> columns = sample_columns(result);
  std::vector<double> t;
  for (const Sample& sample : result.flow.samples) t.push_back(sample.t);
  for (const Contact& contact : contacts)
    for (const SampleColumn& column : columns)
      if (column.long_name == "gap of contact " + contact.name)
        panel.curves.push_back({contact.name, Stroke::line, t, column.values});
  Curve marks{"impacts", Stroke::marks, {}, {}};
  for (const Event* impact : impacts_of(result)) {
    marks.x.push_back(impact->t);
    marks.y.push_back(0.0);
  }
  if (!marks.x.empty()) panel.curves.push_back(std::move(marks));
  return {title_of(result), {std::move(panel)}};
}

Figure forces_figure(const SimulateResult& result) {
  const std::vector<Contact>& contacts = result.prepared.model->contacts;
  const std::vector<SampleColumn> columns = sample_columns(result);
  std::vector<double> t;
  for (const Sample& sample : result.flow.samples) t.push_back(sample.t);
  Panel forces{.x_label = "", .y_label = "contact force", .curves = {}, .aspect = Aspect::free};
  Panel impulses{.x_label = "t", .y_label = "impulse", .curves = {}, .aspect = Aspect::free};
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    for (const SampleColumn& column : columns)
      if (column.long_name == "force of contact " + contacts[i].name)
        forces.curves.push_back({contacts[i].name, Stroke::line, t, column.values});
    // The same axis as above: from the first instant to the last.
    Curve stems{"", Stroke::stems, {t.empty() ? 0.0 : t.front()}, {0.0}};
    for (const Event& event : result.flow.events) {
      if (event.kind != EventKind::impact || event.index != i) continue;
      stems.x.push_back(event.t);
      stems.y.push_back(event.impulse);
    }
    stems.x.push_back(t.empty() ? 0.0 : t.back());
    stems.y.push_back(0.0);
    impulses.curves.push_back(std::move(stems));
  }
  return {title_of(result), {std::move(forces), std::move(impulses)}};
}

}  // namespace

void require_drawable(const Model& model, MotionPlot kind, const std::vector<std::string>& names) {
  const bool named = kind == MotionPlot::time || kind == MotionPlot::phase;
  if (named) require_known(model, names);
  else if (!names.empty())
    throw Error(ExitCode::usage,
                "⟨observe⟩ has no meaning for this kind of picture\n  expected ⟨plot-kind⟩ time or phase");
  if (kind == MotionPlot::phase && !names.empty() && names.size() != 2)
    throw Error(ExitCode::usage, "a phase portrait needs two quantities\n  expected ⟨observe⟩ NAME,NAME, such as x,x'");
  if (kind == MotionPlot::configuration && model.drawing.lines.empty() && model.drawing.points.empty())
    throw Error(ExitCode::usage, "the model has no drawing\n  expected points and lines in its section [draw]");
  if ((kind == MotionPlot::gaps || kind == MotionPlot::forces) && model.contacts.empty())
    throw Error(ExitCode::usage, "the model has no contacts\n  expected ⟨plot-kind⟩ time, phase or configuration");
}

Figure figure(const SimulateResult& result, MotionPlot kind, const std::vector<std::string>& names) {
  const Model& model = *result.prepared.model;
  require_drawable(model, kind, names);
  switch (kind) {
    case MotionPlot::time: return time_figure(result, chosen(model, kind, names));
    case MotionPlot::phase: return phase_figure(result, chosen(model, kind, names));
    case MotionPlot::configuration: return configuration_figure(result);
    case MotionPlot::gaps: return gaps_figure(result);
    case MotionPlot::forces: return forces_figure(result);
  }
  return {};
}

}  // namespace saltus
