#include "saltus/analysis/chatter_arc.hpp"

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

ChatterArc chatter_arc(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameter_inputs,
                       double t, const Vector& x, const Mode& flight, std::size_t contact, double longest) {
  ChatterArc arc;
  // A guess of Newton's method may lie where no motion begins: inside the obstacle, or approaching it.
  const Mechanism mechanism(kernels, parameter_inputs);
  const ContactValue at = mechanism.contact(t, x, flight);
  const Eigen::Index row = static_cast<Eigen::Index>(contact);
  const double deepest = 1e-6 * (1.0 + x.cwiseAbs().maxCoeff());
  if (!(longest > 0.0) || at.h[row] < -deepest || !(at.gamma[row] > 0.0)) return arc;
  FlowOptions stepping = options;
  stepping.method = FlowMethod::runge_kutta;
  stepping.most_events = std::min(stepping.most_events, 20'000L);
  // Without a period the time is counted as it is: the parameter's column is the derivative at fixed times.
  FlowRun run;
  run.parameters = parameter_inputs;
  const auto begin = [&](LaneStepper::Carries carries) {
    run.start = start_point(kernels, {0, t}, x, carries);
    run.start.mode = flight;
    const Vector rate = mechanism.field(t, x, flight).rate;
    run.start.natural_step = 0.01 * (1e-3 + x.cwiseAbs().maxCoeff()) / (1e-3 + rate.cwiseAbs().maxCoeff());
    run.start.fastest.assign(kernels.layout().contacts, 0.0);
    run.start.fastest[contact] = at.gamma[row];
  };
  begin(LaneStepper::Carries::state);
  run.end = {0, t + longest};
  find_slide(flow(kernels, stepping, run).events, contact, t, longest, arc);
  if (!(arc.length > 0.0)) return arc;
  begin(LaneStepper::Carries::state_and_tangent);
  run.end = {0, t + arc.length};
  FlowResult there = flow(kernels, stepping, run);
  arc.whole = there.outcome == Outcome::reached_end && there.end.mode.closed[contact] && there.end.x.allFinite();
  arc.x = std::move(there.end.x);
  arc.tangent = std::move(there.end.tangent);
  return arc;
}

}  // namespace saltus
