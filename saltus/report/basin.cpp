#include "saltus/report/basin.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/report/drift.hpp"
#include "saltus/report/grid.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

std::string verdict_text(const BasinAttractor& attractor) {
  const Verdict& verdict = attractor.spectrum.verdict;
  if (attractor.spectrum.exponents.values.empty())
    return attractor.signature.period > 0 ? "periodic" : std::string(name_of(attractor.signature.kind));
  return std::string(name_of(verdict.kind));
}

std::vector<std::string> label_names(const BasinResult& result) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < result.attractors.size(); ++k) {
    const BasinAttractor& attractor = result.attractors[k];
    const std::string period =
        attractor.signature.period > 0 ? fmt::format(", period {}", attractor.signature.period) : "";
    names.push_back(fmt::format("{}: {}{}", k + 1, verdict_text(attractor), period));
  }
  return names;
}

}  // namespace

std::string to_text(const BasinResult& result) {
  const Grid& grid = result.numbers.grid;
  const double unit = unit_of(result.request.base);
  std::vector<std::vector<std::string>> rows = {{"", "share", "", "motion", "impacts/time", "exponents"}};
  for (std::size_t k = 0; k < result.attractors.size(); ++k) {
    const BasinAttractor& attractor = result.attractors[k];
    std::vector<std::string> exponents;
    for (const double value : attractor.spectrum.exponents.values)
      exponents.push_back(fmt::format("{:.3f}", value / unit));
    const std::string period =
        attractor.signature.period > 0 ? fmt::format(", period {}", attractor.signature.period) : "";
    rows.push_back({std::to_string(k + 1), fmt::format("{:.2f} %", 100.0 * attractor.share),
                    fmt::format("±{:.2f}", 100.0 * attractor.error), verdict_text(attractor) + period,
                    fmt::format("{:.4f}", attractor.signature.impacts_per_unit_time),
                    fmt::format("{}", fmt::join(exponents, " "))});
  }
  std::string text =
      fmt::format("{} x {} initial states over {} and {}\n", grid.x.count, grid.y.count, grid.x.name, grid.y.name);
  for (const std::string& line : aligned(rows)) text += line + "\n";
  for (std::size_t k = 0; k < result.attractors.size(); ++k) {
    const std::string drift = drift_text(*result.prepared.model, result.attractors[k].spectrum.verdict.drift);
    if (!drift.empty()) text += fmt::format("{}: {}\n", k + 1, drift);
  }
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("{} states {}\n", count, what);
  };
  add(result.no_motion, "are inside an obstacle");
  add(result.others, "go to further attractors");
  add(result.failed, "cannot be followed");
  return text;
}

Json to_json(const BasinResult& result) {
  const Grid& grid = result.numbers.grid;
  const double unit = unit_of(result.request.base);
  Json labels = Json::array();
  result.numbers.for_each([&](std::size_t point, std::span<const double> numbers) {
    if (point % grid.x.count == 0) labels.push_back(Json::array());
    labels.back().push_back(label_of(result, numbers));
  });
  Json attractors = Json::array();
  for (std::size_t k = 0; k < result.attractors.size(); ++k) {
    const BasinAttractor& attractor = result.attractors[k];
    std::vector<double> exponents = attractor.spectrum.exponents.values;
    std::vector<double> errors = attractor.spectrum.exponents.standard_errors;
    for (double& value : exponents) value /= unit;
    for (double& value : errors) value /= unit;
    attractors.push_back(
        {{"label", k},
         {"share", json_number(attractor.share)},
         {"share_error", json_number(attractor.error)},
         {"points", attractor.points},
         {"verdict", verdict_text(attractor)},
         {"period", attractor.signature.period > 0 ? Json(attractor.signature.period) : Json(nullptr)},
         {"drift", attractor.signature.period > 0 ? drift_json(*result.prepared.model, attractor.spectrum.verdict.drift)
                                                  : Json(nullptr)},
         {"impacts_per_unit_time", json_number(attractor.signature.impacts_per_unit_time)},
         {"sliding_fraction", json_number(attractor.signature.sliding_fraction)},
         {"exponents", json_numbers(exponents)},
         {"standard_errors", json_numbers(errors)},
         {"x", json_numbers(std::vector<double>(attractor.x.begin(), attractor.x.end()))}});
  }
  Json json = grid_json_head("basin", result.prepared, grid);
  json["section"] = result.section.empty() ? Json(nullptr) : Json(result.section);
  json["base"] = result.request.base == LogBase::two ? Json(2) : Json("e");
  json["labels"] = std::move(labels);
  json["attractors"] = std::move(attractors);
  json["no_motion"] = result.no_motion;
  json["others"] = result.others;
  json.update(grid_json_tail(result.prepared, result.numbers, result.failed));
  return json;
}

Figure figure(const BasinResult& result) {
  const Grid& grid = result.numbers.grid;
  std::vector<double> values;
  values.reserve(grid.points());
  result.numbers.for_each([&](std::size_t, std::span<const double> numbers) {
    const int label = label_of(result, numbers);
    values.push_back(label >= 0 ? label : std::numeric_limits<double>::quiet_NaN());
  });
  std::vector<std::string> names = label_names(result);
  for (std::size_t k = 0; k < names.size(); ++k)  // two of a kind are told apart by their share
    names[k] += fmt::format(" ({:.1f} %)", 100.0 * result.attractors[k].share);
  return grid_figure(result.prepared, grid, std::move(values),
                     {.palette = Palette::categorical,
                      .label = "attractor",
                      .names = names,
                      .missing = result.numbers.missing > 0 ? "no attractor, or not computed" : "no attractor"});
}

GridFile grid_file(const BasinResult& result) {
  GridFile file = grid_file_frame(result.prepared, result.recipe, result.numbers);
  file.fields = {{"attractor",
                  "attractor that the motion goes to; -1: inside an obstacle, -2: not followed to the end, -3: further "
                  "attractors, -4: not computed",
                  "", label_names(result)},
                 {"period", "period in returns to the section; 0: not periodic", "1"},
                 {"impacts_per_unit_time", "impacts per unit time", ""}};
  std::string spectra;
  for (std::size_t k = 0; k < result.attractors.size(); ++k) {
    std::vector<std::string> exponents;
    for (const double value : result.attractors[k].spectrum.exponents.values) exponents.push_back(shortest(value));
    spectra += fmt::format("{}{}: share {} exponents {}", k == 0 ? "" : "\n", label_names(result)[k],
                           shortest(result.attractors[k].share), fmt::join(exponents, " "));
  }
  file.notes = {{"attractors", spectra}};
  file.read = [&result](std::size_t piece) {
    const std::vector<double> numbers = result.numbers.tile(piece);
    std::vector<double> shown;
    for (std::size_t i = 0; i < numbers.size(); i += result.numbers.per_point) {
      const std::span point = std::span(numbers).subspan(i, result.numbers.per_point);
      shown.insert(shown.end(), {static_cast<double>(label_of(result, point)), point[2], point[3]});
    }
    return shown;
  };
  return file;
}

}  // namespace saltus
