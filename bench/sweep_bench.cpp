// The map of the largest exponent of triple_pendulum_barrier over (q1, omega), 64 × 64 points, 100 periods each at rtol 1e-9,
// sampled: width 1 and one thread against lanes, and lanes in two threads. Times are of the processor, the least of three runs
// that follow one another in turn. The speed of two threads is that of the busier one: on a free machine the clock shows it.
//   sweep_bench [EVERY [PERIODS]]         every EVERY-th point in both directions (default 8), table of times
//   sweep_bench only WIDTH THREADS EVERY        one run of one way, for a profiler
//   sweep_bench count WIDTH PERIODS COLUMNS     for an instruction counter: 64 neighbouring motions of fig3a at rtol 1e-9
//   sweep_bench count-state WIDTH PERIODS COLUMNS    the same, with atol 1e-9 and no control of the tangent's error, as by hand
//   sweep_bench by-hand WIDTH PERIODS           the same by the hand-written program, with all six columns
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "hand_written.hpp"
#include "saltus/analysis/motions/tiles.hpp"
#include "saltus/model/varied_setup.hpp"

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

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of each thread since it was first seen.
class ThreadTimes {
 public:
  void note() {
    const double now = thread_seconds();
    const std::lock_guard lock(mutex_);
    const auto first = first_.try_emplace(std::this_thread::get_id(), now).first->second;
    busiest_ = std::max(busiest_, now - first);
  }
  double busiest() const { return busiest_; }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, double> first_;
  double busiest_ = 0.0;
};

struct Measured {
  double wall = 1e300;
  double processor = 1e300;
  double busiest = 1e300;
  double sum = 0.0;
  LaneUse use = {};
};

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

void set_options(TileOptions& options, unsigned width, unsigned threads) {
  options.motion.flow.rtol = 1e-9;
  options.motion.flow.atol = 1e-11;
  options.motion.flow.tangent_rtol = 1e-9;
  options.motion.sum_rule = false;
  options.motion.keep_history = false;
  options.width = width;
  options.threads = threads;
  options.numbers = 1;
  options.measure = [](const MotionRun* motion, std::span<double> numbers) {
    const LyapunovSpectrum found = motion->spectrum();
    numbers[0] = found.exponents.values.empty() ? 0.0 : found.exponents.values.front();
  };
}

struct Bench {
  explicit Bench(std::size_t every_, double periods_) : every(every_), periods(periods_) {
    model = read_model_file("examples/triple_pendulum_barrier.toml").model;
    KernelOptions wanted;
    wanted.state_columns = 1;
    kernels = std::make_unique<Kernels>(*model, wanted, std::vector<unsigned>{1, host().lanes});
  }
  std::size_t side() const { return 64 / every; }

  Measured run(unsigned width, unsigned threads) const {
    ThreadTimes times;
    TileOptions options;
    set_options(options, width, threads);
    const VariedSetup setups(*model, "", {}, {"q1", "omega"});
    options.start = [&](std::size_t point) -> std::optional<PointStart> {
      times.note();
      const auto part = [&](std::size_t i) { return static_cast<double>(i * every) / 63.0; };
      const Setup setup = *setups.at(std::vector<double>{0.2 + part(point % side()), 0.8 + 0.8 * part(point / side())});
      const Vector x = Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size()));
      return PointStart{{x, setup.parameters, setup.forcing_period}, 0.0, periods};
    };
    options.measure = [&times, measure = options.measure](const MotionRun* motion, std::span<double> numbers) {
      times.note();
      measure(motion, numbers);
    };
    Tiles tiles(side() * side());
    const auto begin = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    const LaneUse use = compute_tiles(*kernels, options, tiles);
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            processor_seconds() - before, times.busiest(), tiles.sum, use};
  }

  std::size_t every;
  double periods;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Kernels> kernels;
};

constexpr int counted = 64;  // motions of fig3a

/// What lanes give the hand-written program on motions with impacts: the least processor time of one lane over that of W.
class HandGain {
 public:
  explicit HandGain(bench::Carried carried) : carried_(carried) {}
  void measure() {
    one_ = std::min(one_, bench::hand_flow(1, carried_, 1e-9, counted, 50).microseconds);
    lanes_ = std::min(lanes_, bench::hand_flow(host().lanes, carried_, 1e-9, counted, 50).microseconds);
  }
  double gain() const { return one_ / lanes_; }

 private:
  bench::Carried carried_;
  double one_ = 1e300;
  double lanes_ = 1e300;
};

void table(const Bench& bench) {
  const unsigned lanes = host().lanes;
  HandGain state(bench::Carried::state);
  HandGain tangent(bench::Carried::tangent);
  const std::vector<std::pair<unsigned, unsigned>> ways = {{1, 1}, {lanes, 1}, {lanes, 2}};
  std::vector<Measured> best(ways.size());
  for (int round = 0; round < 3; ++round) {
    state.measure();
    tangent.measure();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Measured now = bench.run(ways[i].first, ways[i].second);
      best[i] = {std::min(best[i].wall, now.wall), std::min(best[i].processor, now.processor),
                 std::min(best[i].busiest, now.busiest), now.sum, now.use};
    }
  }
  const double motions = static_cast<double>(bench.side() * bench.side());
  const double periods = motions * bench.periods;
  fmt::print("{} of 4096 points, {} periods, rtol 1e-9, one column\n", motions, bench.periods);
  fmt::print("{:>5} {:>7} {:>8} {:>12} {:>10} {:>17} {:>12} {:>12}\n", "lanes", "threads", "clock s", "processor s",
             "speed", "us/period/motion", "slots in use", "steps/period");
  for (std::size_t i = 0; i < ways.size(); ++i)
    fmt::print("{:>5} {:>7} {:>8.2f} {:>12.2f} {:>10.2f} {:>17.1f} {:>10.1f} % {:>12.1f}\n", ways[i].first,
               ways[i].second, best[i].wall, best[i].processor, best[0].busiest / best[i].busiest,
               1e6 * best[i].processor / periods, 100.0 * best[i].use.share(),
               static_cast<double>(best[i].use.steps) / periods);
  const bool same = best[0].sum == best[1].sum && best[1].sum == best[2].sum;
  fmt::print("mean exponent {:.5f}, {}; whole map {:.0f} s of one processor\n", best[0].sum / motions,
             same ? "the same bits in all ways" : "NOT THE SAME BITS", 409600.0 * best[1].processor / periods);
  fmt::print(
      "two threads as fast as one: {:.2f} times by processor time, {:.2f} by the clock; lanes and threads {:.2f} by "
      "the clock\n",
      best[1].busiest / best[2].busiest, best[1].wall / best[2].wall, best[0].wall / best[2].wall);
  fmt::print(
      "{} lanes give {:.2f} here; the hand-written program, fig3a: {:.2f} without tangent, {:.2f} with all of it\n",
      lanes, best[0].processor / best[1].processor, state.gain(), tangent.gain());
}

void count(unsigned width, unsigned periods, unsigned columns, bool state_error_alone) {
  const auto model = read_model_file("examples/triple_pendulum_barrier.toml").model;
  const Setup setup = *set_up(*model, "fig3a", {}).setup;
  KernelOptions wanted;
  wanted.state_columns = columns;
  const Kernels kernels(*model, wanted, {1, width});
  TileOptions options;
  set_options(options, width, 1);
  if (state_error_alone) {
    options.motion.flow.atol = 1e-9;
    options.motion.flow.tangent_rtol = std::numeric_limits<double>::infinity();
  }
  options.start = [&](std::size_t point) -> std::optional<PointStart> {
    Vector x(6);
    bench::neighbouring_start(static_cast<int>(point), counted, x.data());
    return PointStart{{x, setup.parameters, setup.forcing_period}, 0.0, static_cast<double>(periods)};
  };
  double sum = 0.0;
  for (const double exponent : compute_points(kernels, options, counted)) sum += exponent;
  fmt::print("{:.5f}\n", sum / counted);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t i) { return static_cast<unsigned>(std::stoul(words[i])); };
  if (words.size() == 4 && (words[0] == "count" || words[0] == "count-state")) {
    count(number(1), number(2), number(3), words[0] == "count-state");
    return 0;
  }
  if (words.size() == 4 && words[0] == "only") {
    const Bench bench(number(3), 100.0);
    static_cast<void>(Bench(32, 1.0).run(number(1), number(2)));  // compiles what all runs share
    const Measured found = bench.run(number(1), number(2));
    fmt::print("{:.2f} s by the clock, {:.2f} s of processors\n", found.wall, found.processor);
    return 0;
  }
  if (words.size() == 3 && words[0] == "by-hand") {
    const auto found = bench::hand_flow(number(1), bench::Carried::tangent, 1e-9, counted, static_cast<int>(number(2)));
    fmt::print("{:.1f} steps per period\n", found.steps);
    return 0;
  }
  table(Bench(words.empty() ? 8 : std::stoul(words[0]), words.size() < 2 ? 100.0 : std::stod(words[1])));
}
