#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/hill.hpp"
#include "saltus/report/level_curves.hpp"

namespace saltus {
namespace {

constexpr double boundaries[] = {-2.0, 2.0};

/// ε_c with what must not have level curves left out: the jump at the zeroth domain.
Image leveled(const HillResult& result, const std::vector<double>& values) {
  Image image{result.ranges[0].values(), result.ranges[1].values(), values};
  for (std::size_t k = 0; k < values.size(); ++k)
    if (result.chart.m1[k] == 0.0) image.values[k] = nothing;
  return image;
}

/// Where |λ₁| = e^(aT/2): Δ = ±2 cosh(aT/2). aT/2 is what the growth without the stop lacks of ln |λ₁|.
Curve boundary_curve(const HillResult& result, double discriminant) {
  const HillChart& chart = result.chart;
  Image image{result.ranges[0].values(), result.ranges[1].values(), chart.discriminant};
  for (std::size_t k = 0; k < image.values.size(); ++k) {
    const double log_lambda = std::acosh(std::max(1.0, 0.5 * std::abs(chart.discriminant[k])));
    image.values[k] /= std::cosh(std::max(0.0, log_lambda - std::log(chart.growth[k])));
  }
  return level_curve(image, discriminant);
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
    if (!chart.is_unstable(k)) image.values[k] = nothing;
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
      all.x.push_back(nothing);
      all.y.push_back(nothing);
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

Figure figure(const HillResult& result) {
  if (result.point) return point_figure(result);
  return result.request.approximations ? comparison_figure(result) : chart_figure(result);
}

}  // namespace saltus
