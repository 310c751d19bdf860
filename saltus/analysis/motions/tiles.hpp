#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "saltus/analysis/motions/motion_run.hpp"

namespace saltus {

/// Consecutive points of a large set, computed and kept together.
struct Tile {
  std::size_t index = 0;
  std::size_t first = 0;  // point
  std::size_t count = 0;
};

/// Where tiles come from and where their numbers go. Called by one thread at a time.
class TileSource {
 public:
  virtual ~TileSource() = default;
  /// Nothing: there are no more.
  virtual std::optional<Tile> next() = 0;
  /// The numbers of all points of a tile, point by point.
  virtual void done(const Tile& tile, std::vector<double>&& numbers) = 0;
  virtual bool interrupted() { return false; }
};

/// The motion that belongs to a point.
struct PointStart {
  LyapunovStart start;
  double transient = 0.0;  // in the unit of MotionOptions
  double length = 0.0;
};

struct TileOptions {
  MotionOptions motion;  // transient and length are those of the points
  unsigned width = 1;
  unsigned threads = 1;
  std::size_t numbers = 0;  // per point
  /// Nothing: no motion starts at this point. Called by many threads at once.
  std::function<std::optional<PointStart>(std::size_t point)> start;
  /// The numbers of a point from what was found; without a motion, from nothing.
  std::function<void(const MotionRun* motion, std::span<double> numbers)> measure;
};

/// Computes all tiles of the source. Lanes are filled across the borders of tiles, so that none waits for the last motion of
/// a tile; what is computed for a point depends on nothing but the point.
LaneUse compute_tiles(const Kernels& kernels, const TileOptions& options, TileSource& source);

/// The numbers of the points 0 … count − 1, point by point.
std::vector<double> compute_points(const Kernels& kernels, const TileOptions& options, std::size_t count);

}  // namespace saltus
