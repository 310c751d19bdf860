#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/continuation_special.hpp"

namespace saltus {
namespace {

/// The points of a brute-force diagram in the same parameter.
Curve diagram_points(const std::string& diagram, const std::string& parameter) {
  const ResultFile file = read_result(diagram);
  const Variable* values = variable_named(file, "point_" + parameter);
  const Variable* observed = variable_named(file, "observed");
  const auto numbers = [](const Variable* variable) {
    return variable ? std::get_if<std::vector<double>>(&variable->values) : nullptr;
  };
  const std::vector<double>* x = numbers(values);
  const std::vector<double>* y = numbers(observed);
  if (!x || !y || x->size() != y->size())
    throw Error(
        ExitCode::usage,
        fmt::format("'{}' is no diagram in {}\n  expected a file written by: saltus diagram MODEL ⟨vary⟩ {}=... "
                    "⟨out⟩ diagram.nc",
                    printable(diagram), parameter, parameter));
  return {.label = "simulated", .stroke = Stroke::dots, .x = *x, .y = *y, .colour = Colour::grey};
}

/// Pieces of one stability, return by return. Pieces meet in their common point.
void add_pieces(const ContinueResult& result, std::vector<Curve>& curves) {
  const auto& points = result.branch.points;
  Curve solid{.label = "stable", .stroke = Stroke::line, .colour = Colour::blue};
  Curve dashed{.label = "unstable", .stroke = Stroke::dashed, .colour = Colour::vermilion};
  std::size_t returns = 0;
  for (const auto& values : result.observed) returns = std::max(returns, values.size());
  for (std::size_t k = 0; k < returns; ++k) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const auto& here = result.observed[i];
      const auto& there = result.observed[i + 1];
      if (k >= std::max(here.size(), there.size())) continue;
      // A special point belongs to the piece that it ends.
      const bool between = !is_ordinary(points[i].special) || points[i].stability == Stability::neutral;
      const BranchPoint& inner = between ? points[i + 1] : points[i];
      Curve& curve = inner.stable ? solid : dashed;
      Curve& other = inner.stable ? dashed : solid;
      if (!other.x.empty() && !std::isnan(other.x.back())) {
        other.x.push_back(nothing);
        other.y.push_back(nothing);
      }
      if (curve.x.empty() || std::isnan(curve.x.back())) {
        curve.x.push_back(points[i].parameter);
        curve.y.push_back(here[k % here.size()]);
      }
      curve.x.push_back(points[i + 1].parameter);
      curve.y.push_back(there[k % there.size()]);  // where a doubled orbit was born it has half as many returns
    }
    for (Curve* curve : {&solid, &dashed}) {
      curve->x.push_back(nothing);
      curve->y.push_back(nothing);
    }
  }
  const auto has_points = [](const Curve& c) {
    return std::any_of(c.x.begin(), c.x.end(), [](double v) { return !std::isnan(v); });
  };
  if (has_points(solid)) curves.push_back(solid);
  if (has_points(dashed)) curves.push_back(dashed);
}

Figure figure_in_two(const ContinueResult& result) {
  Curve curve{.label = "", .stroke = Stroke::line};
  for (const BranchPoint& point : result.branch.points) {
    // The parameter that is followed last stands first.
    curve.x.push_back(point.orbit.varied[1]);
    curve.y.push_back(point.orbit.varied[0]);
  }
  curve.label = in_words(result.branch.along);
  Panel panel{.x_label = result.ranges[0].name, .y_label = result.ranges[1].name, .curves = {curve}};
  Curve names{.label = "", .stroke = Stroke::names, .colour = Colour::black};
  for (const BranchPoint* point : special_points(result)) {
    names.x.push_back(point->orbit.varied[1]);
    names.y.push_back(point->orbit.varied[0]);
    names.names.push_back(point->label);
  }
  if (!names.x.empty()) panel.curves.push_back(names);
  return {.title = result.prepared.model->title, .panels = {panel}};
}

}  // namespace

void require_diagram(const std::string& file, const std::string& parameter) { diagram_points(file, parameter); }

Figure figure(const ContinueResult& result, const std::string& over) {
  if (result.ranges.size() == 2) return figure_in_two(result);
  Panel panel{.x_label = result.ranges[0].name, .y_label = result.observed_name, .curves = {}};
  if (!over.empty()) panel.curves.push_back(diagram_points(over, result.ranges[0].name));
  add_pieces(result, panel.curves);
  Curve names{.label = "", .stroke = Stroke::names, .colour = Colour::black};
  for (std::size_t i = 0; i < result.branch.points.size(); ++i) {
    const BranchPoint& point = result.branch.points[i];
    if (point.special == SpecialKind::none) continue;
    names.x.push_back(point.parameter);
    names.y.push_back(result.observed[i].front());
    names.names.push_back(point.label);
  }
  if (!names.x.empty()) panel.curves.push_back(names);
  return {.title = result.prepared.model->title, .panels = {panel}};
}

}  // namespace saltus
