#include "saltus/analysis/hill/hill_chart.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "saltus/analysis/motions/parallel.hpp"

namespace saltus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Fills the rows of a chart, from any number of threads.
class ChartRows {
 public:
  ChartRows(const HillEquation& equation, const HillGrid& grid, HillChart& chart)
      : equation_(equation), grid_(grid), chart_(chart) {
    const std::size_t points = grid.nx * grid.ny;
    chart.nx = grid.nx;
    chart.ny = grid.ny;
    for (auto* values : {&chart.discriminant, &chart.zeros, &chart.m1, &chart.impacts_per_period,
                         &chart.critical_restitution, &chart.growth})
      values->assign(points, nan);
    if (grid.block == 0) return;
    for (auto* values : {&chart.averaging, &chart.determinant, &chart.second_order}) values->assign(points, nan);
  }

  void fill(std::size_t iy) {
    std::vector<std::vector<double>> points;
    for (std::size_t first = 0; first < grid_.nx; first += equation_.width()) {
      const std::size_t last = std::min<std::size_t>(grid_.nx, first + equation_.width());
      points.clear();
      for (std::size_t ix = first; ix < last; ++ix) points.push_back(grid_.parameters(ix, iy));
      const std::vector<HillSolution> solutions = equation_.solve_lanes(points);
      for (std::size_t i = 0; i < solutions.size(); ++i) keep(iy * grid_.nx + first + i, solutions[i], points[i]);
    }
  }

  std::size_t not_converged() const { return not_converged_; }

 private:
  void keep(std::size_t k, const HillSolution& solution, const std::vector<double>& p) {
    if (!solution.converged) ++not_converged_;
    if (!std::isfinite(solution.size)) return;
    const HillStability stability = stability_of(solution);
    chart_.discriminant[k] = stability.discriminant;
    chart_.zeros[k] = static_cast<double>(stability.zeros);
    if (stability.m1) chart_.m1[k] = static_cast<double>(*stability.m1);
    chart_.impacts_per_period[k] = stability.impacts_per_period;
    chart_.critical_restitution[k] = stability.critical_restitution;
    chart_.growth[k] = std::exp(stability.log_growth);
    if (grid_.block > 0) approximate(k, solution, p);
  }

  void approximate(std::size_t k, const HillSolution& solution, const std::vector<double>& p) {
    const HillFourier fourier = fourier_of(equation_, p, std::max<std::size_t>(8, harmonics_of_block(grid_.block)));
    const double decay = 0.5 * solution.damping * solution.period;
    const HillAveraging averaged = averaging(fourier, decay);
    if (averaged.excited) chart_.averaging[k] = averaged.critical_restitution;
    const double exact = determinant_discriminant(fourier, grid_.block);
    chart_.determinant[k] = stability_of(exact, solution.zeros, decay).critical_restitution;
    if (const auto second = second_order_discriminant(fourier, grid_.block))
      chart_.second_order[k] = stability_of(*second, solution.zeros, decay).critical_restitution;
  }

  const HillEquation& equation_;
  const HillGrid& grid_;
  HillChart& chart_;
  std::atomic<std::size_t> not_converged_ = 0;
};

}  // namespace

HillChart hill_chart(const HillEquation& equation, const HillGrid& grid, unsigned threads,
                     const std::function<bool()>& interrupted, const std::function<void(double)>& progress) {
  HillChart chart;
  ChartRows rows(equation, grid, chart);
  std::mutex mutex;
  std::size_t done = 0;
  std::atomic<bool> stopped = false;
  const auto row = [&](std::size_t iy) {
    if (stopped) return;
    rows.fill(iy);
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(grid.ny));
    if (interrupted && done < grid.ny && interrupted()) stopped = true;
  };
  parallel_for_each(grid.ny, threads, row);
  chart.not_converged = rows.not_converged();
  chart.complete = done == grid.ny;
  return chart;
}

std::vector<DomainLabel> domain_labels(const HillChart& chart) {
  const std::size_t nx = chart.nx;
  const std::size_t ny = chart.ny;
  // Steps to the nearest point outside the domain, diagonal ones counted as one: two passes over the grid.
  std::vector<std::size_t> depth(nx * ny, 0);
  const auto grow = [&](std::size_t ix, std::size_t iy, int towards) {
    const std::size_t k = iy * nx + ix;
    if (!chart.is_in_domain(k)) return;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if ((dx == 0 && dy == 0) || (dy != towards && !(dy == 0 && dx == towards))) continue;
        const long x = static_cast<long>(ix) + dx;
        const long y = static_cast<long>(iy) + dy;
        const bool inside = x >= 0 && y >= 0 && x < static_cast<long>(nx) && y < static_cast<long>(ny);
        const std::size_t other = inside ? static_cast<std::size_t>(y) * nx + static_cast<std::size_t>(x) : k;
        least =
            std::min(least, inside && chart.is_in_domain(other) && chart.m1[other] == chart.m1[k] ? depth[other] : 0);
      }
    }
    depth[k] = towards < 0 ? least + 1 : std::min(depth[k], least + 1);
  };
  for (std::size_t iy = 0; iy < ny; ++iy)
    for (std::size_t ix = 0; ix < nx; ++ix) grow(ix, iy, -1);
  for (std::size_t iy = ny; iy-- > 0;)
    for (std::size_t ix = nx; ix-- > 0;) grow(ix, iy, 1);
  std::map<long, std::size_t> deepest;
  for (std::size_t k = 0; k < depth.size(); ++k) {
    if (!chart.is_in_domain(k)) continue;
    const auto [found, added] = deepest.try_emplace(static_cast<long>(chart.m1[k]), k);
    if (!added && depth[k] > depth[found->second]) found->second = k;
  }
  std::vector<DomainLabel> labels;
  for (const auto& [m1, k] : deepest) labels.push_back({m1, k % nx, k / nx});
  return labels;
}

}  // namespace saltus
