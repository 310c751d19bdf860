#include "saltus/driver/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

/// Hands out the tiles that the journal does not have, and writes down what comes back.
class JournalTiles final : public TileSource {
 public:
  JournalTiles(const Grid& grid, Journal& journal, const SweepRequest& request)
      : grid_(grid), journal_(journal), request_(request) {
    progress_.total = grid.tiles();
    progress_.done = progress_.before = journal.size();
  }

  std::optional<Tile> next() override {
    while (next_ < grid_.tiles() && journal_.has(next_)) ++next_;
    if (next_ == grid_.tiles()) return std::nullopt;
    return grid_.tile(next_++);
  }
  void done(const Tile& tile, std::vector<double>&& numbers) override {
    journal_.append(tile.index, numbers);
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ < std::chrono::milliseconds(200)) return;
    journal_.sync();
    synced_ = now;
    progress_.done = journal_.synced();
    if (request_.advanced) request_.advanced(in_points());
  }
  bool interrupted() override { return request_.interrupted && request_.interrupted(); }

 private:
  SweepProgress in_points() const {
    const auto points = [&](std::size_t tiles) { return std::min(tiles * grid_.tile_size(), grid_.points()); };
    return {points(progress_.done), grid_.points(), points(progress_.before)};
  }

  const Grid& grid_;
  Journal& journal_;
  const SweepRequest& request_;
  std::size_t next_ = 0;
  SweepProgress progress_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

/// What to do when the disk is full: the message of the failure, and what is kept.
Error with_remedy(const Error& error, const Journal& journal, std::size_t tiles) {
  if (error.code() != ExitCode::file || journal.path().empty()) return error;
  return {ExitCode::file, fmt::format("{}\n  {} of {} tiles are kept in '{}'; make room and continue with --resume",
                                      error.what(), journal.size(), tiles, printable(journal.path()))};
}

}  // namespace

std::size_t Grid::tile_size() const { return std::clamp<std::size_t>(points() / 512, 16, 1024); }

Tile Grid::tile(std::size_t index) const {
  const std::size_t first = index * tile_size();
  return {index, first, std::min(tile_size(), points() - first)};
}

std::vector<double> GridNumbers::tile(std::size_t index) const {
  if (journal->has(index)) return journal->read(index);
  return std::vector<double>(grid.tile(index).count * per_point, std::numeric_limits<double>::quiet_NaN());
}

GridNumbers compute_grid(const Grid& grid, const Kernels& kernels, const TileOptions& options,
                         const SweepRequest& request, const Recipe& recipe) {
  GridNumbers numbers{.grid = grid, .per_point = options.numbers};
  numbers.journal = sweep_journal(request, recipe);
  JournalTiles tiles(grid, *numbers.journal, request);
  try {
    numbers.use = compute_tiles(kernels, options, tiles);
    numbers.journal->sync();
  } catch (const Error& error) { throw with_remedy(error, *numbers.journal, grid.tiles()); }
  numbers.missing = grid.tiles() - numbers.journal->size();
  return numbers;
}

GridAxis axis_of(const VariedRange& range) {
  const bool parameter = range.of == VariedRange::Of::parameter;
  return {range.name, (parameter ? "parameter " : "initial value of ") + range.name, range.values()};
}

}  // namespace saltus
