#include "saltus/report/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/report/grid.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

const std::vector<std::string>& verdict_names() {
  static const std::vector<std::string> names = {"equilibrium",  "periodic",  "quasi-periodic", "chaotic",
                                                 "hyperchaotic", "undecided", "not periodic"};
  return names;
}

const std::vector<std::string>& outcome_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (std::size_t k = 0; k < outcome_count; ++k) all.emplace_back(name_of(static_cast<Outcome>(k)));
    return all;
  }();
  return names;
}

std::size_t shown(const MapResult& result) {
  switch (result.request.measure.kind) {
    case Measure::Kind::lyapunov: return result.request.measure.exponent - 1;
    case Measure::Kind::period: return result.layout.period();
    case Measure::Kind::verdict: return result.layout.verdict();
    case Measure::Kind::impacts: return result.layout.impacts();
    case Measure::Kind::sliding: return result.layout.sliding();
  }
  return 0;
}

std::string label_of(const MapResult& result) {
  const bool forced = result.prepared.setup.forcing_period > 0.0;
  switch (result.request.measure.kind) {
    case Measure::Kind::lyapunov:
      return result.request.measure.exponent == 1
                 ? "largest Lyapunov exponent"
                 : fmt::format("Lyapunov exponent {}", result.request.measure.exponent);
    case Measure::Kind::period: return "period";
    case Measure::Kind::verdict: return "motion";
    case Measure::Kind::impacts: return forced ? "impacts per period" : "impacts per unit time";
    case Measure::Kind::sliding: return "fraction of the time in contact";
  }
  return "";
}

/// Extremes and shares of what the map shows, over the points that have a value.
struct Summary {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  std::size_t positive = 0;
  std::size_t count = 0;
  std::size_t undecided = 0;  // too few points, or too slow ones, to see whether they repeat
  std::vector<std::size_t> classes = std::vector<std::size_t>(10, 0);
};

/// The verdict knows more than the errors: whether perturbations keep growing.
bool may_be_positive(double verdict, std::size_t exponent) {
  switch (static_cast<MotionKind>(static_cast<int>(verdict))) {
    case MotionKind::hyperchaotic:
    case MotionKind::periodic:
    case MotionKind::equilibrium: return true;
    case MotionKind::chaotic: return exponent == 0;
    default: return false;
  }
}

Summary summary_of(const MapResult& result) {
  Summary summary;
  const std::size_t place = shown(result);
  const bool measures_exponent = result.request.measure.kind == Measure::Kind::lyapunov;
  result.numbers.for_each([&](std::size_t, std::span<const double> numbers) {
    const double value = numbers[place];
    const bool unknown = numbers[result.layout.verdict()] == static_cast<double>(MotionKind::undecided);
    if (std::isnan(value) && unknown) ++summary.undecided;
    if (std::isnan(value)) return;
    ++summary.count;
    summary.low = std::min(summary.low, value);
    summary.high = std::max(summary.high, value);
    // An exponent that is zero by theory, as that of a limit cycle, is computed as often above as below.
    const bool above = measures_exponent && value > std::max(1e-3, 4.0 * numbers[result.layout.columns + place]);
    if (above && may_be_positive(numbers[result.layout.verdict()], place)) ++summary.positive;
    if (value >= 0.0) ++summary.classes[static_cast<std::size_t>(std::min(value, 9.0))];
  });
  return summary;
}

constexpr std::size_t most_periods = 9;  // periods above have one colour

std::vector<std::string> period_names() {
  std::vector<std::string> names = {"not periodic"};
  for (std::size_t k = 1; k < most_periods; ++k) names.push_back(std::to_string(k));
  names.push_back(fmt::format("{} or more", most_periods));
  return names;
}

ColourScale colours_of(const MapResult& result) {
  ColourScale scale{.label = label_of(result),
                    .missing = result.numbers.missing > 0 ? "no motion, or not computed" : "no motion"};
  if (summary_of(result).undecided > 0) scale.missing += ", or undecided";
  switch (result.request.measure.kind) {
    case Measure::Kind::lyapunov: scale.palette = Palette::diverging; break;
    case Measure::Kind::period:
      scale.palette = Palette::categorical;
      scale.names = period_names();
      break;
    case Measure::Kind::verdict:
      scale.palette = Palette::categorical;
      scale.names = verdict_names();
      break;
    default: scale.palette = Palette::sequential;
  }
  return scale;
}

}  // namespace

std::string to_text(const MapResult& result) {
  const Grid& grid = result.numbers.grid;
  const Summary summary = summary_of(result);
  std::vector<Labelled> blocks = {
      {"map", {fmt::format("{} over {} and {}", label_of(result), grid.x.name, grid.y.name)}},
      {"points", {fmt::format("{} x {}", grid.x.count, grid.y.count)}}};
  const auto percent = [&](std::size_t count) {
    return fmt::format("{:.2f} %", 100.0 * static_cast<double>(count) / static_cast<double>(grid.points()));
  };
  const auto add_classes = [&](const std::vector<std::string>& names) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (summary.classes[k] > 0) rows.push_back({names[k], percent(summary.classes[k])});
    blocks.push_back({"shares", aligned(rows)});
  };
  const Measure::Kind kind = result.request.measure.kind;
  if (kind == Measure::Kind::period) add_classes(period_names());
  else if (kind == Measure::Kind::verdict) add_classes(verdict_names());
  else if (summary.count > 0) {
    blocks.push_back({"lowest", {six_digits(summary.low)}});
    blocks.push_back({"highest", {six_digits(summary.high)}});
    if (kind == Measure::Kind::lyapunov) blocks.push_back({"positive", {percent(summary.positive)}});
  }
  if (summary.undecided > 0)
    blocks.push_back(
        {"undecided", {fmt::format("{}: it is not seen yet whether they repeat", percent(summary.undecided))}});
  if (result.no_motion > 0) blocks.push_back({"no motion", {fmt::format("{} points", result.no_motion)}});
  return labelled_text(blocks);
}

Json to_json(const MapResult& result) {
  const Grid& grid = result.numbers.grid;
  const std::size_t place = shown(result);
  const bool named = result.request.measure.kind == Measure::Kind::verdict;
  Json values = Json::array();
  result.numbers.for_each([&](std::size_t point, std::span<const double> numbers) {
    if (point % grid.x.count == 0) values.push_back(Json::array());
    const double value = numbers[place];
    if (std::isnan(value)) values.back().push_back(nullptr);
    else if (named) values.back().push_back(verdict_names()[static_cast<std::size_t>(value)]);
    else values.back().push_back(json_number(value));
  });
  Json json = grid_json_head("map", result.prepared, grid);
  json["measure"] = name_of(result.request.measure);
  json["values"] = std::move(values);
  json["no_motion"] = result.no_motion;
  json.update(grid_json_tail(result.prepared, result.numbers, result.failed));
  return json;
}

Figure figure(const MapResult& result) {
  const Grid& grid = result.numbers.grid;
  std::vector<double> values;
  values.reserve(grid.points());
  const std::size_t place = shown(result);
  const bool periods = result.request.measure.kind == Measure::Kind::period;
  result.numbers.for_each([&](std::size_t, std::span<const double> numbers) {
    const double value = numbers[place];
    values.push_back(periods && value > static_cast<double>(most_periods) ? static_cast<double>(most_periods) : value);
  });
  return grid_figure(result.prepared, grid, std::move(values), colours_of(result));
}

GridFile grid_file(const MapResult& result) {
  const bool forced = result.prepared.setup.forcing_period > 0.0;
  GridFile file = grid_file_frame(result.prepared, result.recipe, result.numbers);
  const auto numbered = [](const std::string& name, std::size_t k) {
    return k == 0 ? name : fmt::format("{}{}", name, k + 1);
  };
  for (std::size_t k = 0; k < result.layout.columns; ++k)
    file.fields.push_back(
        {numbered("lyapunov", k), fmt::format("Lyapunov exponent {}, natural logarithm per unit time", k + 1)});
  for (std::size_t k = 0; k < result.layout.columns; ++k)
    file.fields.push_back(
        {numbered("lyapunov_error", k), fmt::format("standard error of Lyapunov exponent {}", k + 1)});
  file.fields.push_back({"verdict", "kind of motion", "", verdict_names()});
  file.fields.push_back(
      {"period",
       forced ? "period in forcing periods; 0: not periodic" : "period in returns to the section; 0: not periodic",
       "1"});
  file.fields.push_back(
      {"impacts", forced ? "impacts per forcing period" : "impacts per unit time", forced ? "1" : ""});
  file.fields.push_back({"sliding", "fraction of the time with a closed contact", "1"});
  file.fields.push_back({"outcome", "how the motion ended; -1: none starts here", "", outcome_names()});
  return file;
}

}  // namespace saltus
