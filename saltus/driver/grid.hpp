#pragma once

#include <memory>
#include <vector>

#include "saltus/analysis/motions/tiles.hpp"
#include "saltus/driver/sweep_request.hpp"
#include "saltus/result/journal.hpp"

namespace saltus {

/// Points over two ranges, row after row of the second, in tiles whose size depends on nothing but their number.
struct Grid {
  VariedRange x, y;

  std::size_t points() const { return x.count * y.count; }
  std::size_t tile_size() const;
  std::size_t tiles() const { return (points() + tile_size() - 1) / tile_size(); }
  Tile tile(std::size_t index) const;
  /// Values of the first and the second range at a point.
  std::vector<double> at(std::size_t point) const { return {x.at(point % x.count), y.at(point / x.count)}; }
};

/// The numbers of a grid: in the journal, tile by tile.
struct GridNumbers {
  Grid grid;
  std::size_t per_point = 0;
  std::shared_ptr<Journal> journal;
  std::size_t missing = 0;  // tiles that an interrupt left out
  LaneUse use;
  bool writes = true;       // false: this process only computes for another one, which has the numbers

  /// Numbers of a tile's points, point by point; NaN if it is missing.
  std::vector<double> tile(std::size_t index) const;
  bool complete() const { return missing == 0; }
  /// Calls `each(point, numbers)` for all points in order.
  template <class Each>
  void for_each(const Each& each) const {
    for (std::size_t k = 0; k < grid.tiles(); ++k) {
      const std::vector<double> numbers = tile(k);
      for (std::size_t i = 0; i < grid.tile(k).count; ++i)
        each(grid.tile(k).first + i, std::span(numbers).subspan(i * per_point, per_point));
    }
  }
};

/// What is computed over two ranges, and how.
struct GridPlan {
  std::vector<VariedRange> ranges;  // two
  SweepLength length;
  std::optional<MotionSurface> surface;
  std::unique_ptr<const Kernels> kernels;
  TileOptions options;  // `numbers`, `start` and `measure` are the caller's
  std::function<bool(std::span<const double>)> is_possible;  // can these be the numbers of a point?

  Grid grid() const { return {ranges[0], ranges[1]}; }
};

/// What all grids have in common. Throws Error(usage) for ranges, lengths and sections that are none.
GridPlan grid_plan(const SweepRequest& request, const PreparedModel& prepared, Varied what, std::size_t columns);

/// Computes what the journal does not have yet. Under mpirun the tiles are shared among the processes; the first of them keeps
/// the journal and has the numbers at the end. Throws Error(file) if the journal cannot be written; what it has is kept.
GridNumbers compute_grid(const GridPlan& plan, const SweepRequest& request, const Recipe& recipe);

/// That it was interrupted, and how to go on; or how many motions could not be followed. Empty if all is well.
std::string grid_stop_message(const PreparedModel& prepared, const GridNumbers& numbers, std::size_t failed);
ExitCode grid_exit_code(const GridNumbers& numbers, std::size_t failed);

}  // namespace saltus
