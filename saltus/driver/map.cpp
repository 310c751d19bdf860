#include "saltus/driver/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/driver/start_warnings.hpp"

namespace saltus {
namespace {

constexpr double no_motion_here = -1.0;  // in the place of an outcome

/// Columns of the tangent that the measure needs: for the verdict as many as tell one positive or zero exponent from two.
std::size_t columns_of(const Measure& measure, std::size_t dimension) {
  if (measure.kind == Measure::Kind::lyapunov) return measure.exponent;
  return measure.kind == Measure::Kind::verdict ? std::min<std::size_t>(2, dimension) : 0;
}

void write_numbers(const MotionRun* motion, const MapNumbers& at, std::span<double> numbers) {
  std::fill(numbers.begin(), numbers.end(), nothing);
  numbers[at.outcome()] = no_motion_here;
  if (!motion) return;
  const LyapunovSpectrum found = motion->spectrum();
  numbers[at.outcome()] = number_of(found.outcome);
  if (found.outcome != Outcome::reached_end) return;
  for (std::size_t k = 0; k < at.columns; ++k) {
    numbers[k] = found.exponents.values[k];
    numbers[at.columns + k] = found.exponents.standard_errors[k];
  }
  const double period = motion->start().period;
  numbers[at.verdict()] = static_cast<double>(found.verdict.kind);
  // Without exponents too few points, or too slow ones, leave a motion undecided: 0 would say that it is not periodic.
  const bool unknown = at.columns == 0 && found.verdict.kind == MotionKind::undecided;
  numbers[at.period()] = unknown ? nothing : static_cast<double>(found.verdict.period);
  numbers[at.impacts()] = found.impacts_per_unit_time * (period > 0.0 ? period : 1.0);
  numbers[at.sliding()] = found.sliding_fraction;
}

}  // namespace

Measure measure_named(const std::string& name) {
  using Kind = Measure::Kind;
  if (name == "period") return {Kind::period};
  if (name == "verdict") return {Kind::verdict};
  if (name == "impacts") return {Kind::impacts};
  if (name == "sliding") return {Kind::sliding};
  if (name == "lyapunov") return {Kind::lyapunov, 1};
  const std::string digits = name.starts_with("lyapunov") ? name.substr(8) : "";
  if (!digits.empty() && digits.size() < 4 && digits.find_first_not_of("0123456789") == std::string::npos &&
      std::stoul(digits) > 0)
    return {Kind::lyapunov, std::stoul(digits)};
  const std::vector<std::string> known = {"lyapunov", "lyapunov2", "period", "verdict", "impacts", "sliding"};
  const std::string hint = did_you_mean(name, known);
  throw usage(
      fmt::format("unknown measure '{}'\n  expected lyapunov, lyapunov2 (the second largest, and so on), period, "
                  "verdict, impacts or sliding{}",
                  printable(name), hint.empty() ? "" : "\n  " + hint));
}

std::string name_of(const Measure& measure) {
  switch (measure.kind) {
    case Measure::Kind::lyapunov:
      return measure.exponent == 1 ? "lyapunov" : fmt::format("lyapunov{}", measure.exponent);
    case Measure::Kind::period: return "period";
    case Measure::Kind::verdict: return "verdict";
    case Measure::Kind::impacts: return "impacts";
    case Measure::Kind::sliding: return "sliding";
  }
  return "";
}

MapResult run(const MapRequest& request) {
  MapResult result{.prepared = prepared(request), .request = request};
  const PreparedModel& prepared = result.prepared;
  if (is_hill(prepared))
    throw usage("a [hill] model has no motion to follow\n  its chart is drawn by saltus hill with two ⟨vary⟩");
  const std::size_t dimension = prepared.model->dimension();
  if (request.measure.kind == Measure::Kind::lyapunov && request.measure.exponent > dimension)
    throw usage(fmt::format("the model has {} Lyapunov exponents, no number {}\n  expected lyapunov to lyapunov{}",
                            dimension, request.measure.exponent, dimension));
  result.layout = {columns_of(request.measure, dimension)};
  GridPlan plan = grid_plan(request, prepared, Varied::either, result.layout.columns);
  result.options = plan.options.motion.flow;
  result.recipe = sweep_recipe("map", request, prepared, result.options);
  const Grid grid = plan.grid();
  const VariedSetup setups = varied_setup(prepared, request, plan.ranges);
  plan.options.numbers = result.layout.size();
  plan.options.start = [&](std::size_t point) -> std::optional<PointStart> {
    const std::optional<Setup> setup = setups.at(grid.at(point));
    if (!setup) return std::nullopt;
    const SweepLength here = sweep_length(request, setup->forcing_period);
    return PointStart{
        {state_of(setup->initial), setup->parameters, setup->forcing_period}, here.transient, here.length};
  };
  const bool switched = plan.kernels->layout().switches > 0;
  for (std::size_t point = 0; switched && point < grid.points(); ++point) {
    const std::optional<Setup> setup = setups.at(grid.at(point));
    if (setup && warn_of_start(result.prepared.warnings, *plan.kernels, *prepared.model, state_of(setup->initial),
                               setup->parameters))
      break;
  }
  plan.options.measure = [&](const MotionRun* motion, std::span<double> numbers) {
    write_numbers(motion, result.layout, numbers);
  };
  plan.is_possible = [&](std::span<const double> numbers) {
    const double outcome = numbers[result.layout.outcome()], verdict = numbers[result.layout.verdict()];
    return (outcome == no_motion_here || outcome_of(outcome)) && (std::isnan(verdict) || is_count(verdict, last_kind));
  };
  result.numbers = compute_grid(plan, request, result.recipe);
  if (!result.numbers.writes) return result;
  result.numbers.for_each([&](std::size_t, std::span<const double> numbers) {
    const double outcome = numbers[result.layout.outcome()];
    if (outcome == no_motion_here) ++result.no_motion;
    if (outcome_of(outcome).value_or(Outcome::reached_end) != Outcome::reached_end) ++result.failed;
  });
  return result;
}

std::string stop_message(const MapResult& result) {
  return grid_stop_message(result.prepared, result.numbers, result.failed);
}

ExitCode exit_code(const MapResult& result) { return grid_exit_code(result.numbers, result.failed); }

}  // namespace saltus
