#include "saltus/driver/hill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/request_options.hpp"

namespace saltus {
namespace {

constexpr long extrapolated_half = 32;  // the blocks of 65 and 129 rows
constexpr int samples_per_period = 256;

void require_sensible(const HillRequest& request, const Model& model) {
  if (!model.hill)
    throw usage("the model has no [hill]\n  expected Hill's equation, such as examples/mathieu_stop.toml");
  require_valid(request);
  const bool chart = request.chart || !request.vary.empty();
  if (request.chart && !request.vary.empty()) throw usage("both ⟨chart⟩ and ⟨vary⟩ are given\n  expected one of them");
  if (!request.vary.empty() && request.vary.size() != 2)
    throw usage(
        fmt::format("⟨vary⟩ is given {}\n  expected two of them, such as ⟨vary⟩ alpha=-8:32:401 ⟨vary⟩ "
                    "beta=0:12:241",
                    request.vary.size() == 1 ? "once" : fmt::format("{} times", request.vary.size())));
  if (chart && request.verify) throw usage("⟨verify⟩ follows the motion at one point\n  leave ⟨vary⟩ out, or ⟨verify⟩");
  if (!chart && request.approximations)
    throw usage("⟨approximations⟩ is for the chart; at one point they are always there\n  leave it out");
}

// ---- is g periodic? ------------------------------------------------------------------------------------------------

/// A warning if g(t + T) is not g(t). The instants are spread irregularly, so that no switching instant is among them.
void check_period(const HillEquation& equation, PreparedModel& prepared) {
  const std::vector<double>& p = prepared.setup.parameters;
  const double T = equation.numbers(p).period;
  constexpr int instants = 23;
  double worst = 0.0;
  double at = 0.0;
  double largest = 0.0;
  for (int i = 0; i < instants; ++i) {
    const double t = T * std::fmod(0.2718281828459045 + 0.6180339887498949 * i, 1.0);
    const double difference = std::abs(equation.stiffness(t + T, p) - equation.stiffness(t, p));
    largest = std::max(largest, std::abs(equation.stiffness(t, p)));
    if (!(difference > worst)) continue;
    worst = difference;
    at = t;
  }
  if (worst <= 1e-9 * std::max(1.0, largest)) return;
  const double before = equation.stiffness(at, p);
  const double after = equation.stiffness(at + T, p);
  prepared.warnings.push_back(
      {Severity::warning,
       prepared.model->hill->g.span,
       fmt::format("the stiffness g does not repeat after its period {}: it is {} at t = {} and {} one period later",
                   six_digits(T), six_digits(before), six_digits(at), six_digits(after)),
       "g(t + period) = g(t)",
       "what follows is for the first period, repeated for ever",
       {}});
}

// ---- one point -----------------------------------------------------------------------------------------------------

HillApproximations approximations_at(const HillEquation& equation, std::span<const double> p,
                                     const HillSolution& solution, long block) {
  HillApproximations result;
  const double decay = 0.5 * solution.damping * solution.period;
  result.block = block;
  result.extrapolated_block = 4 * extrapolated_half + 1;
  result.fourier = fourier_of(equation, p, harmonics_of_block(std::max(block, result.extrapolated_block)));
  result.averaging = averaging(result.fourier, decay);
  result.determinant = stability_of(determinant_discriminant(result.fourier, block), solution.zeros, decay);
  if (const auto second = second_order_discriminant(result.fourier, block))
    result.second_order = stability_of(*second, solution.zeros, decay);
  result.extrapolated =
      stability_of(extrapolated_discriminant(result.fourier, extrapolated_half), solution.zeros, decay);
  return result;
}

/// Periods after which a motion that grows by `factor` in each has changed by a power of ten or so.
long periods_for(double factor) {
  const double rate = std::abs(std::log(std::max(factor, 1e-300)));
  return std::clamp(static_cast<long>(10.0 / std::max(rate, 1e-6)), 2L, 400L);
}

/// Restitutions 2 % below and above the critical one; where there is no such side, the nearest possible.
std::vector<double> restitutions_to_verify(double critical) {
  if (critical == 0.0) return {0.0, 1.0};
  if (critical >= 1.0) return {0.98};
  return {0.98 * critical, std::min(1.0, 1.02 * critical)};
}

std::vector<HillVerification> verified(const HillResult& result, const HillPoint& point) {
  const HillMotion motion(*result.prepared.model);
  const FlowOptions options = flow_options(result.prepared, result.request.options, "");
  std::vector<HillVerification> all;
  for (const double restitution : restitutions_to_verify(point.stability.critical_restitution)) {
    const HillMap map = poincare_map(point.solution, restitution);
    const Eigen::Vector2d start = map.directions.empty() ? Eigen::Vector2d(1.0, 0.0) : map.directions.front().v;
    HillVerification one;
    one.predicted = growth_per_period(point.stability, restitution);
    one.growth = motion.growth(result.prepared.setup.parameters, restitution, start, periods_for(one.predicted),
                               options, result.request.interrupted);
    all.push_back(one);
  }
  return all;
}

HillPoint point_of(const HillResult& result, const HillEquation& equation) {
  const std::vector<double>& p = result.prepared.setup.parameters;
  HillPoint point;
  point.numbers = equation.numbers(p);
  point.solution = equation.solve(p);
  point.switching_instants = equation.switching_instants(p);
  if (!std::isfinite(point.solution.size)) return point;
  point.stability = stability_of(point.solution);
  point.map = poincare_map(point.solution, point.numbers.restitution);
  point.verdict = verdict_for(point.stability, point.numbers.restitution);
  point.approximations = approximations_at(equation, p, point.solution, result.request.block);
  for (int i = 0; i <= samples_per_period; ++i) point.t.push_back(point.numbers.period * i / samples_per_period);
  point.solutions = equation.fundamental_matrices(p, point.t);
  if (result.request.verify) point.verification = verified(result, point);
  return point;
}

// ---- chart ---------------------------------------------------------------------------------------------------------

/// True if a varied parameter may move another one, which is then to be computed anew at every point.
bool has_dependent_parameters(const PreparedModel& prepared, const HillRequest& request) {
  const Model& model = *prepared.model;
  for (const Parameter& parameter : model.parameters)
    if (!parameter.value.is_constant()) return true;
  for (const Case& variant : model.cases) {
    if (variant.name != request.case_name) continue;
    for (const auto& [name, value] : variant.parameters)
      if (!value.expr.is_constant()) return true;
  }
  return std::any_of(request.assignments.begin(), request.assignments.end(), [](const Assignment& a) {
    return a.value.find_first_not_of("0123456789.+-eE ") != std::string::npos;
  });
}

/// The parameters at a point of the grid.
class GridParameters {
 public:
  GridParameters(const PreparedModel& prepared, const HillRequest& request, const std::vector<VariedRange>& ranges)
      : prepared_(prepared),
        request_(request),
        ranges_(ranges),
        dependent_(has_dependent_parameters(prepared, request)) {}

  std::vector<double> operator()(std::size_t ix, std::size_t iy) const {
    if (!dependent_) {
      std::vector<double> p = prepared_.setup.parameters;
      p[ranges_[0].index] = ranges_[0].at(ix);
      p[ranges_[1].index] = ranges_[1].at(iy);
      return p;
    }
    std::vector<Assignment> assignments = request_.assignments;
    assignments.push_back(assigned(ranges_[0], ranges_[0].at(ix)));
    assignments.push_back(assigned(ranges_[1], ranges_[1].at(iy)));
    SetupReading reading = set_up(*prepared_.model, request_.case_name, assignments);
    if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
    return std::move(reading.setup->parameters);
  }

 private:
  const PreparedModel& prepared_;
  const HillRequest& request_;
  const std::vector<VariedRange>& ranges_;
  bool dependent_;
};

/// The ends of both ranges are tried first: a restitution or a period that is none is the fault of the range.
void require_corners(const HillResult& result) {
  for (const double x : {result.ranges[0].from, result.ranges[0].to}) {
    for (const double y : {result.ranges[1].from, result.ranges[1].to}) {
      std::vector<Assignment> assignments = result.request.assignments;
      assignments.push_back(assigned(result.ranges[0], x));
      assignments.push_back(assigned(result.ranges[1], y));
      SetupReading reading = set_up(*result.prepared.model, result.request.case_name, assignments);
      if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
    }
  }
}

std::vector<VariedRange> ranges_of(const HillRequest& request, const PreparedModel& prepared) {
  std::vector<std::string> texts = request.vary;
  if (request.chart) texts = {"alpha=-8:32:401", "beta=0:12:241"};
  std::vector<VariedRange> ranges;
  for (const std::string& text : texts)
    ranges.push_back(read_range(text, prepared, Varied::parameter, RangeForm::values));
  if (ranges.size() == 2 && ranges[0].name == ranges[1].name)
    throw usage(fmt::format("⟨vary⟩ names '{}' twice\n  expected two different parameters", ranges[0].name));
  return ranges;
}

HillChart chart_of(const HillResult& result, const HillEquation& equation) {
  const HillRequest& request = result.request;
  const GridParameters parameters(result.prepared, request, result.ranges);
  const HillGrid grid{.nx = result.ranges[0].count,
                      .ny = result.ranges[1].count,
                      .parameters = [&](std::size_t ix, std::size_t iy) { return parameters(ix, iy); },
                      .block = request.approximations ? request.block : 0};
  return hill_chart(equation, grid, threads_of(request.options), request.interrupted, request.progress);
}

/// The axes' ratio of the ellipses −ẏ₁ x² + (y₁ − ẏ₂) x ẋ + y₂ ẋ² = const, which Φ_T keeps if |Δ| < 2: a motion's size changes by as
/// much within a turn.
double ellipse_ratio(const Eigen::Matrix2d& phi) {
  const double p = -phi(1, 0);
  const double q = 0.5 * (phi(0, 0) - phi(1, 1));
  const double r = phi(0, 1);
  const double mean = 0.5 * (p + r);
  const double radius = std::hypot(0.5 * (p - r), q);
  return std::sqrt((std::abs(mean) + radius) / std::max(0.0, std::abs(mean) - radius));
}

/// The engine contradicts the theory: on another side of 1; where sizes turn on ellipses, by more than these and two impacts do.
bool contradicts(const HillPoint& point, const HillVerification& verification) {
  const HillGrowth& growth = verification.growth;
  if (growth.outcome != Outcome::reached_end) return false;
  if (!point.map.directions.empty()) return (growth.factor > 1.0) != (verification.predicted > 1.0);
  const double whole = static_cast<double>(growth.periods) * std::log(growth.factor / verification.predicted);
  return std::abs(whole) > std::log(ellipse_ratio(point.map.phi)) - 2.0 * std::log(growth.restitution);
}

}  // namespace

HillResult run(const HillRequest& request) {
  HillResult result{.prepared = prepared(request), .request = request};
  const Model& model = *result.prepared.model;
  require_sensible(request, model);
  result.ranges = ranges_of(request, result.prepared);
  const bool chart = !result.ranges.empty();
  if (chart) require_corners(result);
  const HillEquation equation(model, chart ? host().lanes : 1);
  check_period(equation, result.prepared);
  if (chart) result.chart = chart_of(result, equation);
  else result.point = point_of(result, equation);
  return result;
}

std::string stop_message(const HillResult& result) {
  const std::string& file = result.prepared.file;
  if (!result.point) {
    if (!result.chart.complete) return fmt::format("{}: interrupted; the rows that were computed are kept\n", file);
    if (result.chart.not_converged > 0)
      return fmt::format("{}: g changes too fast at {} of the points: they are less accurate, or not known\n", file,
                         result.chart.not_converged);
    return "";
  }
  const HillSolution& solution = result.point->solution;
  if (!std::isfinite(solution.size))
    return fmt::format(
        "{}: the solutions are not finite after one period\n"
        "  look for a division by zero in g, or for a negative g so large that solutions grow beyond 1e300\n",
        file);
  if (!solution.converged)
    return fmt::format("{}: g changes too fast: with {} steps the error is still {:.1e}\n", file, solution.steps,
                       solution.error);
  for (const HillVerification& each : result.point->verification) {
    if (each.growth.outcome == Outcome::stopped) return fmt::format("{}: interrupted\n", file);
    if (each.growth.outcome != Outcome::reached_end)
      return fmt::format("{}: the motion with restitution {} ended early: {}\n", file,
                         six_digits(each.growth.restitution), name_of(each.growth.outcome));
    if (contradicts(*result.point, each))
      return fmt::format("{}: the motion with restitution {} changes by {} per period, theory says {}\n", file,
                         six_digits(each.growth.restitution), six_digits(each.growth.factor),
                         six_digits(each.predicted));
  }
  return "";
}

ExitCode exit_code(const HillResult& result) {
  if (!result.point && !result.chart.complete) return ExitCode::interrupted;
  if (result.point)
    for (const HillVerification& each : result.point->verification)
      if (each.growth.outcome == Outcome::stopped) return ExitCode::interrupted;
  return stop_message(result).empty() ? ExitCode::done : ExitCode::stopped_early;
}

}  // namespace saltus
