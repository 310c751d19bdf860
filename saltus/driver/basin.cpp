#include "saltus/driver/basin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/driver/start_warnings.hpp"

namespace saltus {
namespace {

constexpr double long_run = 16.0;    // irregular motions are compared, and measured, over this many times the length
constexpr double none_starts = 2.0;  // in the place of Signature::followed

Vector state_at(const Grid& grid, const Vector& x, std::size_t point) {
  const std::vector<double> values = grid.at(point);
  Vector moved = x;
  moved[static_cast<Eigen::Index>(grid.x.index)] = values[0];
  moved[static_cast<Eigen::Index>(grid.y.index)] = values[1];
  return moved;
}

/// Rounding of a grid of states is told from penetration by the sizes of the grid.
bool is_free(const Kernels& kernels, const std::vector<double>& parameters, const Vector& x, const Vector& sizes) {
  return !is_penetrating(Mechanism(kernels, parameters), 0.0, x, sizes, 1e-12);
}

Vector sizes_of(const Grid& grid, const Vector& x) {
  Vector sizes = x.cwiseAbs();
  for (const VariedRange& range : {grid.x, grid.y})
    sizes[static_cast<Eigen::Index>(range.index)] = std::max(std::abs(range.from), std::abs(range.to));
  return sizes;
}

/// First pass over all points: which attractors are there, and how often?
std::size_t count_motions(BasinResult& result) {
  std::size_t motions = 0;
  result.numbers.for_each([&](std::size_t point, std::span<const double> numbers) {
    if (std::isnan(numbers[0])) return;
    if (numbers[0] == none_starts) {
      ++result.no_motion;
      return;
    }
    ++motions;
    const Signature signature = Signature::read(numbers);
    if (!signature.followed) ++result.failed;
    else if (!result.list.label(signature, point)) ++result.others;
  });
  return motions;
}

/// What is known of the attractors when those that are the same have been found.
struct Merged {
  std::vector<std::size_t> same;  // the entry that stands for each entry
  std::vector<Signature> signatures;
};

/// Irregular motions of a short run differ by chance, or are on their way still. They are followed for long, and compared again: two
/// that agree then, or one that has become periodic meanwhile and another that was so before, are one attractor.
Merged merged_entries(const BasinResult& result, const GridPlan& plan) {
  const auto& entries = result.list.entries();
  Merged merged{std::vector<std::size_t>(entries.size()), {}};
  std::iota(merged.same.begin(), merged.same.end(), 0);
  for (const auto& entry : entries) merged.signatures.push_back(entry.signature);
  std::vector<std::size_t> irregular;
  AttractorList settled;
  std::vector<std::size_t> standing;  // the entry that each attractor of `settled` comes from
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (is_irregular(entries[k].signature)) {
      irregular.push_back(k);
    } else {
      settled.label(entries[k].signature, entries[k].first_point);
      standing.push_back(k);
    }
  }
  if (irregular.empty()) return merged;
  TileOptions options = plan.options;
  options.start = [&](std::size_t i) {
    auto from = plan.options.start(entries[irregular[i]].first_point);
    from->transient += plan.length.length;
    from->length *= long_run;
    return from;
  };
  const std::vector<double> numbers = compute_points(*plan.kernels, options, irregular.size());
  for (std::size_t i = 0; i < irregular.size(); ++i) {
    const Signature later = Signature::read(std::span(numbers).subspan(i * options.numbers, options.numbers));
    const auto label = settled.label(later, 0);
    if (!label) continue;
    if (*label == standing.size()) standing.push_back(irregular[i]);
    merged.same[irregular[i]] = standing[*label];
    merged.signatures[irregular[i]] = later;
  }
  return merged;
}

void find_attractors(BasinResult& result, const GridPlan& plan, const Vector& x) {
  const std::size_t motions = count_motions(result);
  const auto& entries = result.list.entries();
  const auto [same, signatures] = merged_entries(result, plan);
  std::vector<std::size_t> counts(entries.size(), 0);
  for (std::size_t k = 0; k < entries.size(); ++k) counts[same[k]] += entries[k].count;
  std::vector<std::size_t> by_count(entries.size());
  std::iota(by_count.begin(), by_count.end(), 0);
  std::stable_sort(by_count.begin(), by_count.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::size_t> place(entries.size());
  for (const std::size_t k : by_count) {
    if (counts[k] == 0) continue;
    place[k] = result.attractors.size();
    const double share = static_cast<double>(counts[k]) / static_cast<double>(motions);
    result.attractors.push_back({.points = counts[k],
                                 .share = share,
                                 .error = std::sqrt(share * (1.0 - share) / static_cast<double>(motions)),
                                 .first_point = entries[k].first_point,
                                 .x = state_at(result.numbers.grid, x, entries[k].first_point),
                                 .signature = signatures[k],
                                 .spectrum = {}});
  }
  for (std::size_t k = 0; k < entries.size(); ++k) result.order.push_back(place[same[k]]);
}

/// The whole spectrum of each attractor, from the first point that reached it.
void find_spectra(BasinResult& result, const GridPlan& plan) {
  if (plan.length.unit != MotionOptions::Unit::natural) return;
  const Setup& setup = result.prepared.setup;
  MotionOptions motion = plan.options.motion;
  motion.transient = plan.length.transient;
  const bool some_irregular = std::any_of(result.attractors.begin(), result.attractors.end(),
                                          [](const BasinAttractor& each) { return is_irregular(each.signature); });
  motion.length = plan.length.length * (some_irregular ? long_run : 1.0);
  KernelOptions wanted;
  if (plan.surface) wanted.surfaces = {plan.surface->expr};
  const unsigned width = host().lanes;
  const Kernels kernels(*result.prepared.model, wanted, {1, width});
  std::vector<LyapunovStart> starts;
  for (const BasinAttractor& attractor : result.attractors)
    starts.push_back({attractor.x, setup.parameters, setup.forcing_period});
  const auto spectra =
      lyapunov_spectra(kernels, starts, motion, width, threads_of(result.request.options), result.request.interrupted);
  for (std::size_t i = 0; i < spectra.size(); ++i) result.attractors[i].spectrum = spectra[i];
}

}  // namespace

int label_of(const BasinResult& result, std::span<const double> numbers) {
  if (std::isnan(numbers[0])) return static_cast<int>(NoAttractor::missing);
  if (numbers[0] == none_starts) return static_cast<int>(NoAttractor::no_motion);
  const Signature signature = Signature::read(numbers);
  if (!signature.followed) return static_cast<int>(NoAttractor::failed);
  const auto found = result.list.find(signature);
  return found ? static_cast<int>(result.order[*found]) : static_cast<int>(NoAttractor::other);
}

BasinResult run(const BasinRequest& request) {
  BasinResult result{.prepared = prepared(request), .request = request};
  const PreparedModel& prepared = result.prepared;
  if (is_hill(prepared)) throw usage("a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  const Setup& setup = prepared.setup;
  GridPlan plan = grid_plan(request, prepared, Varied::initial_value, 0);
  result.section = plan.surface ? plan.surface->text : setup.forcing_period > 0.0 ? "strobe" : "";
  result.options = plan.options.motion.flow;
  result.recipe = sweep_recipe("basin", request, prepared, result.options);
  const Grid grid = plan.grid();
  const Vector x = initial_state(prepared);
  const Vector sizes = sizes_of(grid, x);
  const Translations translations = translations_of(*plan.kernels, setup.parameters);
  for (std::size_t point = 0; point < grid.points(); ++point)
    if (warn_of_start(result.prepared.warnings, *plan.kernels, *prepared.model, state_at(grid, x, point),
                      setup.parameters))
      break;
  plan.options.numbers = Signature::size(prepared.model->dimension());
  plan.options.start = [&](std::size_t point) -> std::optional<PointStart> {
    const Vector from = state_at(grid, x, point);
    if (!is_free(*plan.kernels, setup.parameters, from, sizes)) return std::nullopt;
    return PointStart{{from, setup.parameters, setup.forcing_period}, plan.length.transient, plan.length.length};
  };
  plan.options.measure = [&](const MotionRun* motion, std::span<double> numbers) {
    std::fill(numbers.begin(), numbers.end(), 0.0);
    if (motion) signature_of(motion->spectrum(), translations).write(numbers);
    else numbers[0] = none_starts;
  };
  plan.is_possible = [](std::span<const double> numbers) {
    constexpr double most = 1e15;
    return is_count(numbers[0], none_starts) &&
           (numbers[0] != 1.0 || (is_count(numbers[1], last_kind) && is_count(numbers[2], most)));
  };
  result.numbers = compute_grid(plan, request, result.recipe);
  if (!result.numbers.writes) return result;
  find_attractors(result, plan, x);
  if (result.numbers.complete()) find_spectra(result, plan);
  return result;
}

std::string stop_message(const BasinResult& result) {
  return grid_stop_message(result.prepared, result.numbers, result.failed);
}

ExitCode exit_code(const BasinResult& result) { return grid_exit_code(result.numbers, result.failed); }

}  // namespace saltus
