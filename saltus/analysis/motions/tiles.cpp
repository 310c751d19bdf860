#include "saltus/analysis/motions/tiles.hpp"

#include <utility>

namespace saltus {
namespace {

/// A tile on its way.
struct OpenTile {
  Tile tile;
  std::vector<double> numbers;
  std::size_t begun = 0;
  std::size_t left = 0;
};

class PointJob final : public LaneJob {
 public:
  PointJob(const Kernels& kernels, const TileOptions& options, std::shared_ptr<OpenTile> tile, std::size_t place)
      : kernels_(kernels), options_(options), tile_(std::move(tile)), place_(place) {}

  bool next(FlowRun& run) override {
    if (!begun_) begin();
    if (motion_ && motion_->next(run)) return true;
    const std::size_t count = options_.numbers;
    options_.measure(motion_.get(), std::span(tile_->numbers).subspan(place_ * count, count));
    motion_.reset();
    return false;
  }
  void take(FlowResult&& result) override { motion_->take(std::move(result)); }
  OpenTile& tile() { return *tile_; }

 private:
  void begin() {
    begun_ = true;
    auto from = options_.start(tile_->tile.first + place_);
    if (!from) return;
    motion_options_ = options_.motion;
    motion_options_.transient = from->transient;
    motion_options_.length = from->length;
    motion_ = std::make_unique<MotionRun>(kernels_, std::move(from->start), motion_options_);
  }

  const Kernels& kernels_;
  const TileOptions& options_;
  std::shared_ptr<OpenTile> tile_;
  std::size_t place_;
  bool begun_ = false;
  MotionOptions motion_options_;
  std::unique_ptr<MotionRun> motion_;
};

class TileQueue final : public JobQueue {
 public:
  TileQueue(const Kernels& kernels, const TileOptions& options, TileSource& source)
      : kernels_(kernels), options_(options), source_(source) {}

  std::unique_ptr<LaneJob> next() override {
    if (!open_ || open_->begun == open_->tile.count) {
      const std::optional<Tile> tile = source_.next();
      if (!tile) return nullptr;
      open_ = std::make_shared<OpenTile>(
          OpenTile{*tile, std::vector<double>(tile->count * options_.numbers), 0, tile->count});
    }
    return std::make_unique<PointJob>(kernels_, options_, open_, open_->begun++);
  }
  void done(std::unique_ptr<LaneJob> job) override {
    OpenTile& tile = static_cast<PointJob&>(*job).tile();
    if (--tile.left == 0) source_.done(tile.tile, std::move(tile.numbers));
  }
  bool interrupted() override { return source_.interrupted(); }

 private:
  const Kernels& kernels_;
  const TileOptions& options_;
  TileSource& source_;
  std::shared_ptr<OpenTile> open_;
};

}  // namespace

LaneUse compute_tiles(const Kernels& kernels, const TileOptions& options, TileSource& source) {
  TileQueue queue(kernels, options, source);
  const auto carries =
      kernels.layout().state_columns > 0 ? LaneStepper::Carries::state_and_tangent : LaneStepper::Carries::state;
  return run_jobs(kernels, options.motion.flow, carries, options.width, options.threads, queue);
}

std::vector<double> compute_points(const Kernels& kernels, const TileOptions& options, std::size_t count) {
  class OneTile final : public TileSource {
   public:
    explicit OneTile(std::size_t points) : points_(points) {}
    std::optional<Tile> next() override {
      if (points_ == 0) return std::nullopt;
      return Tile{0, 0, std::exchange(points_, 0)};
    }
    void done(const Tile&, std::vector<double>&& found) override { numbers = std::move(found); }
    std::vector<double> numbers;

   private:
    std::size_t points_;
  };
  OneTile source(count);
  compute_tiles(kernels, options, source);
  return std::move(source.numbers);
}

}  // namespace saltus
