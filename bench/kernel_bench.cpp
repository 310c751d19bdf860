// Field with tangent of the triple pendulum (42 equations) by generated code, by the interpreter and by hand, as ratios
// within one run; and what it costs to compile a model.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "bench_model.hpp"
#include "hand_written.hpp"
#include "saltus/kernel/inputs.hpp"
#include "saltus/kernel/kernels.hpp"
#include "saltus/kernel/tape.hpp"

namespace {

using namespace saltus;

// ---- field with tangent -------------------------------------------------------------------------------------------

/// The arguments of a kernel in W equal lanes, at the start of the hand-written programs; tangent = identity.
struct Arguments {
  std::vector<double> t, x, p, mode, X, out;

  Arguments(const Layout& layout, const Setup& setup, unsigned width) : t(width, 0.0) {
    double start[6];
    bench::neighbouring_start(0, 1, start);
    const auto spread = [&](std::vector<double>& to, std::size_t count, auto value) {
      for (std::size_t i = 0; i < count; ++i) to.insert(to.end(), width, value(i));
    };
    const std::size_t N = layout.N();
    spread(x, N, [&](std::size_t i) { return start[i]; });
    spread(p, layout.parameters, [&](std::size_t i) { return setup.parameters[i]; });
    spread(mode, layout.mode_size(), [](std::size_t) { return 0.0; });
    spread(X, N * N, [](std::size_t) { return 0.0; });
    for (std::size_t c = 0; c < N; ++c)
      std::fill_n(X.begin() + static_cast<std::ptrdiff_t>(layout.tangent(c, c) * width), width, 1.0);
    out.resize((N + N * N) * width);
  }

  void run(const auto& kernel) { kernel(t.data(), x.data(), p.data(), mode.data(), X.data(), out.data()); }
};

/// Each call at another time, as a stepper does.
template <class Kernel>
void time_kernel(benchmark::State& state, const Kernel& kernel, Arguments at) {
  double t = 0.0;
  for (auto _ : state) {
    std::fill(at.t.begin(), at.t.end(), t += 1e-6);
    at.run(kernel);
    benchmark::DoNotOptimize(at.out.data());
    benchmark::ClobberMemory();
  }
}

void time_function(benchmark::State& state, double (*function)(double)) {
  double t = 0.0;
  for (auto _ : state) benchmark::DoNotOptimize(function(t += 1e-6));
}

struct Row {
  std::string name;
  unsigned width;
};

/// Keeps the best repetition of each benchmark.
class Best final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const auto [place, is_new] = nanoseconds_.emplace(run.run_name.function_name, run.GetAdjustedCPUTime());
      if (!is_new) place->second = std::min(place->second, run.GetAdjustedCPUTime());
    }
  }
  double per_trajectory(const Row& row) const { return nanoseconds_.at(row.name) / row.width; }
  bool has(const Row& row) const { return nanoseconds_.contains(row.name); }

 private:
  std::map<std::string, double> nanoseconds_;
};

void print_fields(const Best& best, const std::vector<Row>& rows) {
  const Row& eigen = rows[0];
  const Row& ours = rows[1];
  fmt::print("field with tangent of the triple pendulum, 42 equations, per trajectory\n\n");
  fmt::print("{:28} {:>8} {:>16} {:>22}\n", "program", "ns", "ratio to Eigen", "ratio to our W = 1");
  for (const Row& row : rows)
    if (best.has(row) && best.has(eigen) && best.has(ours))
      fmt::print("{:28} {:8.1f} {:>16} {:>22}\n", row.name, best.per_trajectory(row),
                 fmt::format("1/{:.2f}", best.per_trajectory(eigen) / best.per_trajectory(row)),
                 fmt::format("1/{:.2f}", best.per_trajectory(ours) / best.per_trajectory(row)));
}

/// The generated code is at least right: the worst difference between its 42 slopes and the interpreter's.
double difference_from_tape(const Kernels& kernels, const Setup& setup) {
  Arguments native(kernels.layout(), setup, 1);
  Arguments taped = native;
  native.run(kernels.at(1).field_tangent);
  taped.run(Tape<double>(kernels.program("field_tangent")));
  double worst = 0.0;
  for (std::size_t i = 0; i < native.out.size(); ++i) worst = std::max(worst, std::abs(native.out[i] - taped.out[i]));
  return worst;
}

void run_fields(int argc, char** argv) {
  const auto model = bench::accepted(read_model_file(bench::example("triple_pendulum_barrier")));
  const Setup setup = bench::accepted(set_up(*model, "fig3a", {}));
  const Kernels kernels(*model, {}, {1, 4, 8});
  const Tape<double> tape(kernels.program("field_tangent"));
  const std::vector<Row> rows = {{"Eigen, LDLT", 1},   {"saltus W = 1", 1},      {"saltus W = 4", 4},
                                 {"saltus W = 8", 8},  {"by hand W = 1", 1},     {"by hand W = 4", 4},
                                 {"by hand W = 8", 8}, {"saltus interpreter", 1}};
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...);
  };
  add(rows[0].name, time_function, bench::eigen_field_tangent);
  for (std::size_t i = 1; i <= 3; ++i) {
    const unsigned width = rows[i].width;
    add(rows[i].name, time_kernel<Kernel>, kernels.at(width).field_tangent, Arguments(kernels.layout(), setup, width));
  }
  add(rows[4].name, time_function, bench::hand_field_tangent_1);
  add(rows[5].name, time_function, bench::hand_field_tangent_4);
  add(rows[6].name, time_function, bench::hand_field_tangent_8);
  add(rows[7].name, time_kernel<Tape<double>>, tape, Arguments(kernels.layout(), setup, 1));

  // Short repetitions in random order: a busy neighbour then hits all of them alike, and the best of each is kept.
  std::vector<std::string> words = {argv[0], "--benchmark_min_time=0.02", "--benchmark_repetitions=15",
                                    "--benchmark_enable_random_interleaving=true"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  Best best;
  benchmark::RunSpecifiedBenchmarks(&best);
  print_fields(best, rows);
  fmt::print("\nnative code and interpreter differ by {}\n\n", difference_from_tape(kernels, setup));
}

// ---- compile time -------------------------------------------------------------------------------------------------

/// Milliseconds of each phase.
struct Phases {
  double read, equations, lowering, one_lane, lanes, all, wall;
};

template <class Action>
double milliseconds(const Action& action) {
  const double begin = bench::processor_seconds();
  action();
  return 1e3 * (bench::processor_seconds() - begin);
}

/// All kernels of a model, for one lane and for the lanes of this machine.
Phases compiled(const std::string& text) {
  Phases phases{};
  std::shared_ptr<const Model> model;
  Equations equations;
  std::vector<NamedProgram> programs;
  phases.read = milliseconds([&] { model = bench::accepted(read_model("model", text)); });
  phases.equations = milliseconds([&] { equations = equations_of(*model); });
  phases.lowering = milliseconds([&] {
    for (const auto& kernel : equations.kernels)
      if (!kernel.outputs.empty()) programs.push_back({kernel.name, lower(kernel.outputs, input_of)});
  });
  phases.one_lane = milliseconds([&] { NativeCode(programs, {}, 1); });
  phases.lanes = milliseconds([&] { NativeCode(programs, {}, host().lanes); });
  const auto begin = std::chrono::steady_clock::now();
  phases.all = milliseconds([&] { Kernels(*model, {}, {1, host().lanes}); });
  phases.wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return phases;
}

void print_compile_time(const std::string& name, const std::string& text, int repetitions) {
  Phases best = compiled(text);
  for (int k = 1; k < repetitions; ++k) {
    const Phases again = compiled(text);
    for (double Phases::* const part : {&Phases::read, &Phases::equations, &Phases::lowering, &Phases::one_lane,
                                        &Phases::lanes, &Phases::all, &Phases::wall})
      best.*part = std::min(best.*part, again.*part);
  }
  fmt::print("{:26} {:8.1f} {:10.1f} {:10.1f} {:10.1f} {:10.1f} {:9.1f} {:9.1f}\n", name, best.read, best.equations,
             best.lowering, best.one_lane, best.lanes, best.all, best.wall);
}

/// Kernel by kernel: instructions of the program, and its own milliseconds at the lanes of this machine.
void print_programs(const std::string& text) {
  const auto model = bench::accepted(read_model("model", text));
  const Equations equations = equations_of(*model);
  for (const auto& kernel : equations.kernels) {
    if (kernel.outputs.empty()) continue;
    std::vector<NamedProgram> programs;
    const double lowering = milliseconds([&] { programs.push_back({kernel.name, lower(kernel.outputs, input_of)}); });
    const double code = milliseconds([&] { NativeCode(programs, {}, host().lanes); });
    fmt::print("  {:18} {:7} instructions {:9.1f} ms to lower {:9.1f} ms to compile\n", kernel.name,
               programs[0].program.code.size(), lowering, code);
  }
}

void run_compile_times() {
  const auto triple = bench::accepted(read_model_file(bench::example("triple_pendulum_barrier")));
  const std::string text(triple->source->text());
  fmt::print("compile time in ms of processor time: all kernels, W = 1 and W = {}\n\n", host().lanes);
  fmt::print("{:26} {:>8} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}\n", "model", "read", "equations", "lower", "W = 1",
             fmt::format("W = {}", host().lanes), "Kernels", "by clock");
  print_compile_time("triple_pendulum_barrier", text, 5);
  print_compile_time("chain of 8 pendulums", bench::pendulum_chain(8), 2);
  fmt::print("\nchain of 8 pendulums, kernel by kernel\n\n");
  print_programs(bench::pendulum_chain(8));
}

}  // namespace

int main(int argc, char** argv) {
  run_fields(argc, argv);
  run_compile_times();
}
