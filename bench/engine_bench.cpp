// What steps cost where nothing happens in them but what has to be excluded, for an instruction counter (cost_of_bounds.py):
//   engine_bench CASE WIDTH state|tangent LENGTH
// follows 2 WIDTH neighbouring motions of a case for LENGTH forcing periods, and prints their steps and impacts, and the processor time
// of a step in nanoseconds.
//   impacts    triple pendulum over a barrier, fig3a
//   discsN     a mass that flies past N discs and never touches one (N = 64: minutes of compilation)
//   sliding    a mass that is pressed onto a wavy floor for ever
//   exact      two masses with clearances, in closed form (one motion)
#include <cmath>
#include <string>

#include "bench_flow.hpp"
#include "bench_model.hpp"
#include "hand_written.hpp"

namespace {

using namespace saltus;
using Carries = LaneStepper::Carries;

std::string model_of(const std::string& force_of_x, const std::string& force_of_y, const std::string& contacts) {
  return fmt::format(
      "title = \"plane\"\n[parameters]\nc = 0.05\na = 0.6\ng = 3.0\nomega = 1.3\n"
      "[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1 + 0.2*cos(x)^2\", \"0.1*cos(x)\"], [\"0.1*cos(x)\", "
      "\"1\"]]\n"
      "force = [\"{}\", \"{}\"]\n{}[forcing]\nperiod = \"2*pi/omega\"\n",
      force_of_x, force_of_y, contacts);
}

/// Discs on circles around the place where the mass swings.
std::string past_discs(int count) {
  std::string discs;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.399963229728653 * i;  // the golden angle spreads them
    const double distance = 4.0 + 0.05 * i;
    discs += fmt::format(
        "[[contact]]\nname = \"disc{}\"\ngap = \"sqrt((x - {})^2 + (y - {})^2) - 0.7\"\nrestitution = 0.8\n", i,
        distance * std::cos(angle), distance * std::sin(angle));
  }
  return model_of("-x - 0.3*x^3 - c*x' + a*cos(omega*t)", "-2*y - 0.3*y^3 - 0.2*x*y - c*y'", discs);
}

std::string along_floor() {
  return model_of("-x - c*x' + a*cos(omega*t)", "-g",
                  "[[contact]]\nname = \"floor\"\ngap = \"y + 0.1 - 0.1*cos(2*x)\"\nrestitution = 0.0\n");
}

struct Motions {
  std::shared_ptr<const Model> model;
  Setup setup;
  FlowOptions options{.rtol = 1e-9, .atol = 1e-9};

  Motions(const ModelReading& reading, const std::string& name = "")
      : model(bench::accepted(reading)), setup(bench::accepted(set_up(*model, name, {}))) {}

  FlowRun run(const Kernels& kernels, const Vector& x, Carries carries, long length) const {
    FlowRun run;
    run.start = start_point(kernels, {}, x, carries);
    run.end = {length, 0.0};
    run.period = setup.forcing_period;
    run.parameters = setup.parameters;
    run.keep_events = false;
    return run;
  }
};

Motions motions_of(const std::string& name) {
  if (name == "impacts") return {read_model_file(bench::example("triple_pendulum_barrier")), "fig3a"};
  if (name == "exact") {
    Motions motions(read_model_file(bench::example("clearance_pair")));
    motions.options.method = FlowMethod::exact;
    return motions;
  }
  if (name == "sliding") return {read_model("floor", along_floor())};
  return {read_model("discs", past_discs(std::stoi(name.substr(5))))};
}

/// The start of motion k of `count`.
Vector start_of(const Motions& motions, const std::string& name, int k, int count) {
  if (name == "exact") return Eigen::Map<const Vector>(motions.setup.initial.data(), 4);
  if (name == "impacts") {
    Vector x(6);
    bench::neighbouring_start(k, count, x.data());
    return x;
  }
  const double part = static_cast<double>(k) / count;
  const double x = 1.0 + 0.1 * part;
  return name == "sliding" ? Vector{{x, 0.1 * std::cos(2.0 * x) - 0.1, 0.0, 0.0}} : Vector{{x, 0.5, 0.0, 0.3}};
}

/// What cost_of_bounds.py counts: it begins anew where this is entered.
[[gnu::noinline]] double measured(const Kernels& kernels, const FlowOptions& options, unsigned width, Carries carries,
                                  LaneWork& work) {
  const double begin = bench::processor_seconds();
  flow_lanes(kernels, options, width, carries, work);
  return bench::processor_seconds() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "engine_bench impacts|discsN|sliding|exact WIDTH state|tangent LENGTH\n");
    return 2;
  }
  const std::string name = argv[1];
  const auto width = static_cast<unsigned>(std::atoi(argv[2]));
  const Carries carries = std::string(argv[3]) == "tangent" ? Carries::state_and_tangent : Carries::state;
  const Motions motions = motions_of(name);
  const Kernels kernels(*motions.model, {}, {1, width});
  const int count = name == "exact" ? 1 : static_cast<int>(2 * width);
  std::vector<FlowRun> runs;
  for (int k = 0; k < count; ++k)
    runs.push_back(motions.run(kernels, start_of(motions, name, k, count), carries, std::atol(argv[4])));
  // Once before: bounds of forces are compiled where the first motion needs them.
  bench::Queue before(runs), work(runs);
  flow_lanes(kernels, motions.options, width, carries, before);
  const double seconds = measured(kernels, motions.options, width, carries, work);
  fmt::print("{} {} {:.0f}\n", work.count.steps, work.count.impacts,
             1e9 * seconds / static_cast<double>(work.count.steps));
  return work.count.unfinished > 0 ? 1 : 0;
}
