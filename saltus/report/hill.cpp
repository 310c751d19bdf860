#include "saltus/report/hill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

Json matrix_json(const Eigen::Matrix2d& m) {
  return Json::array({json_numbers(std::vector{m(0, 0), m(0, 1)}), json_numbers(std::vector{m(1, 0), m(1, 1)})});
}

Json map_json(const HillMap& map) {
  Json directions = Json::array();
  for (const HillDirection& direction : map.directions)
    directions.push_back({{"multiplier", json_number(direction.multiplier)},
                          {"v", json_numbers(std::vector{direction.v[0], direction.v[1]})},
                          {"angle", json_number(direction.angle)},
                          {"cone", direction.cone == HillCone::first ? 1 : 2}});
  return {{"monodromy", matrix_json(map.phi)},
          {"A1", matrix_json(map.A1)},
          {"A2", matrix_json(map.A2)},
          {"theta_c", json_number(map.theta_c)},
          {"directions", std::move(directions)}};
}

Json approximation_json(double discriminant, double critical, const HillStability& exact) {
  return {{"discriminant", json_number(discriminant)},
          {"discriminant_error", json_number(std::abs(discriminant - exact.discriminant))},
          {"critical_restitution", json_number(critical)},
          {"critical_restitution_error", json_number(std::abs(critical - exact.critical_restitution))}};
}

Json approximations_json(const HillPoint& point) {
  const HillApproximations& a = point.approximations;
  const HillStability& exact = point.stability;
  const auto of = [&](const HillStability& s, long block) {
    Json json = {{"block", block}};
    json.update(approximation_json(s.discriminant, s.critical_restitution, exact));
    return json;
  };
  Json averaged = {{"resonance", a.averaging.resonance}, {"parametric_term", a.averaging.excited}};
  if (a.averaging.excited)
    averaged.update(approximation_json(a.averaging.discriminant, a.averaging.critical_restitution, exact));
  else averaged["message"] = averaging_words(a.averaging);
  return {{"averaging", std::move(averaged)},
          {"hill_determinant", of(a.determinant, a.block)},
          {"second_order", a.second_order ? of(*a.second_order, a.block) : Json(nullptr)},
          {"extrapolated", of(a.extrapolated, a.extrapolated_block)}};
}

Json verification_json(const HillPoint& point) {
  Json list = Json::array();
  for (const HillVerification& each : point.verification)
    list.push_back({{"restitution", json_number(each.growth.restitution)},
                    {"periods", each.growth.periods},
                    {"impacts", each.growth.impacts},
                    {"growth_per_period", json_number(each.growth.factor)},
                    {"predicted", json_number(each.predicted)},
                    {"outcome", name_of(each.growth.outcome)}});
  return list;
}

void add_point(Json& json, const HillPoint& point) {
  const HillStability& s = point.stability;
  const bool real = s.multipliers[0].imag() == 0.0;
  json["period"] = json_number(point.numbers.period);
  json["damping"] = json_number(point.numbers.damping);
  json["restitution"] = json_number(point.numbers.restitution);
  json["discriminant"] = json_number(s.discriminant);
  json["zeros"] = s.zeros;
  json["multiplier"] = json_number(real ? s.multipliers[0].real() : std::abs(s.multipliers[0]));
  json["multipliers"] = Json::array({json_complex(s.multipliers[0]), json_complex(s.multipliers[1])});
  json["m1"] = s.m1 ? Json(*s.m1) : Json(nullptr);
  json["impacts_per_period"] = json_number(s.impacts_per_period);
  json["growth_without_stop"] = json_number(std::exp(s.log_growth));
  json["critical_restitution"] = json_number(s.critical_restitution);
  json["verdict"] = name_of(point.verdict);
  json["growth_per_period"] = json_number(growth_per_period(s, point.numbers.restitution));
  json["angle"] = json_number(point.solution.angle);
  json["wronskian"] = json_number(point.solution.monodromy.determinant());
  json["error"] = json_number(point.solution.error);
  json["steps"] = point.solution.steps;
  json["switching_instants"] = json_numbers(point.switching_instants);
  if (!std::isfinite(point.solution.size)) return;
  json["map"] = map_json(point.map);
  json["approximations"] = approximations_json(point);
  json["verification"] = verification_json(point);
}

/// One list per value of the second parameter; null where there is no number.
Json rows_json(const std::vector<double>& values, std::size_t nx) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < values.size(); first += nx) {
    Json row = Json::array();
    for (std::size_t i = first; i < first + nx; ++i)
      row.push_back(std::isnan(values[i]) ? Json(nullptr) : json_number(values[i]));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The quantities of a chart by name, with what they are.
struct ChartQuantity {
  const char* name;
  const char* long_name;
  const std::vector<double>* values;
};

std::vector<ChartQuantity> quantities_of(const HillChart& chart) {
  std::vector<ChartQuantity> all = {
      {"critical_restitution", "critical coefficient of restitution", &chart.critical_restitution},
      {"discriminant", "trace of the monodromy matrix", &chart.discriminant},
      {"zeros", "zeros n of y2 in a period", &chart.zeros},
      {"m1", "zeros per period of the solution of the larger multiplier, where both are real", &chart.m1},
      {"impacts_per_period", "impacts per period in the long run", &chart.impacts_per_period},
      {"growth_without_stop", "growth per period without the stop, damping included", &chart.growth}};
  if (chart.averaging.empty()) return all;
  all.push_back({"averaging", "critical restitution by first-order averaging", &chart.averaging});
  all.push_back({"hill_determinant", "critical restitution by a block of Hill's determinant", &chart.determinant});
  all.push_back({"second_order", "the same to second order in the harmonics", &chart.second_order});
  return all;
}

void add_chart(Json& json, const HillResult& result) {
  Json axes = Json::array();
  for (const VariedRange& range : result.ranges)
    axes.push_back({{"name", range.name}, {"values", json_numbers(range.values())}});
  json["axes"] = std::move(axes);
  for (const ChartQuantity& quantity : quantities_of(result.chart))
    json[quantity.name] = rows_json(*quantity.values, result.chart.nx);
  json["not_converged"] = result.chart.not_converged;
}

// ---- file ----------------------------------------------------------------------------------------------------------

Recipe recipe_of(const HillResult& result) {
  Recipe recipe = recipe_of("hill", result.request, result.prepared, FlowOptions());
  recipe.settings = {{"block", std::to_string(result.request.block)}, {"tolerance", shortest(HillOptions{}.tolerance)}};
  for (const VariedRange& range : result.ranges)
    recipe.settings.emplace_back(
        "vary", fmt::format("{}={}:{}:{}", range.name, shortest(range.from), shortest(range.to), range.count));
  return recipe;
}

void add_chart_variables(ResultFile& file, const HillResult& result) {
  const VariedRange& x = result.ranges[0];
  const VariedRange& y = result.ranges[1];
  file.axes = {{y.name, y.count}, {x.name, x.count}};
  for (const ChartQuantity& quantity : quantities_of(result.chart))
    file.variables.push_back({quantity.name, quantity.long_name, "", {y.name, x.name}, *quantity.values});
  for (const VariedRange* range : {&x, &y})
    file.variables.push_back({range->name, "parameter " + range->name, "", {range->name}, range->values()});
}

void add_point_variables(ResultFile& file, const HillPoint& point) {
  file.axes = {{"t", point.t.size()}};
  file.variables.push_back({"t", "time", "", {"t"}, point.t});
  const auto add = [&](const char* name, const char* long_name, Eigen::Index row, Eigen::Index column) {
    std::vector<double> values;
    for (const Eigen::Matrix2d& phi : point.solutions) values.push_back(phi(row, column));
    file.variables.push_back({name, long_name, "", {"t"}, std::move(values)});
  };
  add("y1", "solution with y = 1, y' = 0 at t = 0", 0, 0);
  add("y1_rate", "rate of y1", 1, 0);
  add("y2", "solution with y = 0, y' = 1 at t = 0", 0, 1);
  add("y2_rate", "rate of y2", 1, 1);
}

}  // namespace

Json to_json(const HillResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  Json json = {{"command", "hill"},
               {"model", prepared.file},
               {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
               {"title", prepared.model->title},
               {"message", message.empty() ? Json(nullptr) : Json(message)}};
  if (result.point) add_point(json, *result.point);
  else add_chart(json, result);
  json["diagnostics"] = json_diagnostics(result.warnings());
  return json;
}

ResultFile result_file(const HillResult& result) {
  ResultFile file{.recipe = recipe_of(result), .title = result.prepared.model->title};
  file.complete = result.point ? result.point->solution.converged : result.chart.complete;
  file.outcome = file.complete ? "reached_end" : result.point ? "not_converged" : "stopped";
  if (result.point) add_point_variables(file, *result.point);
  else add_chart_variables(file, result);
  return file;
}

}  // namespace saltus
