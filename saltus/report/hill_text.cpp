#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/report/hill.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {

std::string averaging_words(const HillAveraging& averaging) {
  if (averaging.resonance == 0) return "none: the mean stiffness is too small for an oscillation to average";
  return fmt::format("none: first-order averaging has no parametric term at resonance {} (g has no harmonic {})",
                     averaging.resonance, averaging.resonance);
}

namespace {

std::string twelve(double value) { return fmt::format("{:.12g}", value + 0.0); }

// ---- text of a point -----------------------------------------------------------------------------------------------

std::string matrix_text(const Eigen::Matrix2d& m) {
  return fmt::format("[{} {}; {} {}]", six_digits(m(0, 0)), six_digits(m(0, 1)), six_digits(m(1, 0)),
                     six_digits(m(1, 1)));
}

std::string multipliers_text(const std::array<std::complex<double>, 2>& multipliers) {
  const std::complex<double> first = multipliers[0];
  if (first.imag() != 0.0) return fmt::format("{} ± {} i", twelve(first.real()), twelve(first.imag()));
  return fmt::format("{}, {}", twelve(first.real()), twelve(multipliers[1].real()));
}

/// With damping both: of y, to which discriminant and zeros belong, and of x = e^(−at/2) y.
std::vector<std::string> multiplier_lines(const HillPoint& point) {
  const auto& of_y = point.stability.multipliers;
  if (point.solution.damping == 0.0) return {multipliers_text(of_y)};
  const double decay = std::exp(-0.5 * point.solution.damping * point.solution.period);
  return {
      multipliers_text({decay * of_y[0], decay * of_y[1]}),
      fmt::format("without the factor e^(-aT/2) = {} of the damping: {}", six_digits(decay), multipliers_text(of_y))};
}

std::string discriminant_words(const HillStability& stability) {
  switch (verdict_without_stop(stability)) {
    case HillFreeVerdict::stable: return "stable without the stop";
    case HillFreeVerdict::boundary: return "on a boundary of stability";
    case HillFreeVerdict::unstable: return "unstable without the stop";
  }
  return "";
}

std::string domain_text(const HillStability& stability) {
  const bool grows = verdict_without_stop(stability) == HillFreeVerdict::unstable;
  const char* motion = grows ? "a growing motion" : "the slowest decaying motion";
  if (stability.m1 == 0) return fmt::format("m1 = 0: {} does not meet the stop", motion);
  if (stability.m1) return fmt::format("m1 = {}: {} meets the stop so often in a period", *stability.m1, motion);
  return fmt::format("none; a motion meets the stop {} times per period", six_digits(stability.impacts_per_period));
}

std::string critical_text(const HillStability& stability) {
  const double critical = stability.critical_restitution;
  if (critical == 0.0) return "0: unstable for every restitution";
  if (critical == 1.0 && stability.log_growth < 0.0) return "1: stable for every restitution, 1 included";
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
       {"multipliers", multiplier_lines(point)},
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
      if (!chart.is_in_domain(k) || chart.m1[k] != static_cast<double>(label.m1)) continue;
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

}  // namespace

std::string to_text(const HillResult& result) { return result.point ? point_text(result) : chart_text(result); }

}  // namespace saltus
