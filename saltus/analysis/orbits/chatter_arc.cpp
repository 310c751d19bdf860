#include "saltus/analysis/orbits/chatter_arc.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

bool counts(const Event& event) { return event.kind != EventKind::grazing && event.kind != EventKind::section; }

/// Sets where the slide begins and a place a little inside it.
void find_slide(const std::vector<Event>& events, std::size_t contact, double t, double longest, ChatterArc& arc) {
  constexpr double part = 0.05;  // of the slide
  for (auto event = events.begin(); event != events.end(); ++event) {
    if (!counts(*event)) continue;
    if (event->index == contact && event->kind == EventKind::impact) continue;
    if (event->index != contact || event->kind != EventKind::chatter) return;
    arc.slides = event->t - t;
    const auto next = std::find_if(event, events.end(), [&](const Event& e) { return counts(e) && e.t > event->t; });
    const double until = next == events.end() ? longest : next->t - t;
    arc.length = arc.slides + part * (until - arc.slides);
    return;
  }
}

}  // namespace

FlowOptions chatter_options(const FlowOptions& options) {
  FlowOptions stepping = options;
  stepping.method = FlowMethod::runge_kutta;
  stepping.most_events = std::min(stepping.most_events, 20'000L);
  return stepping;
}

FlowRun chatter_run(const Kernels& kernels, const std::vector<double>& parameter_inputs, double t, const Vector& x,
                    const Mode& flight, std::size_t contact, double longest, LaneStepper::Carries carries) {
  const Mechanism mechanism(kernels, parameter_inputs);
  // Without a period the time is counted as it is: the parameter's column is the derivative at fixed times.
  FlowRun run;
  run.parameters = parameter_inputs;
  run.start = start_point(kernels, {0, t}, x, carries);
  run.start.mode = flight;
  run.start.natural_step = 2e-3 * longest;
  run.start.fastest.assign(kernels.layout().contacts, 0.0);
  run.start.fastest[contact] = mechanism.contact(t, x, flight).gamma[static_cast<Eigen::Index>(contact)];
  return run;
}

ChatterArc chatter_arc(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameter_inputs,
                       double t, const Vector& x, const Mode& flight, std::size_t contact, double longest) {
  ChatterArc arc;
  // A guess of Newton's method may lie where no motion begins: inside the obstacle, or approaching it.
  const Mechanism mechanism(kernels, parameter_inputs);
  const ContactValue at = mechanism.contact(t, x, flight);
  const Eigen::Index row = static_cast<Eigen::Index>(contact);
  const Eigen::Index n = at.normal.cols();
  const Vector sizes = x.head(n).cwiseAbs().array() + options.atol / options.rtol;
  const double deepest = 1e-6 * at.normal.row(row).cwiseAbs().dot(sizes);
  if (!(longest > 0.0) || at.h[row] < -deepest || !(at.gamma[row] > 0.0)) return arc;
  const FlowOptions stepping = chatter_options(options);
  const auto run_until = [&](double length, LaneStepper::Carries carries) {
    FlowRun run = chatter_run(kernels, parameter_inputs, t, x, flight, contact, longest, carries);
    run.end = {0, t + length};
    return flow(kernels, stepping, run);
  };
  find_slide(run_until(longest, LaneStepper::Carries::state).events, contact, t, longest, arc);
  if (!(arc.length > 0.0)) return arc;
  FlowResult there = run_until(arc.length, LaneStepper::Carries::state_and_tangent);
  arc.whole = there.outcome == Outcome::reached_end && there.end.mode.is_closed(contact) && there.end.x.allFinite();
  arc.x = std::move(there.end.x);
  arc.tangent = std::move(there.end.tangent);
  return arc;
}

}  // namespace saltus
