#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/text.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/report/lyapunov.hpp"

namespace saltus {
namespace {

constexpr std::size_t instants_of_a_file = 2000;
constexpr std::size_t instants_of_a_figure = 500;

double unit_of(const LyapunovResult& result) { return result.request.base == LogBase::two ? std::numbers::ln2 : 1.0; }
std::string unit_name(const LyapunovResult& result) {
  return result.request.base == LogBase::two ? "bits per unit time" : "1 per unit time";
}

std::size_t exponent_count(const LyapunovResult& result) { return result.prepared.model->dimension(); }

/// The i-th of every list, in the unit; not a number where there is none.
std::vector<double> column(const std::vector<Exponents>& lists, std::size_t i, double unit,
                           const std::vector<double> Exponents::* which) {
  std::vector<double> values;
  for (const Exponents& list : lists) {
    const std::vector<double>& numbers = list.*which;
    values.push_back(i < numbers.size() ? numbers[i] / unit : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

/// exponent_1 … and error_1 … over one axis.
void add_exponents(ResultFile& file, const std::vector<Exponents>& lists, const std::string& axis,
                   const LyapunovResult& result) {
  const double unit = unit_of(result);
  for (std::size_t i = 0; i < exponent_count(result); ++i)
    file.variables.push_back({fmt::format("exponent_{}", i + 1),
                              fmt::format("Lyapunov exponent {}", i + 1),
                              unit_name(result),
                              {axis},
                              column(lists, i, unit, &Exponents::values)});
  for (std::size_t i = 0; i < exponent_count(result); ++i)
    file.variables.push_back({fmt::format("error_{}", i + 1),
                              fmt::format("standard error of exponent {}", i + 1),
                              unit_name(result),
                              {axis},
                              column(lists, i, unit, &Exponents::standard_errors)});
}

void add_history(ResultFile& file, const LyapunovResult& result) {
  const LyapunovSpectrum& spectrum = result.spectra.front();
  Convergence way = convergence(spectrum.history, instants_of_a_file);
  file.axes.push_back({"t", way.t.size()});
  file.variables.push_back({"t", "time since the transient", "", {"t"}, std::move(way.t)});
  add_exponents(file, way.exponents, "t", result);
  const double unit = unit_of(result);
  file.axes.push_back({"exponent", spectrum.exponents.values.size()});
  std::vector<double> values = spectrum.exponents.values;
  std::vector<double> errors = spectrum.exponents.standard_errors;
  for (double& value : values) value /= unit;
  for (double& error : errors) error /= unit;
  file.variables.push_back({"exponents", "Lyapunov exponents", unit_name(result), {"exponent"}, std::move(values)});
  file.variables.push_back(
      {"standard_errors", "their standard errors", unit_name(result), {"exponent"}, std::move(errors)});
}

/// The number of the attractor that a start reached, from 1; 0: none.
std::vector<double> attractor_of_starts(const LyapunovResult& result) {
  std::vector<double> numbers(result.states.size(), 0.0);
  for (std::size_t a = 0; a < result.attractors.size(); ++a)
    for (const std::size_t start : result.attractors[a].starts) numbers[start] = static_cast<double>(a + 1);
  return numbers;
}

void add_starts(ResultFile& file, const LyapunovResult& result) {
  const std::vector<std::string> names = result.prepared.model->component_names();
  const std::size_t count = result.states.size();
  file.axes.push_back({"start", count});
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<double> values;
    for (const Vector& x : result.states) values.push_back(x[static_cast<Eigen::Index>(i)]);
    file.variables.push_back({names[i], "initial " + names[i], "", {"start"}, std::move(values)});
  }
  std::vector<Exponents> lists;
  std::vector<std::string> verdicts;
  std::vector<double> periods;
  for (const LyapunovSpectrum& spectrum : result.spectra) {
    lists.push_back(spectrum.exponents);
    verdicts.emplace_back(name_of(spectrum.verdict.kind));
    periods.push_back(static_cast<double>(spectrum.verdict.period));
  }
  add_exponents(file, lists, "start", result);
  file.variables.push_back({"verdict", "kind of motion", "", {"start"}, std::move(verdicts)});
  file.variables.push_back({"period", "in points of the section; 0: not periodic", "", {"start"}, std::move(periods)});
  file.variables.push_back(
      {"attractor", "number of the attractor reached; 0: none", "", {"start"}, attractor_of_starts(result)});
}

// ---- figure ----------------------------------------------------------------------------------------------------------

/// One exponent on its way, with its band.
void add_curves(Panel& panel, const Convergence& way, std::size_t i, double unit) {
  Curve line{.label = fmt::format("ℓ{}", i + 1), .stroke = Stroke::line, .x = way.t};
  Curve band{.label = "", .stroke = Stroke::band, .x = way.t};
  for (const Exponents& now : way.exponents) {
    const double value = now.values[i] / unit;
    const double error = 2.0 * now.standard_errors[i] / unit;
    line.y.push_back(value);
    band.y.push_back(value - error);
    band.upper.push_back(value + error);
  }
  panel.curves.push_back(std::move(band));
  panel.curves.push_back(std::move(line));
}

/// The first tenth of a run says little and would squeeze the rest: the axis covers what comes after it.
AxisRange range_of(const Convergence& way, const std::vector<std::size_t>& shown, double unit) {
  double low = 1e300;
  double high = -1e300;
  for (std::size_t k = way.t.size() / 10; k < way.t.size(); ++k)
    for (const std::size_t i : shown) {
      const double error = 2.0 * way.exponents[k].standard_errors[i];
      low = std::min(low, (way.exponents[k].values[i] - error) / unit);
      high = std::max(high, (way.exponents[k].values[i] + error) / unit);
    }
  const double margin = std::max(0.08 * (high - low), 1e-4);
  return {low - margin, high + margin};
}

Panel panel_of(const Convergence& way, const std::vector<std::size_t>& shown, const LyapunovResult& result) {
  Panel panel{"t", result.request.base == LogBase::two ? "exponents, bits per time" : "exponents", {}};
  for (const std::size_t i : shown) add_curves(panel, way, i, unit_of(result));
  panel.y_range = range_of(way, shown, unit_of(result));
  panel.horizontals = {0.0};
  return panel;
}

std::string title_of(const LyapunovResult& result, const LyapunovSpectrum& spectrum) {
  const Model& model = *result.prepared.model;
  std::string title = model.title.empty() ? result.prepared.file : model.title;
  if (!result.prepared.case_name.empty()) title += ", case " + result.prepared.case_name;
  title += fmt::format(": {}", name_of(spectrum.verdict.kind));
  const auto lost = std::count_if(spectrum.exponents.values.begin(), spectrum.exponents.values.end(),
                                  [](double value) { return std::isinf(value); });
  return lost == 0 ? title : title + fmt::format(", {} exponents −∞", lost);
}

/// The attractor of a figure.
const LyapunovSpectrum& drawn(const LyapunovResult& result) {
  return result.spectra[result.attractors.empty() ? 0 : result.attractors.front().representative];
}

}  // namespace

ResultFile result_file(const LyapunovResult& result) {
  const bool complete = std::all_of(result.spectra.begin(), result.spectra.end(),
                                    [](const auto& s) { return s.outcome == Outcome::reached_end; });
  ResultFile file{.recipe = motion_recipe("lyapunov", result.request, result.prepared, result.options, result.section),
                  .title = result.prepared.model->title,
                  .outcome = complete ? "reached_end" : "stopped",
                  .complete = complete,
                  .axes = {},
                  .variables = {}};
  if (result.request.starts.are_several()) add_starts(file, result);
  else add_history(file, result);
  return file;
}

bool is_drawable(const LyapunovResult& result) {
  const LyapunovSpectrum& spectrum = drawn(result);
  const std::vector<double>& values = spectrum.exponents.values;
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }) &&
         convergence(spectrum.history, instants_of_a_figure).t.size() >= 2;
}

Figure figure(const LyapunovResult& result) {
  const LyapunovSpectrum& spectrum = drawn(result);
  const Convergence way = convergence(spectrum.history, instants_of_a_figure);
  Figure figure{.title = title_of(result, spectrum), .panels = {}, .x_axis = Abscissa::common};
  std::vector<std::size_t> finite;
  std::vector<std::size_t> small;
  double largest = 0.0;
  const std::vector<double>& values = spectrum.exponents.values;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    finite.push_back(i);
    if (std::abs(values[i]) < 0.15 * largest) small.push_back(i);
  }
  if (!is_drawable(result))
    throw Error(ExitCode::usage, "no exponent to draw: all of them are -inf, or the run is too short");
  figure.panels.push_back(panel_of(way, finite, result));
  if (!small.empty() && small.size() < finite.size()) figure.panels.push_back(panel_of(way, small, result));
  return figure;
}

}  // namespace saltus
