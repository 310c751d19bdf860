#include "saltus/driver/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <limits>
#include <mutex>
#include <thread>

#include "saltus/base/text.hpp"
#include "saltus/driver/ranks.hpp"

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

// ---- several processes -----------------------------------------------------------------------------------------------
// Messages to rank 0: {wants}, {tile, numbers…} or {leaves}; from rank 0: {tile} or {none}. A worker asks for a tile ahead, so
// that its lanes do not run empty while the answer is on its way: what it still computes comes after it was told that there is
// none left, and {leaves} comes last.

constexpr double wants = -1.0;
constexpr double none = -2.0;
constexpr double leaves = -3.0;
constexpr auto breath = std::chrono::microseconds(200);

/// Rank 0: computes in its own threads what `tiles` hands out while this thread serves the others.
class SharedTiles final : public TileSource {
 public:
  explicit SharedTiles(TileSource& tiles) : tiles_(tiles) {}
  std::optional<Tile> next() override {
    const std::lock_guard lock(mutex_);
    return tiles_.next();
  }
  void done(const Tile& tile, std::vector<double>&& numbers) override {
    const std::lock_guard lock(mutex_);
    tiles_.done(tile, std::move(numbers));
  }
  bool interrupted() override { return failed_ || tiles_.interrupted(); }
  void fail() { failed_ = true; }

 private:
  TileSource& tiles_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
};

void serve(Ranks& ranks, const Grid& grid, SharedTiles& tiles) {
  int working = ranks.size() - 1;
  Ranks::Message message;
  while (working > 0) {
    if (!ranks.receive(message)) {
      std::this_thread::sleep_for(breath);
      continue;
    }
    if (message.numbers.front() == leaves) {
      --working;
      continue;
    }
    if (message.numbers.front() != wants) {
      const auto index = static_cast<std::size_t>(message.numbers.front());
      tiles.done(grid.tile(index), {message.numbers.begin() + 1, message.numbers.end()});
      continue;
    }
    const std::optional<Tile> tile = tiles.interrupted() ? std::nullopt : tiles.next();
    ranks.send(message.from, {tile ? static_cast<double>(tile->index) : none});
  }
}

LaneUse lead(Ranks& ranks, const Grid& grid, const Kernels& kernels, const TileOptions& options, TileSource& source) {
  SharedTiles tiles(source);
  auto own = std::async(std::launch::async, [&] { return compute_tiles(kernels, options, tiles); });
  try {
    serve(ranks, grid, tiles);
  } catch (...) {
    tiles.fail();
    own.wait();
    throw;
  }
  return own.get();
}

/// A worker: the main thread speaks with rank 0, the lanes compute in others.
class BorrowedTiles final : public TileSource {
 public:
  explicit BorrowedTiles(const Grid& grid) : grid_(grid) {}

  std::optional<Tile> next() override {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    const Tile tile = grid_.tile(waiting_.front());
    waiting_.pop_front();
    return tile;
  }
  void done(const Tile& tile, std::vector<double>&& numbers) override {
    numbers.insert(numbers.begin(), static_cast<double>(tile.index));
    const std::lock_guard lock(mutex_);
    finished_.push_back(std::move(numbers));
  }

  /// Until the lanes are done: asks for a tile whenever none waits, and sends what is finished.
  void converse(Ranks& ranks, const std::future<LaneUse>& lanes) {
    bool asked = false;
    while (true) {
      const bool last = lanes.wait_for(breath) == std::future_status::ready;
      if (!asked && wants_more()) {
        ranks.send(0, {wants});
        asked = true;
      }
      Ranks::Message message;
      if (asked && ranks.receive(message)) {
        asked = false;
        take(message.numbers.front());
      }
      for (const std::vector<double>& numbers : all_finished()) ranks.send(0, numbers);
      if (last && !asked) break;
    }
    ranks.send(0, {leaves});
  }

 private:
  bool wants_more() {
    const std::lock_guard lock(mutex_);
    return !ended_ && waiting_.empty();
  }
  void take(double answer) {
    const std::lock_guard lock(mutex_);
    if (answer == none) ended_ = true;
    else waiting_.push_back(static_cast<std::size_t>(answer));
    arrived_.notify_all();
  }
  std::vector<std::vector<double>> all_finished() {
    const std::lock_guard lock(mutex_);
    return std::exchange(finished_, {});
  }

  const Grid& grid_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::size_t> waiting_;
  std::vector<std::vector<double>> finished_;
  bool ended_ = false;
};

LaneUse follow(Ranks& ranks, const Grid& grid, const Kernels& kernels, const TileOptions& options) {
  BorrowedTiles tiles(grid);
  auto lanes = std::async(std::launch::async, [&] { return compute_tiles(kernels, options, tiles); });
  tiles.converse(ranks, lanes);
  return lanes.get();
}

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
  Ranks* const all = ranks();
  if (all && all->rank() > 0) {
    numbers.writes = false;
    numbers.use = follow(*all, grid, kernels, options);
    return numbers;
  }
  numbers.journal = sweep_journal(request, recipe);
  JournalTiles tiles(grid, *numbers.journal, request);
  try {
    numbers.use = all ? lead(*all, grid, kernels, options, tiles) : compute_tiles(kernels, options, tiles);
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
