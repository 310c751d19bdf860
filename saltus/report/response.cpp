#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/drift.hpp"
#include "saltus/report/quantity.hpp"
#include "saltus/report/response.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

std::string motion_text(const ResponseEntry& entry) {
  if (!entry.measured || entry.period == 0) return entry.words;
  std::string period = fmt::format("periodic, {}", entry.period);
  if (!entry.stable || *entry.stable) return period;
  // At a special point a multiplier lies on the unit circle: what is told there belongs to the orbits beside it.
  const bool neutral = entry.label.empty() && entry.stability == Stability::neutral;
  return period + (neutral ? ", neutral" : ", unstable");
}

/// A point, and the curve that it lies on.
struct ResponseRow {
  const ResponseEntry* entry;
  const ResponseCurve* curve;
};

Quantities<ResponseRow> quantities_of(const ResponseResult& result) {
  const Model& model = *result.prepared.model;
  const std::string& w = result.observed;
  const auto amplitude = [](double Amplitudes::* of) {
    return [of](const ResponseRow& row) { return row.entry->measured ? row.entry->amplitudes.*of : nothing; };
  };
  return {{"amplitude", "steady-state amplitude of " + w + ", (max - min)/2", "", amplitude(&Amplitudes::steady)},
          {"effective", "effective amplitude of " + w + ", sqrt(2) of its deviation", "",
           amplitude(&Amplitudes::effective)},
          {"mean", "mean of " + w, "", amplitude(&Amplitudes::mean)},
          {"largest", "largest " + w, "", amplitude(&Amplitudes::largest)},
          {"smallest", "smallest " + w, "", amplitude(&Amplitudes::smallest)},
          {"stable", "1: all multipliers inside the unit circle", "1",
           [](const ResponseRow& row) { return row.entry->stable ? (*row.entry->stable ? 1.0 : 0.0) : nothing; },
           [](const ResponseRow& row) { return row.entry->stable ? Json(*row.entry->stable) : Json(nullptr); }},
          {"stability",
           [](const ResponseRow& row) {
             return row.entry->stability ? Json(name_of(*row.entry->stability)) : Json(nullptr);
           }},
          {"period", "forcing periods until the motion repeats; 0: it does not", "1",
           [](const ResponseRow& row) { return static_cast<double>(row.entry->period); },
           [](const ResponseRow& row) { return row.entry->period > 0 ? Json(row.entry->period) : Json(nullptr); }},
          {"drift",
           [&model](const ResponseRow& row) {
             return row.entry->period > 0 ? drift_json(model, row.entry->drift) : Json(nullptr);
           }},
          {"motion", "kind of motion", "", [](const ResponseRow& row) { return row.entry->words; }},
          {"x",
           [](const ResponseRow& row) {
             return json_numbers({row.entry->x.data(), row.entry->x.data() + row.entry->x.size()});
           }},
          {"curve", "how the point was found", "", [](const ResponseRow& row) { return row.curve->name; }},
          {"label", "special points", "", [](const ResponseRow& row) { return row.entry->label; },
           [](const ResponseRow& row) { return row.entry->label.empty() ? Json(nullptr) : Json(row.entry->label); }}};
}

std::vector<ResponseRow> rows_of(const ResponseResult& result) {
  std::vector<ResponseRow> rows;
  for (const ResponseCurve& curve : result.curves)
    for (const ResponseEntry& entry : curve.points) rows.push_back({&entry, &curve});
  return rows;
}

/// Consecutive points of one kind.
struct ResponseWindow {
  const ResponseEntry* first;
  const ResponseEntry* last;
  double least, most;  // amplitude
  std::string motion;
};

std::vector<ResponseWindow> windows_of(const ResponseCurve& curve) {
  std::vector<ResponseWindow> windows;
  for (const ResponseEntry& entry : curve.points) {
    if (!entry.label.empty()) continue;
    const double amplitude = entry.measured ? entry.amplitudes.steady : nothing;
    const std::string motion = motion_text(entry);
    if (windows.empty() || windows.back().motion != motion) {
      windows.push_back({&entry, &entry, amplitude, amplitude, motion});
      continue;
    }
    ResponseWindow& window = windows.back();
    window.last = &entry;
    window.least = std::fmin(window.least, amplitude);
    window.most = std::fmax(window.most, amplitude);
  }
  return windows;
}

std::string span_text(double least, double most) {
  if (std::isnan(least)) return "";
  return least == most ? six_digits(least) : fmt::format("{} to {}", six_digits(least), six_digits(most));
}

std::string special_text(const ResponseResult& result) {
  std::vector<std::vector<std::string>> rows = {{"label", "curve", result.range.name, "amplitude", "effective"}};
  for (const ResponseCurve& curve : result.curves)
    for (const ResponseEntry& entry : curve.points)
      if (!entry.label.empty())
        rows.push_back({entry.label, curve.name, fmt::format("{:.8g}", entry.parameter),
                        six_digits(entry.amplitudes.steady), six_digits(entry.amplitudes.effective)});
  if (rows.size() == 1) return "";
  std::string text = "\n";
  for (const std::string& line : aligned(rows)) text += line + "\n";
  return text;
}

// ---- pictures ------------------------------------------------------------------------------------------------------

void put(Curve& curve, double x, double y) {
  curve.x.push_back(x);
  curve.y.push_back(y);
}

bool has_points(const Curve& curve) {
  return std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isfinite(y); });
}

/// Simulated motions: discs for the steady amplitude, circles for the effective one, as in the paper.
void add_measured(std::vector<Curve>& curves, const ResponseResult& result) {
  const bool elements = result.request.road == ResponseRoad::elements;
  const auto simulated = static_cast<std::size_t>(
      std::count_if(result.curves.begin(), result.curves.end(), [](const auto& curve) { return !curve.continued; }));
  const std::vector<Colour> colours = {Colour::blue, Colour::green};
  std::size_t next = 0;
  for (const ResponseCurve& of : result.curves) {
    if (of.continued) continue;
    const std::string which = simulated > 1 ? ", " + of.name : "";
    const Colour colour = colours[next % colours.size()];
    Curve steady{.label = "steady" + which, .stroke = Stroke::points, .colour = colour};
    Curve effective{.label = next == 0 ? "effective" : "", .stroke = Stroke::marks};
    Curve unstable{.label = next == 0 ? "unstable" : "", .stroke = Stroke::points, .colour = Colour::vermilion};
    for (const ResponseEntry& entry : of.points) {
      if (!entry.measured) continue;
      const bool apart = elements && !entry.stable.value_or(true);
      put(apart ? unstable : steady, entry.parameter, entry.amplitudes.steady);
      if (!elements) put(effective, entry.parameter, entry.amplitudes.effective);
    }
    for (Curve* each : {&steady, &unstable, &effective})
      if (has_points(*each)) curves.push_back(std::move(*each));
    ++next;
  }
}

/// The continued curves in pieces of one stability, which meet in their common points.
void add_continued(std::vector<Curve>& curves, const ResponseResult& result, double Amplitudes::* of, Colour colour) {
  const bool named = of == &Amplitudes::steady;
  Curve stable{.label = named ? "continued" : "", .stroke = Stroke::line, .colour = colour};
  Curve unstable{.label = named ? "unstable" : "", .stroke = Stroke::dashed, .colour = colour};
  for (const ResponseCurve& curve : result.curves) {
    if (!curve.continued) continue;
    for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
      const ResponseEntry& a = curve.points[i];
      const ResponseEntry& b = curve.points[i + 1];
      const ResponseEntry& inner = a.label.empty() ? a : b;  // a special point belongs to the piece that it ends
      const bool solid = inner.stable.value_or(false);
      Curve& piece = solid ? stable : unstable;
      Curve& other = solid ? unstable : stable;
      if (!other.x.empty() && !std::isnan(other.x.back())) put(other, nothing, nothing);
      if (piece.x.empty() || std::isnan(piece.x.back())) put(piece, a.parameter, a.amplitudes.*of);
      put(piece, b.parameter, b.amplitudes.*of);
    }
    put(stable, nothing, nothing);
    put(unstable, nothing, nothing);
  }
  for (Curve* each : {&stable, &unstable})
    if (has_points(*each)) curves.push_back(std::move(*each));
}

Curve special_names(const ResponseResult& result) {
  Curve names{.label = "", .stroke = Stroke::names, .colour = Colour::black};
  for (const ResponseCurve& curve : result.curves)
    for (const ResponseEntry& entry : curve.points) {
      if (entry.label.empty()) continue;
      put(names, entry.parameter, entry.amplitudes.steady);
      names.names.push_back(entry.label);
    }
  return names;
}

}  // namespace

std::string to_text(const ResponseResult& result) {
  std::vector<std::vector<std::string>> rows = {{"curve", result.range.name, "", "motion", "amplitude"}};
  for (const ResponseCurve& curve : result.curves)
    for (const ResponseWindow& window : windows_of(curve))
      rows.push_back({curve.name, six_digits(window.first->parameter), six_digits(window.last->parameter),
                      window.motion, span_text(window.least, window.most)});
  std::string text = fmt::format("{} against {}\n", result.observed, result.range.name);
  for (const std::string& line : aligned(rows)) text += line + "\n";
  return text + special_text(result);
}

Json to_json(const ResponseResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  const Quantities<ResponseRow> quantities = quantities_of(result);
  Json points = Json::array();
  for (const ResponseRow& row : rows_of(result)) {
    points.push_back({{"parameter", json_number(row.entry->parameter)}});
    points.back().update(row_json(quantities, row));
  }
  Json special = Json::array();
  Json curves = Json::array();
  for (const ResponseCurve& curve : result.curves) {
    curves.push_back({{"name", curve.name}, {"continued", curve.continued}, {"points", curve.points.size()}});
    for (const ResponseEntry& entry : curve.points) {
      if (!entry.label.empty())
        special.push_back({{"label", entry.label},
                           {"kind", entry.kind},
                           {"parameter", json_number(entry.parameter)},
                           {"amplitude", json_number(entry.amplitudes.steady)},
                           {"effective", json_number(entry.amplitudes.effective)},
                           {"curve", curve.name}});
    }
  }
  return {{"command", "response"},
          {"model", prepared.file},
          {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
          {"title", prepared.model->title},
          {"parameter", result.range.name},
          {"observed", result.observed},
          {"curves", curves},
          {"points", points},
          {"special", special},
          {"complete", result.complete()},
          {"message", message.empty() ? Json(nullptr) : Json(message)},
          {"recipe", to_json(result.recipe)},
          {"diagnostics", json_diagnostics(result.warnings())}};
}

Figure figure(const ResponseResult& result) {
  Panel panel{.x_label = result.range.name, .y_label = fmt::format("amplitudes of {}", result.observed), .curves = {}};
  panel.height = 380.0;
  add_measured(panel.curves, result);
  add_continued(panel.curves, result, &Amplitudes::steady, Colour::black);
  add_continued(panel.curves, result, &Amplitudes::effective, Colour::grey);
  Curve names = special_names(result);
  if (!names.x.empty()) panel.curves.push_back(std::move(names));
  return {.title = result.prepared.model->title, .panels = {std::move(panel)}};
}

ResultFile result_file(const ResponseResult& result) {
  ResultFile file{.recipe = result.recipe,
                  .title = result.prepared.model->title,
                  .outcome = result.complete() ? "reached_end" : "stopped",
                  .complete = result.complete()};
  std::vector<double> value, x;
  const std::size_t N = result.prepared.model->dimension();
  const std::vector<ResponseRow> rows = rows_of(result);
  for (const ResponseRow& row : rows) {
    const Vector& at = row.entry->x;
    value.push_back(row.entry->parameter);
    for (std::size_t i = 0; i < N; ++i)
      x.push_back(i < static_cast<std::size_t>(at.size()) ? at[static_cast<Eigen::Index>(i)] : nothing);
  }
  const std::string& name = result.range.name;
  file.axes = {{"point", value.size()}, {"component", N}};
  file.variables = {{"value_" + name, "parameter " + name, "", {"point"}, value}};
  add_variables(file, quantities_of(result), rows, {"point"});
  file.variables.insert(
      file.variables.end(),
      {{"x", "state at the strobe", "", {"point", "component"}, x},
       {"component", "component of the state", "", {"component"}, result.prepared.model->component_names()}});
  return file;
}

}  // namespace saltus
