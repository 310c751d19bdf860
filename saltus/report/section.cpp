#include "saltus/report/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/report/drift.hpp"

namespace saltus {
namespace {

std::string long_name(const Model& model, std::size_t column) {
  const std::vector<std::string> names = model.component_names();
  if (column >= names.size()) return "observable " + model.observables[column - names.size()].name;
  const char* kind = column < model.n() ? "coordinate " : column < 2 * model.n() ? "velocity " : "state ";
  return kind + names[column];
}

/// A quantity at every point of a track: t or a column; angles within one period about 0.
class DrawnQuantity {
 public:
  DrawnQuantity(const SectionResult& result, const std::string& name) {
    if (name == "t") return;
    column_ = static_cast<std::size_t>(std::find(result.columns.begin(), result.columns.end(), name) -
                                       result.columns.begin());
    if (*column_ < result.angle_periods.size()) angle_period_ = result.angle_periods[*column_];
  }
  std::vector<double> of(const SectionTrack& track) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < track.rows.size(); ++i) {
      const double value = column_ ? track.rows[i][*column_] : track.section.points[i].t;
      values.push_back(angle_period_ > 0.0 ? std::remainder(value, angle_period_) : value);
    }
    return values;
  }

 private:
  std::optional<std::size_t> column_;
  double angle_period_ = 0.0;
};

std::string title_of(const SectionResult& result) {
  const Model& model = *result.prepared.model;
  std::string title = model.title.empty() ? result.prepared.file : model.title;
  if (!result.prepared.case_name.empty()) title += ", case " + result.prepared.case_name;
  return fmt::format("{}: {}", title, result.place);
}

void require_column(const Model& model, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> known = model.component_names();
  for (const Observable& observable : model.observables) known.push_back(observable.name);
  known.emplace_back("t");
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string hint = did_you_mean(name, known);
  throw Error(ExitCode::usage, fmt::format("'{}' is nothing to draw\n  expected one of {}{}", printable(name),
                                           listed(known), hint.empty() ? "" : "\n  " + hint));
}

constexpr std::size_t most_coloured_starts = 6;

}  // namespace

std::string verdict(const SectionPoints& section) {
  if (section.period) return "periodic";
  return section.points.size() < enough_points || section.doubt ? "undecided" : "not periodic";
}

std::string reason(const SectionPoints& section) {
  const std::size_t count = section.points.size();
  if (section.period) return fmt::format("the last points of {} repeat after {}", count, *section.period);
  if (count < enough_points && !section.doubt) return too_few_points(count);
  if (section.doubt) return *section.doubt;
  return fmt::format(
      "no period up to {} in {} points: quasi-periodic, chaotic, a longer period or a transient that is too short",
      count / 4, count);
}

std::string verdict_text(const SectionResult& result) {
  std::string text;
  const bool several = result.tracks.size() > 1;
  for (std::size_t k = 0; k < result.tracks.size(); ++k) {
    const SectionPoints& section = result.tracks[k].section;
    const std::string drift = drift_text(*result.prepared.model, section.drift);
    text += fmt::format("{}{}: {}{}\n", several ? fmt::format("start {}: ", k + 1) : "", verdict(section),
                        reason(section), drift.empty() ? "" : "; " + drift);
  }
  return text;
}

std::string to_csv(const SectionResult& result) {
  const bool several = result.request.starts.are_several();
  std::string text = fmt::format("{}t,{}\n", several ? "start," : "", fmt::join(result.columns, ","));
  for (std::size_t k = 0; k < result.tracks.size(); ++k) {
    const SectionTrack& track = result.tracks[k];
    for (std::size_t i = 0; i < track.rows.size(); ++i) {
      if (several) text += fmt::format("{},", k + 1);
      text += shortest(track.section.points[i].t);
      for (const double value : track.rows[i]) text += "," + shortest(value);
      text += "\n";
    }
  }
  return text;
}

namespace {

Json track_json(const Model& model, const SectionTrack& track) {
  const std::vector<double> x(track.start.data(), track.start.data() + track.start.size());
  return {{"x", json_numbers(x)},
          {"points", track.rows.size()},
          {"verdict", verdict(track.section)},
          {"reason", reason(track.section)},
          {"period", track.section.period ? Json(*track.section.period) : Json(nullptr)},
          {"drift", track.section.period ? drift_json(model, track.section.drift) : Json(nullptr)},
          {"outcome", name_of(track.section.outcome)}};
}

}  // namespace

Json to_json(const SectionResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  Json points = Json::array();
  std::vector<double> times;
  std::vector<std::size_t> starts;
  Json tracks = Json::array();
  for (std::size_t k = 0; k < result.tracks.size(); ++k) {
    const SectionTrack& track = result.tracks[k];
    for (std::size_t i = 0; i < track.rows.size(); ++i) {
      points.push_back(json_numbers(track.rows[i]));
      times.push_back(track.section.points[i].t);
      starts.push_back(k + 1);
    }
    tracks.push_back(track_json(*prepared.model, track));
  }
  const SectionPoints& first = result.tracks.front().section;
  Json json = {{"command", "section"},
               {"model", prepared.file},
               {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
               {"title", prepared.model->title},
               {"section", result.place},
               {"verdict", verdict(first)},
               {"reason", reason(first)},
               {"period", first.period ? Json(*first.period) : Json(nullptr)},
               {"drift", first.period ? drift_json(*prepared.model, first.drift) : Json(nullptr)},
               {"outcome", name_of(first.outcome)},
               {"message", message.empty() ? Json(nullptr) : Json(message)},
               {"columns", result.columns},
               {"times", json_numbers(times)},
               {"points", std::move(points)}};
  if (result.request.starts.are_several()) {
    json["start"] = starts;
    json["tracks"] = std::move(tracks);
  }
  json["diagnostics"] = json_diagnostics(result.warnings());
  return json;
}

ResultFile result_file(const SectionResult& result) {
  const bool complete = std::all_of(result.tracks.begin(), result.tracks.end(), [](const SectionTrack& track) {
    return track.section.outcome == Outcome::reached_end;
  });
  std::vector<double> starts, times;
  std::vector<std::vector<double>> columns(result.columns.size());
  for (std::size_t k = 0; k < result.tracks.size(); ++k) {
    const SectionTrack& track = result.tracks[k];
    for (std::size_t i = 0; i < track.rows.size(); ++i) {
      starts.push_back(static_cast<double>(k + 1));
      times.push_back(track.section.points[i].t);
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(track.rows[i][c]);
    }
  }
  ResultFile file{.recipe = motion_recipe("section", result.request, result.prepared, result.options, result.place),
                  .title = result.prepared.model->title,
                  .outcome = complete ? "reached_end" : "stopped",
                  .complete = complete,
                  .axes = {{"point", times.size()}},
                  .variables = {}};
  if (result.request.starts.are_several())
    file.variables.push_back({"start", "number of the start, from 1", "", {"point"}, std::move(starts)});
  file.variables.push_back({"t", "time", "", {"point"}, std::move(times)});
  for (std::size_t c = 0; c < columns.size(); ++c)
    file.variables.push_back(
        {result.columns[c], long_name(*result.prepared.model, c), "", {"point"}, std::move(columns[c])});
  return file;
}

void require_drawable(const Model& model, const SectionPlot& plot) {
  for (const std::string& name : {plot.x, plot.y, plot.colour}) require_column(model, name);
}

Figure figure(const SectionResult& result, const SectionPlot& plot) {
  const Model& model = *result.prepared.model;
  require_drawable(model, plot);
  const std::vector<std::string> names = model.component_names();
  const std::string x_name = plot.x.empty() ? names.front() : plot.x;
  const std::string y_name = !plot.y.empty() ? plot.y : names[std::min(model.n(), names.size() - 1)];
  Panel panel{x_name, y_name, {}};
  const DrawnQuantity x(result, x_name), y(result, y_name);
  const bool by_quantity = !plot.colour.empty();
  const bool by_number = !by_quantity && result.tracks.size() > most_coloured_starts;
  panel.colours.label = by_quantity ? plot.colour : "start";
  const DrawnQuantity colour(result, by_quantity ? plot.colour : "t");
  for (std::size_t k = 0; k < result.tracks.size(); ++k) {
    const SectionTrack& track = result.tracks[k];
    Curve dots{.label = "", .stroke = Stroke::dots, .x = x.of(track), .y = y.of(track)};
    if (by_quantity) dots.values = colour.of(track);
    else if (by_number) dots.values.assign(dots.x.size(), static_cast<double>(k + 1));
    else if (result.tracks.size() > 1) dots.label = fmt::format("start {}", k + 1);
    panel.curves.push_back(std::move(dots));
  }
  return {title_of(result), {panel}};
}

}  // namespace saltus
