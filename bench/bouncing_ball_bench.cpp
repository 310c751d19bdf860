// Four elastic balls side by side, each IMPACTS times on the floor: instructions_per_impact.sh counts what it takes.
#include <cmath>
#include <cstdlib>

#include "bench_flow.hpp"
#include "bench_model.hpp"

int main(int argc, char** argv) {
  using namespace saltus;
  const double impacts = argc > 1 ? std::atof(argv[1]) : 1000.0;
  constexpr unsigned width = 4;
  const auto model = bench::accepted(read_model_file(bench::example("bouncing_ball")));
  const Kernels kernels(*model, {}, {1, width});
  std::vector<FlowRun> runs;
  for (unsigned l = 0; l < width; ++l) {
    const double height = 1.0 + 0.1 * l;
    const Setup setup = bench::accepted(set_up(*model, "elastic", {{"z0", fmt::format("{}", height)}}));
    const double flight = 2.0 * std::sqrt(2.0 * height / 9.81);
    FlowRun run;
    run.start = start_point(kernels, {}, Vector{{height, 0.0}}, LaneStepper::Carries::state);
    run.end = {0, impacts * flight};
    run.parameters = setup.parameters;
    run.keep_events = false;
    runs.push_back(std::move(run));
  }
  bench::Queue work(runs);
  flow_lanes(kernels, {.method = FlowMethod::runge_kutta}, width, LaneStepper::Carries::state, work);
  fmt::print("{} impacts in {} steps\n", work.count.impacts, work.count.steps);
  return work.count.unfinished == 0 ? 0 : 1;
}
