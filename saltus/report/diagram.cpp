#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/diagram.hpp"
#include "saltus/report/drift.hpp"
#include "saltus/report/quantity.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

constexpr std::array colours = {Colour::blue,   Colour::vermilion, Colour::green,
                                Colour::purple, Colour::orange,    Colour::sky};

/// Consecutive values with one verdict.
struct Window {
  std::size_t first, last;
  std::string verdict;
  bool slides;
};

std::vector<Window> windows_of(const DiagramBranch& branch) {
  std::vector<Window> windows;
  for (std::size_t i = 0; i < branch.results.size(); ++i) {
    const RampResult& result = branch.results[i];
    const std::string verdict = verdict_text(result);
    const bool slides = result.sliding_fraction > 0.0;
    if (!windows.empty() && windows.back().verdict == verdict && windows.back().slides == slides)
      windows.back().last = i;
    else windows.push_back({i, i, verdict, slides});
  }
  return windows;
}

/// Why a motion is undecided of which no exponents were measured.
std::string reason_text(const RampResult& result, bool has_exponents) {
  const bool undecided = is_there(result) && result.outcome == Outcome::reached_end && !has_exponents &&
                         result.verdict.kind == MotionKind::undecided;
  return undecided ? "too few points, too slow ones or ones that go away, to see whether they repeat" : "";
}

/// What is said of each value of a branch.
Quantities<RampResult> quantities_of(const DiagramResult& whole) {
  const Model& model = *whole.prepared.model;
  const bool measures = whole.request.lyapunov;
  const auto measured = [](double RampResult::* of) {
    return [of](const RampResult& at) { return is_there(at) ? at.*of : nothing; };
  };
  return {
      {"points", [](const RampResult& at) { return json_numbers(at.points); }},
      {"verdict", "kind of motion", "", [](const RampResult& at) { return verdict_text(at); },
       [](const RampResult& at) { return is_there(at) ? Json(verdict_text(at)) : Json(nullptr); }},
      {"reason",
       [measures](const RampResult& at) {
         const std::string reason = reason_text(at, measures);
         return reason.empty() ? Json(nullptr) : Json(reason);
       }},
      {"period", "period in returns to the section; 0: not periodic", "1",
       [](const RampResult& at) { return static_cast<double>(at.verdict.period); },
       [](const RampResult& at) { return at.verdict.period > 0 ? Json(at.verdict.period) : Json(nullptr); }},
      {"drift",
       [&model](const RampResult& at) {
         return at.verdict.period > 0 ? drift_json(model, at.verdict.drift) : Json(nullptr);
       }},
      {"impacts_per_unit_time", "impacts per unit time", "", measured(&RampResult::impacts_per_unit_time),
       [](const RampResult& at) { return json_number(at.impacts_per_unit_time); }},
      {"sliding_fraction", "fraction of the time in contact or along a switch", "1",
       measured(&RampResult::sliding_fraction), [](const RampResult& at) { return json_number(at.sliding_fraction); }},
      {"outcome", "how the motion ended", "",
       [](const RampResult& at) { return is_there(at) ? std::string(name_of(at.outcome)) : ""; },
       [](const RampResult& at) { return is_there(at) ? Json(name_of(at.outcome)) : Json(nullptr); }}};
}

/// A list per value of the parameter.
Json exponents_json(const DiagramBranch& branch, double unit, const std::vector<double> Exponents::* which) {
  Json list = Json::array();
  for (const RampResult& result : branch.results) {
    std::vector<double> values = result.exponents.*which;
    for (double& value : values) value /= unit;
    list.push_back(json_numbers(values));
  }
  return list;
}

Json branch_json(const DiagramBranch& branch, const DiagramResult& whole) {
  Json json = columns_json(quantities_of(whole), branch.results);
  if (!whole.request.lyapunov) return json;
  const double unit = unit_of(whole.request.base);
  json["exponents"] = exponents_json(branch, unit, &Exponents::values);
  json["standard_errors"] = exponents_json(branch, unit, &Exponents::standard_errors);
  return json;
}

/// Grey over all values at which some branch slides.
Curve sliding_windows(const DiagramResult& result, double low, double high) {
  Curve area{.label = "sliding", .stroke = Stroke::area};
  const std::vector<double> values = result.range.values();
  const double half = values.size() > 1 ? 0.5 * std::abs(values[1] - values[0]) : 0.5;
  std::size_t i = 0;
  const auto slides = [&](std::size_t k) {
    return std::any_of(result.branches.begin(), result.branches.end(),
                       [&](const DiagramBranch& branch) { return branch.results[k].sliding_fraction > 0.0; });
  };
  while (i < values.size()) {
    if (!slides(i)) {
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (i < values.size() && slides(i)) ++i;
    const double left = std::min(values[first], values[i - 1]) - half;
    const double right = std::max(values[first], values[i - 1]) + half;
    const std::vector<double> x = {left, right, right, left, left, nothing};
    const std::vector<double> y = {low, low, high, high, low, nothing};
    area.x.insert(area.x.end(), x.begin(), x.end());
    area.y.insert(area.y.end(), y.begin(), y.end());
  }
  return area;
}

Panel points_panel(const DiagramResult& result) {
  Panel panel{.x_label = result.range.name, .y_label = result.observed};
  const std::vector<double> values = result.range.values();
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  std::vector<Curve> dots;
  for (std::size_t b = 0; b < result.branches.size(); ++b) {
    const DiagramBranch& branch = result.branches[b];
    Curve curve{.label = result.branches.size() > 1 ? branch.name : "", .stroke = Stroke::dots};
    curve.colour = colours[b % colours.size()];
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const double point : branch.results[i].points) {
        curve.x.push_back(values[i]);
        curve.y.push_back(point);
        low = std::min(low, point);
        high = std::max(high, point);
      }
    dots.push_back(std::move(curve));
  }
  if (low < high) {
    const double margin = 0.03 * (high - low);
    Curve windows = sliding_windows(result, low - margin, high + margin);
    if (!windows.x.empty()) panel.curves.push_back(std::move(windows));
  }
  for (Curve& curve : dots) panel.curves.push_back(std::move(curve));
  panel.height = 360.0;
  return panel;
}

/// The exponents that decide about the motion: if the smaller half of them lies so far below that the others could not be told
/// apart, the axis ends at these and says how far the data go.
void show_leading_ones(Panel& panel, const DiagramResult& result) {
  const std::size_t leading = (result.prepared.model->dimension() + 1) / 2;
  const double unit = unit_of(result.request.base);
  std::vector<double> shown;
  double lowest = std::numeric_limits<double>::infinity();
  for (const DiagramBranch& branch : result.branches)
    for (const RampResult& at : branch.results)
      for (std::size_t k = 0; k < at.exponents.values.size(); ++k) {
        const double value = at.exponents.values[k] / unit;
        if (!std::isfinite(value)) continue;
        if (k < leading) shown.push_back(value);
        lowest = std::min(lowest, value);
      }
  if (shown.empty()) return;
  std::sort(shown.begin(), shown.end());
  const double low = shown[shown.size() / 50];  // a single deep value is no reason
  const double high = std::max(0.0, shown.back());
  if (!(high > low) || high - low > (high - lowest) / 3.0) return;
  const double margin = 0.05 * (high - low);
  panel.y_range = AxisRange{low - margin, high + margin};
  panel.y_label += fmt::format(" (to {:.1f})", lowest);
}

Panel exponents_panel(const DiagramResult& result) {
  const double unit = unit_of(result.request.base);
  Panel panel{.x_label = result.range.name,
              .y_label = result.request.base == LogBase::two ? "exponents, bits" : "exponents"};
  panel.horizontals = {0.0};
  const std::vector<double> values = result.range.values();
  const bool several = result.branches.size() > 1;
  for (const DiagramBranch& branch : result.branches) {
    const bool first = &branch == &result.branches.front();
    const bool second = !first && &branch == &result.branches[1];
    for (std::size_t k = 0; k < result.prepared.model->dimension(); ++k) {
      Curve curve{.label = first ? fmt::format("ℓ{}", k + 1) : "", .stroke = first ? Stroke::line : Stroke::dashed};
      // Colours tell exponents apart, strokes branches: the first is solid, as its labels show.
      if (several && first && k == 0) curve.label = fmt::format("{}: ℓ1", branch.name);
      if (second && k == 0) curve.label = result.branches.size() > 2 ? "others" : branch.name;
      curve.colour = colours[k % colours.size()];
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::vector<double>& exponents = branch.results[i].exponents.values;
        const double value = k < exponents.size() ? exponents[k] / unit : nothing;
        curve.x.push_back(values[i]);
        curve.y.push_back(std::isfinite(value) ? value : nothing);
      }
      if (std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isfinite(y); }))
        panel.curves.push_back(std::move(curve));
    }
  }
  show_leading_ones(panel, result);
  panel.height = 200.0;
  return panel;
}

}  // namespace

std::string verdict_text(const RampResult& result) {
  if (!is_there(result)) return "not computed";
  if (result.outcome != Outcome::reached_end) return fmt::format("stopped: {}", name_of(result.outcome));
  return std::string(name_of(result.verdict.kind));
}

std::string to_text(const DiagramResult& result) {
  std::vector<std::vector<std::string>> rows = {{"branch", result.range.name, "", "motion", "sliding"}};
  for (const DiagramBranch& branch : result.branches)
    for (const Window& window : windows_of(branch)) {
      const RampResult& first = branch.results[window.first];
      std::size_t least = first.verdict.period;
      std::size_t most = first.verdict.period;
      for (std::size_t i = window.first; i <= window.last; ++i) {
        least = std::min(least, branch.results[i].verdict.period);
        most = std::max(most, branch.results[i].verdict.period);
      }
      const std::string period = most == 0       ? ""
                                 : least == most ? fmt::format(", period {}", most)
                                                 : fmt::format(", periods {} to {}", least, most);
      const std::string reason = reason_text(first, result.request.lyapunov);
      const std::string why = reason.empty() ? "" : ": " + reason;
      rows.push_back({branch.name, six_digits(result.range.at(window.first)), six_digits(result.range.at(window.last)),
                      fmt::format("{}{}{}", window.verdict, period, why), window.slides ? "yes" : ""});
    }
  std::string text =
      fmt::format("{} at {}, {} values of {}\n", result.observed, result.place, result.range.count, result.range.name);
  for (const std::string& line : aligned(rows)) text += line + "\n";
  return text;
}

Json to_json(const DiagramResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  Json json = {{"command", "diagram"},
               {"model", prepared.file},
               {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
               {"title", prepared.model->title},
               {"parameter", {{"name", result.range.name}, {"values", json_numbers(result.range.values())}}},
               {"observed", result.observed},
               {"section", result.place},
               {"base", result.request.base == LogBase::two ? Json(2) : Json("e")},
               {"message", message.empty() ? Json(nullptr) : Json(message)},
               {"complete", result.complete()}};
  json.update(branch_json(result.branches.front(), result));
  Json branches = Json::array();
  for (const DiagramBranch& branch : result.branches) {
    Json each = {{"name", branch.name}};
    each.update(branch_json(branch, result));
    branches.push_back(std::move(each));
  }
  json["branches"] = std::move(branches);
  json["lane_use"] = json_number(result.use.share());
  json["diagnostics"] = json_diagnostics(result.warnings());
  return json;
}

Figure figure(const DiagramResult& result) {
  Figure figure{.title = result.prepared.model->title, .panels = {points_panel(result)}};
  if (result.request.lyapunov) figure.panels.push_back(exponents_panel(result));
  figure.x_axis = Abscissa::common;
  return figure;
}

ResultFile result_file(const DiagramResult& result) {
  ResultFile file{.recipe = result.recipe,
                  .title = result.prepared.model->title,
                  .outcome = result.complete() ? "reached_end" : "stopped",
                  .complete = result.complete()};
  const std::vector<double> values = result.range.values();
  const std::string& parameter = result.range.name;
  const std::size_t exponents = result.request.lyapunov ? result.prepared.model->dimension() : 0;
  std::vector<double> point_values;
  std::vector<double> point_numbers;
  std::vector<std::string> point_branches;
  std::vector<std::string> branches;
  std::vector<RampResult> rows;
  std::vector<double> spectra;
  for (const DiagramBranch& branch : result.branches) {
    branches.push_back(branch.name);
    rows.insert(rows.end(), branch.results.begin(), branch.results.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const RampResult& at = branch.results[i];
      for (const double point : at.points) {
        point_values.push_back(values[i]);
        point_numbers.push_back(point);
        point_branches.push_back(branch.name);
      }
      for (std::size_t k = 0; k < exponents; ++k)
        spectra.push_back(k < at.exponents.values.size() ? at.exponents.values[k] : nothing);
    }
  }
  file.axes = {{"point", point_values.size()}, {"branch", branches.size()}, {parameter, values.size()}};
  file.variables = {{"point_" + parameter, "value of " + parameter + " of the point", "", {"point"}, point_values},
                    {"observed", result.observed + " at " + result.place, "", {"point"}, point_numbers},
                    {"point_branch", "branch of the point", "", {"point"}, point_branches},
                    {parameter, "parameter " + parameter, "", {parameter}, values},
                    {"branch", "direction and start of the sweep", "", {"branch"}, branches}};
  add_variables(file, quantities_of(result), rows, {"branch", parameter});
  if (exponents > 0) {
    file.axes.push_back({"exponent", exponents});
    file.variables.push_back({"lyapunov",
                              "Lyapunov exponents, natural logarithms per unit time, decreasing",
                              "",
                              {"branch", parameter, "exponent"},
                              spectra});
  }
  return file;
}

}  // namespace saltus
