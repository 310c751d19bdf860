#include "saltus/driver/hill_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/result/level_curves.hpp"
#include "saltus/result/text_table.hpp"

namespace saltus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string twelve(double value) { return fmt::format("{:.12g}", value + 0.0); }

// ---- text of a point -----------------------------------------------------------------------------------------------

std::string matrix_text(const Eigen::Matrix2d& m) {
  return fmt::format("[{} {}; {} {}]", six_digits(m(0, 0)), six_digits(m(0, 1)), six_digits(m(1, 0)),
                     six_digits(m(1, 1)));
}

std::string multipliers_text(const HillStability& stability) {
  const std::complex<double> first = stability.multipliers[0];
  if (first.imag() != 0.0) return fmt::format("{} ± {} i", twelve(first.real()), twelve(first.imag()));
  return fmt::format("{}, {}", twelve(first.real()), twelve(stability.multipliers[1].real()));
}

std::string discriminant_words(const HillStability& stability) {
  if (stability.m1) return "unstable without the stop";
  return stability.multipliers[0].imag() != 0.0 ? "stable without the stop" : "on a boundary of stability";
}

std::string domain_text(const HillStability& stability) {
  if (stability.m1 == 0) return "m1 = 0: a growing motion does not meet the stop";
  if (stability.m1) return fmt::format("m1 = {}: a growing motion meets the stop so often in a period", *stability.m1);
  return fmt::format("none; a motion meets the stop {} times per period", six_digits(stability.impacts_per_period));
}

std::string critical_text(const HillStability& stability) {
  const double critical = stability.critical_restitution;
  if (critical == 0.0) return "0: unstable for every restitution";
  if (critical == 1.0) return "1: stable for every restitution below 1";
  return twelve(critical);
}

std::string verdict_text(const HillPoint& point) {
  const double restitution = point.numbers.restitution;
  return fmt::format("{} with restitution {}: the size changes by {} per period", name_of(point.verdict),
                     six_digits(restitution), six_digits(growth_per_period(point.stability, restitution)));
}

std::vector<std::string> map_lines(const HillMap& map) {
  std::vector<std::string> lines = {
      fmt::format("A1 = {}  for angles above {}", matrix_text(map.A1), six_digits(map.theta_c)),
      fmt::format("A2 = {}  for those below", matrix_text(map.A2))};
  for (const HillDirection& direction : map.directions)
    lines.push_back(fmt::format("direction ({}, {}), angle {}: multiplier {}, in the cone of A{}",
                                six_digits(direction.v[0]), six_digits(direction.v[1]), six_digits(direction.angle),
                                six_digits(direction.multiplier), direction.cone == HillCone::first ? 1 : 2));
  return lines;
}

std::string averaging_words(const HillAveraging& averaging) {
  if (averaging.resonance == 0) return "none: the mean stiffness is too small for an oscillation to average";
  return fmt::format("none: first-order averaging has no parametric term at resonance {} (g has no harmonic {})",
                     averaging.resonance, averaging.resonance);
}

std::vector<std::string> approximation_row(const std::string& name, double discriminant, double critical,
                                           const HillStability& exact) {
  return {name, twelve(discriminant), fmt::format("{:.1e}", std::abs(discriminant - exact.discriminant)),
          twelve(critical), fmt::format("{:.1e}", std::abs(critical - exact.critical_restitution))};
}

std::vector<std::string> approximation_lines(const HillPoint& point) {
  const HillApproximations& a = point.approximations;
  const HillStability& exact = point.stability;
  std::vector<std::vector<std::string>> rows = {{"", "discriminant", "error", "critical restitution", "error"}};
  const auto add = [&](const std::string& name, const HillStability& s) {
    rows.push_back(approximation_row(name, s.discriminant, s.critical_restitution, exact));
  };
  if (a.averaging.excited)
    rows.push_back(approximation_row(fmt::format("averaging at resonance {}", a.averaging.resonance),
                                     a.averaging.discriminant, a.averaging.critical_restitution, exact));
  if (a.second_order) add(fmt::format("block of {}, second order", a.block), *a.second_order);
  add(fmt::format("Hill's determinant, block of {}", a.block), a.determinant);
  add(fmt::format("extrapolated from the block of {}", a.extrapolated_block), a.extrapolated);
  std::vector<std::string> lines = aligned(rows);
  if (!a.averaging.excited) lines.push_back("averaging: " + averaging_words(a.averaging));
  if (!a.second_order) lines.push_back("second order: none at an even resonance");
  return lines;
}

std::vector<std::string> verification_lines(const HillPoint& point) {
  std::vector<std::string> lines;
  for (const HillVerification& each : point.verification) {
    const HillGrowth& growth = each.growth;
    const char* words = growth.factor < 1.0 ? "decays" : growth.factor > 1.0 ? "grows" : "changes";
    lines.push_back(
        fmt::format("restitution {}: {} by {} per period over {} periods and {} impacts; in the long run {}",
                    six_digits(growth.restitution), words, fmt::format("{:.8g}", growth.factor), growth.periods,
                    growth.impacts, fmt::format("{:.8g}", each.predicted)));
  }
  return lines;
}

std::string equation_text(const PreparedModel& prepared) {
  const Hill& hill = *prepared.model->hill;
  const std::string damping = hill.damping ? fmt::format(" + ({}) x'", printed(hill.damping->expr)) : "";
  return fmt::format("x''{} + g x = 0 for x > 0,  g = {}", damping, printed(hill.g.expr, 100));
}

std::string point_text(const HillResult& result) {
  const HillPoint& point = *result.point;
  if (!std::isfinite(point.solution.size)) return "";
  const HillStability& stability = point.stability;
  std::vector<std::string> instants;
  for (const double t : point.switching_instants) instants.push_back(six_digits(t));
  return labelled_text(
      {{"equation", {equation_text(result.prepared)}},
       {"period", {six_digits(point.numbers.period)}},
       {"g switches", instants.empty() ? std::vector<std::string>{} : std::vector{"at t = " + listed(instants, 20)}},
       {"discriminant", {fmt::format("{}, {}", twelve(stability.discriminant), discriminant_words(stability))}},
       {"multipliers", {multipliers_text(stability)}},
       {"zeros", {fmt::format("n = {} of y2 in (0, T]", stability.zeros)}},
       {"domain", {domain_text(stability)}},
       {"critical restitution", {critical_text(stability)}},
       {"verdict", {verdict_text(point)}},
       {"period map", map_lines(point.map)},
       {"approximations", approximation_lines(point)},
       {"verified", verification_lines(point)}});
}

// ---- text of a chart -----------------------------------------------------------------------------------------------

std::string range_text(const VariedRange& range) {
  return fmt::format("{} = {} … {} ({})", range.name, six_digits(range.from), six_digits(range.to), range.count);
}

std::vector<std::string> domain_lines(const HillChart& chart) {
  std::vector<std::vector<std::string>> rows = {{"m1", "points", "smallest critical restitution"}};
  for (const DomainLabel& label : domain_labels(chart)) {
    std::size_t points = 0;
    double least = 1.0;
    for (std::size_t k = 0; k < chart.m1.size(); ++k) {
      if (chart.m1[k] != static_cast<double>(label.m1)) continue;
      ++points;
      least = std::min(least, chart.critical_restitution[k]);
    }
    rows.push_back({std::to_string(label.m1), std::to_string(points), six_digits(least)});
  }
  return rows.size() == 1 ? std::vector<std::string>{"none"} : aligned(rows);
}

std::string chart_text(const HillResult& result) {
  const HillChart& chart = result.chart;
  std::size_t known = 0;
  std::size_t unstable = 0;
  for (std::size_t k = 0; k < chart.m1.size(); ++k) {
    if (std::isnan(chart.discriminant[k])) continue;
    ++known;
    if (chart.is_unstable(k)) ++unstable;
  }
  return labelled_text(
      {{"equation", {equation_text(result.prepared)}},
       {"chart", {fmt::format("{}, {}", range_text(result.ranges[0]), range_text(result.ranges[1]))}},
       {"points", {fmt::format("{}, of which {} are stable without the stop", known, known - unstable)}},
       {"domains", domain_lines(chart)}});
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

Json matrix_json(const Eigen::Matrix2d& m) {
  return Json::array({json_numbers(std::vector{m(0, 0), m(0, 1)}), json_numbers(std::vector{m(1, 0), m(1, 1)})});
}

Json multiplier_json(const std::complex<double>& lambda) {
  return {
      {"re", json_number(lambda.real())}, {"im", json_number(lambda.imag())}, {"abs", json_number(std::abs(lambda))}};
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
  json["multipliers"] = Json::array({multiplier_json(s.multipliers[0]), multiplier_json(s.multipliers[1])});
  json["m1"] = s.m1 ? Json(*s.m1) : Json(nullptr);
  json["impacts_per_period"] = json_number(s.impacts_per_period);
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
      {"m1", "zeros per period of the growing solution, where there is one", &chart.m1},
      {"impacts_per_period", "impacts per period in the long run", &chart.impacts_per_period}};
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

std::string command_of(const HillRequest& request) {
  std::string text = "saltus hill " + shell_word(request.model);
  if (!request.case_name.empty()) text += " --case " + shell_word(request.case_name);
  for (const Assignment& each : request.assignments) text += " --set " + shell_word(each.name + "=" + each.value);
  for (const std::string& range : request.vary) text += " --vary " + shell_word(range);
  if (request.chart) text += " --chart";
  if (request.approximations) text += " --approximations";
  if (request.block != HillRequest{}.block) text += fmt::format(" --block {}", request.block);
  if (request.verify) text += " --verify";
  if (request.options.rtol) text += " --rtol " + shortest(*request.options.rtol);
  if (request.options.atol) text += " --atol " + shortest(*request.options.atol);
  return text;
}

Recipe recipe_of(const HillResult& result) {
  const HillRequest& request = result.request;
  Recipe recipe{
      .program = program_name(),
      .command = command_of(request),
      .model_file = request.model,
      .model_text = result.prepared.model->source->text(),
      .case_name = request.case_name,
      .assignments = {},
      .settings = {{"block", std::to_string(request.block)}, {"tolerance", shortest(HillOptions{}.tolerance)}}};
  for (const Assignment& each : request.assignments) recipe.assignments.emplace_back(each.name, each.value);
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

// ---- figures -------------------------------------------------------------------------------------------------------

constexpr double boundaries[] = {-2.0, 2.0};

/// ε_c with what must not have level curves left out: the jump at the zeroth domain.
Image leveled(const HillResult& result, const std::vector<double>& values) {
  Image image{result.ranges[0].values(), result.ranges[1].values(), values};
  for (std::size_t k = 0; k < values.size(); ++k)
    if (result.chart.m1[k] == 0.0) image.values[k] = nan;
  return image;
}

Curve boundary_curve(const HillResult& result, double discriminant) {
  return level_curve({result.ranges[0].values(), result.ranges[1].values(), result.chart.discriminant}, discriminant);
}

std::string title_of(const HillResult& result) {
  const std::string& title = result.prepared.model->title;
  return title.empty() ? result.prepared.file : title;
}

Figure chart_figure(const HillResult& result) {
  const HillChart& chart = result.chart;
  Panel panel{.x_label = result.ranges[0].name, .y_label = result.ranges[1].name};
  Image image{result.ranges[0].values(), result.ranges[1].values(), chart.critical_restitution};
  for (std::size_t k = 0; k < image.values.size(); ++k)
    if (!chart.is_unstable(k)) image.values[k] = nan;
  panel.image = std::move(image);
  panel.colours = {.palette = Palette::diverging,  // white where no restitution helps
                   .label = "critical restitution",
                   .low = 0.0,
                   .high = 1.0,
                   .missing = "stable without the stop"};
  for (const double discriminant : boundaries) {
    Curve curve = boundary_curve(result, discriminant);
    curve.stroke = Stroke::level;
    panel.curves.push_back(std::move(curve));
  }
  const Image levels = leveled(result, chart.critical_restitution);
  for (const double level : {0.2, 0.4, 0.6, 0.8}) {
    Curve curve = level_curve(levels, level);
    curve.stroke = Stroke::level;
    panel.curves.push_back(std::move(curve));
  }
  Curve names{.label = "", .stroke = Stroke::names, .colour = Colour::black};
  for (const DomainLabel& label : domain_labels(chart)) {
    names.x.push_back(result.ranges[0].at(label.ix));
    names.y.push_back(result.ranges[1].at(label.iy));
    names.names.push_back(fmt::format("{}", label.m1));
  }
  if (!names.x.empty()) panel.curves.push_back(std::move(names));
  return {fmt::format("{}: critical restitution and numbers m1", title_of(result)), {panel}};
}

/// Level curves of the exact values and of the approximations: Leine 2012, Fig. 7.
Figure comparison_figure(const HillResult& result) {
  const HillChart& chart = result.chart;
  Panel panel{.x_label = result.ranges[0].name, .y_label = result.ranges[1].name};
  const auto add = [&](const std::vector<double>& values, const std::string& label, Stroke stroke, Colour colour) {
    Curve all{.label = label, .stroke = stroke, .colour = colour};
    for (const double level : {0.4, 0.6, 0.8}) {
      const Curve curve = level_curve(leveled(result, values), level);
      all.x.insert(all.x.end(), curve.x.begin(), curve.x.end());
      all.y.insert(all.y.end(), curve.y.begin(), curve.y.end());
      all.x.push_back(nan);
      all.y.push_back(nan);
    }
    panel.curves.push_back(std::move(all));
  };
  for (const double discriminant : boundaries) {
    Curve curve = boundary_curve(result, discriminant);
    curve.stroke = Stroke::thin;
    panel.curves.push_back(std::move(curve));
  }
  add(chart.critical_restitution, "exact", Stroke::line, Colour::black);
  add(chart.averaging, "averaging", Stroke::dashed, Colour::vermilion);
  add(chart.second_order, fmt::format("second order, block {}", result.request.block), Stroke::dashed, Colour::blue);
  add(chart.determinant, fmt::format("block {}", result.request.block), Stroke::level, Colour::green);
  panel.x_range = {result.ranges[0].from, result.ranges[0].to};
  panel.y_range = {result.ranges[1].from, result.ranges[1].to};
  return {"Critical restitution 0.4, 0.6, 0.8", {panel}};
}

/// x(t) = e^{−at/2} (−ε)^m y(t) over some periods from a start (Leine 2012, eq. 29).
Curve motion_curve(const HillPoint& point, int periods) {
  Curve curve{.label = "x", .stroke = Stroke::line};
  const double a = point.numbers.damping;
  Eigen::Vector2d x(1.0, 0.0);
  for (int period = 0; period < periods; ++period) {
    double sign = 1.0;
    double factor = 1.0;
    for (std::size_t i = 0; i < point.t.size(); ++i) {
      const Eigen::Vector2d start(x[0], x[1] + 0.5 * a * x[0]);
      const double y = point.solutions[i].row(0).dot(start);
      if (i > 0 && sign * y < 0.0) {
        sign = -sign;
        factor *= point.numbers.restitution;
      }
      curve.x.push_back(period * point.numbers.period + point.t[i]);
      curve.y.push_back(std::exp(-0.5 * a * point.t[i]) * factor * std::abs(y));
    }
    x = point.map(x);
  }
  return curve;
}

Figure point_figure(const HillResult& result) {
  const HillPoint& point = *result.point;
  Panel solutions{.x_label = "t", .y_label = "y1, y2"};
  Curve y1{.label = "y1", .stroke = Stroke::line};
  Curve y2{.label = "y2", .stroke = Stroke::line};
  Curve zeros{.label = "zeros of y2", .stroke = Stroke::marks};
  for (std::size_t i = 0; i < point.t.size(); ++i) {
    const Eigen::Matrix2d& phi = point.solutions[i];
    y1.x.push_back(point.t[i]);
    y1.y.push_back(phi(0, 0));
    y2.x.push_back(point.t[i]);
    y2.y.push_back(phi(0, 1));
    if (i < 2) continue;
    const double before = point.solutions[i - 1](0, 1);
    if (before * phi(0, 1) > 0.0) continue;
    const double part = before == phi(0, 1) ? 0.0 : before / (before - phi(0, 1));
    zeros.x.push_back(point.t[i - 1] + part * (point.t[i] - point.t[i - 1]));
    zeros.y.push_back(0.0);
  }
  solutions.curves = {std::move(y1), std::move(y2)};
  if (!zeros.x.empty()) solutions.curves.push_back(std::move(zeros));
  solutions.horizontals = {0.0};
  Panel motion{.x_label = "t", .y_label = "x"};
  motion.curves = {motion_curve(point, 8)};
  return {fmt::format("{}: restitution {}, critical {}", title_of(result), six_digits(point.numbers.restitution),
                      six_digits(point.stability.critical_restitution)),
          {std::move(solutions), std::move(motion)}};
}

}  // namespace

std::string to_text(const HillResult& result) { return result.point ? point_text(result) : chart_text(result); }

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

Figure figure(const HillResult& result) {
  if (result.point) return point_figure(result);
  return result.request.approximations ? comparison_figure(result) : chart_figure(result);
}

}  // namespace saltus
