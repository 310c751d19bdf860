// The map of the largest exponent of triple_pendulum_barrier over (q1, omega), 64 × 64 points, 100 periods each at rtol 1e-9,
// sampled: width 1 and one thread against lanes, and lanes in two threads.
//   sweep_bench [EVERY [PERIODS]]         every EVERY-th point in both directions (default 8), table of times
//   sweep_bench count WIDTH PERIODS       one run of 16 points for an instruction counter
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "saltus/analysis/tiles.hpp"

namespace {

using namespace saltus;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Tiles final : public TileSource {
 public:
  explicit Tiles(std::size_t points) : points_(points) {}
  std::optional<Tile> next() override {
    if (next_ >= points_) return std::nullopt;
    const std::size_t first = next_;
    next_ += 16;
    return Tile{first / 16, first, std::min<std::size_t>(16, points_ - first)};
  }
  void done(const Tile&, std::vector<double>&& numbers) override {
    for (const double number : numbers) sum += number;
  }
  double sum = 0.0;

 private:
  std::size_t points_;
  std::size_t next_ = 0;
};

struct Bench {
  explicit Bench(std::size_t every_, double periods_) : every(every_), periods(periods_) {
    model = read_model_file("examples/triple_pendulum_barrier.toml").model;
    KernelOptions wanted;
    wanted.state_columns = 1;
    kernels = std::make_unique<Kernels>(*model, wanted, std::vector<unsigned>{1, host().lanes});
  }
  std::size_t side() const { return 64 / every; }

  LaneUse run(unsigned width, unsigned threads, double& sum) const {
    TileOptions options;
    options.motion.flow.rtol = 1e-9;
    options.motion.flow.atol = 1e-11;
    options.motion.flow.tangent_rtol = 1e-9;
    options.motion.sum_rule = false;
    options.motion.keep_history = false;
    options.width = width;
    options.threads = threads;
    options.numbers = 1;
    options.start = [&](std::size_t point) -> std::optional<PointStart> {
      const auto part = [&](std::size_t i) { return static_cast<double>(i * every) / 63.0; };
      const std::vector<Assignment> at = {{"q1", fmt::format("{:.17g}", 0.2 + part(point % side()))},
                                          {"omega", fmt::format("{:.17g}", 0.8 + 0.8 * part(point / side()))}};
      const Setup setup = *set_up(*model, "", at).setup;
      const Vector x = Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size()));
      return PointStart{{x, setup.parameters, setup.forcing_period}, 0.0, periods};
    };
    options.measure = [](const MotionRun* motion, std::span<double> numbers) {
      const LyapunovSpectrum found = motion->spectrum();
      numbers[0] = found.exponents.values.empty() ? 0.0 : found.exponents.values.front();
    };
    Tiles tiles(side() * side());
    const LaneUse use = compute_tiles(*kernels, options, tiles);
    sum = tiles.sum;
    return use;
  }

  std::size_t every;
  double periods;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Kernels> kernels;
};

void table(const Bench& bench) {
  const unsigned lanes = host().lanes;
  const double motions = static_cast<double>(bench.side() * bench.side());
  double reference = 0.0;
  fmt::print("{} of 4096 points, {} periods, rtol 1e-9, one column\n", motions, bench.periods);
  fmt::print("{:>6} {:>8} {:>12} {:>14} {:>12} {:>18}\n", "lanes", "threads", "wall s", "processor s", "ratio",
             "us/period/motion");
  for (const auto& [width, threads] : {std::pair{1U, 1U}, {lanes, 1U}, {lanes, 2U}}) {
    double sum = 0.0;
    const auto begin = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    const LaneUse use = bench.run(width, threads, sum);
    const double processor = processor_seconds() - before;
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (width == 1) reference = processor;
    fmt::print("{:>6} {:>8} {:>12.3f} {:>14.3f} {:>12.2f} {:>18.1f}   slots in use {:.1f} %, sum {:.17g}\n", width,
               threads, wall, processor, reference / processor, 1e6 * processor / motions / bench.periods,
               100.0 * use.share(), sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "count") {
    double sum = 0.0;
    Bench(16, std::atof(words[2].c_str())).run(static_cast<unsigned>(std::atoi(words[1].c_str())), 1, sum);
    fmt::print("{:.17g}\n", sum);
    return 0;
  }
  table(Bench(words.empty() ? 8 : std::stoul(words[0]), words.size() < 2 ? 100.0 : std::stod(words[1])));
}
