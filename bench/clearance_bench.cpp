// Two masses with clearances: the closed form of the pieces against Runge-Kutta steps at rtol 1e-10, in one run.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bench_flow.hpp"
#include "bench_model.hpp"

namespace {

using namespace saltus;
using Carries = LaneStepper::Carries;

constexpr int repetitions = 5;

struct Clearances {
  Setup setup;
  const Kernels& kernels;

  FlowRun run(long periods, Carries carries) const {
    FlowRun run;
    run.start = start_point(kernels, {}, Eigen::Map<const Vector>(setup.initial.data(), 4), carries);
    run.end = {periods, 0.0};
    run.period = setup.forcing_period;
    run.parameters = setup.parameters;
    run.keep_events = false;
    return run;
  }

  FlowOptions options(FlowMethod method) const { return {.rtol = 1e-10, .atol = 1e-10, .method = method}; }

  /// Processor time per forcing period, in microseconds, and the switches of the run.
  std::pair<double, double> cost(FlowMethod method, Carries carries, long periods) const {
    const FlowRun wanted = run(periods, carries);
    const double begin = bench::processor_seconds();
    const FlowResult result = flow(kernels, options(method), wanted);
    const double seconds = bench::processor_seconds() - begin;
    if (result.outcome != Outcome::reached_end) std::exit(1);
    const double count = static_cast<double>(periods);
    return {1e6 * seconds / count, static_cast<double>(result.ledger.switches) / count};
  }

  double difference(long periods) const {
    const auto end = [&](FlowMethod method) {
      return flow(kernels, options(method), run(periods, Carries::state)).end.x;
    };
    return (end(FlowMethod::exact) - end(FlowMethod::runge_kutta)).cwiseAbs().maxCoeff();
  }
};

}  // namespace

int main(int argc, char** argv) {
  const long periods = argc > 1 ? std::atol(argv[1]) : 2000;
  const auto model = bench::accepted(read_model_file(bench::example("clearance_pair")));
  const Kernels kernels(*model, {}, {1});
  fmt::print("two masses with clearances, eta = 0.65, {} forcing periods, microseconds per period, best of {} runs\n\n",
             periods, repetitions);
  fmt::print("{:24} {:>8} {:>10} {:>7} {:>16} {:>24}\n", "", "exact", "rk 1e-10", "ratio", "switches/period",
             "difference, 10 periods");
  for (const char* name : {"ideal", "trilinear"}) {
    const Clearances clearances{bench::accepted(set_up(*model, name, {{"eta", "0.65"}})), kernels};
    for (const Carries carries : {Carries::state, Carries::state_and_tangent}) {
      double exact = 1e300;
      double general = 1e300;
      double switches = 0.0;
      for (int i = 0; i < repetitions; ++i) {
        const auto [microseconds, met] = clearances.cost(FlowMethod::exact, carries, periods);
        exact = std::min(exact, microseconds);
        switches = met;
        general = std::min(general, clearances.cost(FlowMethod::runge_kutta, carries, periods).first);
      }
      const bool tangent = carries == Carries::state_and_tangent;
      fmt::print("{:24} {:8.2f} {:10.2f} {:7.1f} {:16.2f} {:24.1e}\n",
                 fmt::format("{}{}", name, tangent ? ", with tangent" : ""), exact, general, general / exact, switches,
                 clearances.difference(10));
    }
  }
  return 0;
}
