#include "saltus/driver/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/shared_work.hpp"

namespace saltus {
namespace {

/// Hands out the tiles that the journal does not have, and writes down what comes back: {tile} and {tile, its numbers …}.
class JournalTiles final : public Pieces {
 public:
  JournalTiles(const Grid& grid, Journal& journal, const SweepRequest& request)
      : grid_(grid), journal_(journal), request_(request) {
    progress_.total = grid.tiles();
    progress_.done = progress_.before = journal.size();
  }

  std::optional<std::vector<double>> next() override {
    while (next_ < grid_.tiles() && journal_.has(next_)) ++next_;
    if (next_ == grid_.tiles()) return std::nullopt;
    return std::vector<double>{static_cast<double>(next_++)};
  }
  void found(std::vector<double>&& numbers) override {
    journal_.append(static_cast<std::uint64_t>(numbers.front()), std::span(numbers).subspan(1));
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

/// The same pieces as tiles.
class PieceTiles final : public TileSource {
 public:
  PieceTiles(const Grid& grid, Pieces& pieces) : grid_(grid), pieces_(pieces) {}

  std::optional<Tile> next() override {
    const auto piece = pieces_.next();
    return piece ? std::optional(grid_.tile(static_cast<std::size_t>(piece->front()))) : std::nullopt;
  }
  void done(const Tile& tile, std::vector<double>&& numbers) override {
    numbers.insert(numbers.begin(), static_cast<double>(tile.index));
    pieces_.found(std::move(numbers));
  }
  bool interrupted() override { return pieces_.interrupted(); }

 private:
  const Grid& grid_;
  Pieces& pieces_;
};

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

GridPlan grid_plan(const SweepRequest& request, const PreparedModel& prepared, Varied what, std::size_t columns) {
  GridPlan plan;
  plan.ranges = sweep_ranges(request, prepared, 2, what);
  constexpr double most_points = 1e8;  // some numbers of each in the file, and hours
  const double points = static_cast<double>(plan.ranges[0].count) * static_cast<double>(plan.ranges[1].count);
  if (points > most_points)
    throw usage(fmt::format("⟨vary⟩: {} points are too many\n  expected at most 100000000", six_digits(points)));
  plan.length = sweep_length(request, prepared.setup.forcing_period);
  plan.surface = verdict_surface(request, prepared);
  KernelOptions wanted;
  wanted.state_columns = columns;
  if (plan.surface) wanted.surfaces = {plan.surface->expr};
  const unsigned width = host().lanes;
  plan.kernels = std::make_unique<Kernels>(*prepared.model, wanted, std::vector<unsigned>{1, width});
  TileOptions& options = plan.options;
  options.motion.flow = flow_options(prepared, request.options, request.method);
  options.motion.unit = plan.length.unit;
  options.motion.sum_rule = false;
  options.motion.keep_history = false;
  if (plan.surface) options.motion.section = plan.surface->watch;
  options.width = width;
  options.threads = threads_of(request.options);
  return plan;
}

GridNumbers compute_grid(const GridPlan& plan, const SweepRequest& request, const Recipe& recipe) {
  GridNumbers numbers{.grid = plan.grid(), .per_point = plan.options.numbers};
  const Computation compute = [&](Pieces& pieces) {
    PieceTiles tiles(numbers.grid, pieces);
    return compute_tiles(*plan.kernels, plan.options, tiles);
  };
  Ranks* const all = ranks();
  if (all && all->rank() > 0) {
    numbers.writes = false;
    numbers.use = follow(*all, compute, work_of(recipe));
    return numbers;
  }
  numbers.journal = sweep_journal(request, recipe, [&](std::uint64_t key, std::span<const double> values) {
    if (key >= numbers.grid.tiles() || values.size() != numbers.grid.tile(key).count * numbers.per_point) return false;
    for (std::size_t i = 0; plan.is_possible && i < values.size(); i += numbers.per_point)
      if (!plan.is_possible(values.subspan(i, numbers.per_point))) return false;
    return true;
  });
  JournalTiles tiles(numbers.grid, *numbers.journal, request);
  try {
    numbers.use = all ? lead(*all, tiles, compute, work_of(recipe)) : compute(tiles);
    numbers.journal->sync();
  } catch (const Error& error) { throw with_remedy(error, *numbers.journal, numbers.grid.tiles(), "tiles"); }
  numbers.missing = numbers.grid.tiles() - numbers.journal->size();
  return numbers;
}

std::string grid_stop_message(const PreparedModel& prepared, const GridNumbers& numbers, std::size_t failed) {
  if (!numbers.complete()) {
    const std::string again = numbers.journal->path().empty() ? "" : "; ⟨resume⟩ continues it";
    return said(fmt::format("{}: interrupted: {} of {} tiles are missing{}\n", prepared.file, numbers.missing,
                            numbers.grid.tiles(), again));
  }
  if (failed == 0) return "";
  return said(
      fmt::format("{}: {} motion{} could not be followed to the end\n"
                  "  look at one of them with saltus simulate and ⟨set⟩\n",
                  prepared.file, failed, failed == 1 ? "" : "s"));
}

ExitCode grid_exit_code(const GridNumbers& numbers, std::size_t failed) {
  if (!numbers.complete()) return ExitCode::interrupted;
  return failed == 0 ? ExitCode::done : ExitCode::stopped_early;
}

}  // namespace saltus
