// 200 forcing periods of the triple pendulum over a barrier, case fig3a, against the hand-written program at the same
// achieved error; and what contacts cost beside the same model without them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bench_flow.hpp"
#include "bench_model.hpp"
#include "hand_written.hpp"

namespace {

using namespace saltus;
using bench::Carried;

constexpr int periods = 200;
constexpr int repetitions = 5;
constexpr double wanted_error = 1.2e-9;  // on the first ten impact times

/// A model with its kernels and the numbers of fig3a.
struct Pendulum {
  std::shared_ptr<const Model> model;
  Setup setup;
  Kernels kernels;

  Pendulum(const std::string& text, const std::vector<unsigned>& widths)
      : model(bench::accepted(read_model("triple_pendulum_barrier", text))),
        setup(bench::accepted(set_up(*model, "fig3a", {}))),
        kernels(*model, {}, widths) {}

  FlowRun run(int k, int count, Carried carried, int length) const {
    Vector x(6);
    bench::neighbouring_start(k, count, x.data());
    FlowRun run;
    run.start = start_point(kernels, {}, x, carries(carried));
    run.end = {length, 0.0};
    run.period = setup.forcing_period;
    run.parameters = setup.parameters;
    run.keep_events = false;
    return run;
  }

  static LaneStepper::Carries carries(Carried carried) {
    return carried == Carried::state ? LaneStepper::Carries::state : LaneStepper::Carries::state_and_tangent;
  }
};

/// Like the hand-written program, the error of the state alone; `tangent_rtol` infinite switches the tangent's off.
FlowOptions options_of(double rtol, double tangent_rtol = std::numeric_limits<double>::infinity()) {
  return {.rtol = rtol, .atol = rtol, .tangent_rtol = tangent_rtol};
}

double impact_error(const Pendulum& pendulum, double rtol) {
  FlowRun run = pendulum.run(0, 1, Carried::state, 3);
  run.keep_events = true;
  const FlowResult result = flow(pendulum.kernels, options_of(rtol), run);
  double worst = 0.0;
  int found = 0;
  for (const Event& event : result.events) {
    if (event.kind != EventKind::impact || found == 10) continue;
    worst = std::max(worst, std::abs(event.t - bench::reference_impact(found++)));
  }
  return found == 10 ? worst : 1e300;
}

/// The loosest tolerance of four per decade with the wanted error.
template <class Error>
double loosest_rtol(const Error& error) {
  double rtol = 1e-7;
  while (rtol > 1e-14 && error(rtol) > wanted_error) rtol /= std::sqrt(std::sqrt(10.0));
  return rtol;
}

struct OurFlow {
  double microseconds = 1e300;  // processor time per forcing period and trajectory
  bench::FlowCount count;
  double attempts = 0.0;  // trial steps per period and trajectory, those towards a contact included
};

OurFlow our_flow(const Pendulum& pendulum, const FlowOptions& options, unsigned width, Carried carried,
                 int trajectories, int length = periods) {
  std::vector<FlowRun> runs;
  for (int k = 0; k < trajectories; ++k) runs.push_back(pendulum.run(k, trajectories, carried, length));
  OurFlow result;
  const auto timed = [&](auto work) {
    const double begin = bench::processor_seconds();
    const LaneUse use = flow_lanes(pendulum.kernels, options, width, Pendulum::carries(carried), work);
    result.microseconds = 1e6 * (bench::processor_seconds() - begin) / trajectories / periods;
    result.count = work.count;
    result.attempts = static_cast<double>(use.busy) / trajectories / periods;
  };
  if (carried == Carried::state) timed(bench::Queue(runs));
  if (carried == Carried::tangent) timed(bench::OrthonormalQueue(runs));
  if (result.count.unfinished > 0) fmt::print("{} runs did not reach their end\n", result.count.unfinished);
  return result;
}

void compare_with_hand_written(const Pendulum& pendulum, double our_rtol) {
  const double hand_rtol =
      loosest_rtol([](double rtol) { return bench::hand_flow(1, Carried::state, rtol, 1, 3).impact_error; });
  fmt::print("triple pendulum fig3a, {} forcing periods, microseconds per period and trajectory, best of {} runs\n",
             periods, repetitions);
  fmt::print("saltus rtol {:.1e}, impact error {:.1e}; by hand rtol {:.1e}, impact error {:.1e}\n\n", our_rtol,
             impact_error(pendulum, our_rtol), hand_rtol,
             bench::hand_flow(1, Carried::state, hand_rtol, 1, 3).impact_error);
  fmt::print("{:28} {:>8} {:>8} {:>7} {:>14} {:>14} {:>18}\n", "", "saltus", "by hand", "ratio", "trials/period",
             "by hand", "tangent error too");
  for (const Carried carried : {Carried::state, Carried::tangent}) {
    for (const unsigned width : {1U, 4U, 8U}) {
      const int trajectories = static_cast<int>(4 * width);
      OurFlow ours, strict;
      double hand = 1e300, hand_steps = 0.0;
      for (int k = 0; k < repetitions; ++k) {
        const OurFlow run = our_flow(pendulum, options_of(our_rtol), width, carried, trajectories);
        if (run.microseconds < ours.microseconds) ours = run;
        const auto by_hand = bench::hand_flow(width, carried, hand_rtol, trajectories, periods);
        hand = std::min(hand, by_hand.microseconds);
        hand_steps = by_hand.steps;
        if (carried == Carried::state) continue;
        const OurFlow also = our_flow(pendulum, options_of(our_rtol, 1e-9), width, carried, trajectories);
        if (also.microseconds < strict.microseconds) strict = also;
      }
      fmt::print("{:28} {:8.1f} {:8.1f} {:7.2f} {:14.1f} {:14.1f} {:>18}\n",
                 fmt::format("W = {}, {}", width, carried == Carried::state ? "trajectory only" : "with tangent"),
                 ours.microseconds, hand, ours.microseconds / hand, ours.attempts, hand_steps,
                 carried == Carried::state ? "" : fmt::format("{:.1f}", strict.microseconds));
    }
  }
}

/// The model's text without its contact.
std::string without_contact(std::string text) {
  const std::size_t begin = text.find("[[contact]]");
  return text.erase(begin, text.find("[forcing]") - begin);
}

void compare_with_free_motion(const Pendulum& pendulum, const Pendulum& free, double rtol) {
  fmt::print("\nwhat the contact costs: nanoseconds per step and trajectory, with it and in the model without it\n\n");
  fmt::print("{:28} {:>9} {:>9} {:>7} {:>16}\n", "", "contact", "free", "ratio", "impacts/period");
  for (const Carried carried : {Carried::state, Carried::tangent}) {
    for (const unsigned width : {1U, 4U, 8U}) {
      const int trajectories = static_cast<int>(4 * width);
      const auto per_step = [&](const OurFlow& run) {
        return 1e3 * run.microseconds * trajectories * periods / static_cast<double>(run.count.steps);
      };
      double with = 1e300, without = 1e300, impacts = 0.0;
      for (int k = 0; k < repetitions; ++k) {
        const OurFlow run = our_flow(pendulum, options_of(rtol), width, carried, trajectories);
        with = std::min(with, per_step(run));
        impacts = static_cast<double>(run.count.impacts) / trajectories / periods;
        without = std::min(without, per_step(our_flow(free, options_of(rtol), width, carried, trajectories)));
      }
      fmt::print("{:28} {:9.0f} {:9.0f} {:7.2f} {:16.1f}\n",
                 fmt::format("W = {}, {}", width, carried == Carried::state ? "trajectory only" : "with tangent"), with,
                 without, with / without, impacts);
    }
  }
}

double rtol_for(const Pendulum& pendulum) {
  return loosest_rtol([&](double trial) { return impact_error(pendulum, trial); });
}

/// One configuration over and over, for a profiler: profile WIDTH state|tangent SECONDS.
int profile(const std::string& text, char** argv) {
  const auto width = static_cast<unsigned>(std::atoi(argv[0]));
  const Pendulum pendulum(text, {1, width});
  const double rtol = rtol_for(pendulum);
  const Carried carried = std::string(argv[1]) == "tangent" ? Carried::tangent : Carried::state;
  const double end = bench::processor_seconds() + std::atof(argv[2]);
  while (bench::processor_seconds() < end)
    our_flow(pendulum, options_of(rtol), width, carried, static_cast<int>(4 * width));
  return 0;
}

/// 64 neighbouring motions at rtol 1e-9, for an instruction counter: count|by-hand WIDTH state|tangent PERIODS.
int count(const std::string& text, char** argv) {
  const auto width = static_cast<unsigned>(std::atoi(argv[1]));
  const Carried carried = std::string(argv[2]) == "tangent" ? Carried::tangent : Carried::state;
  const int length = std::atoi(argv[3]);
  if (std::string(argv[0]) == "by-hand") fmt::print("{}\n", bench::hand_flow(width, carried, 1e-9, 64, length).steps);
  else fmt::print("{}\n", our_flow(Pendulum(text, {1, width}), options_of(1e-9), width, carried, 64, length).attempts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto file = bench::accepted(read_model_file(bench::example("triple_pendulum_barrier")));
  const std::string& text = file->source->text();
  if (argc == 5 && (std::string(argv[1]) == "count" || std::string(argv[1]) == "by-hand")) return count(text, argv + 1);
  if (argc == 5 && std::string(argv[1]) == "profile") return profile(text, argv + 2);
  const Pendulum pendulum(text, {1, 4, 8});
  const double rtol = rtol_for(pendulum);
  compare_with_hand_written(pendulum, rtol);
  compare_with_free_motion(pendulum, Pendulum(without_contact(text), {1, 4, 8}), rtol);
}
