#pragma once

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// A flight whose impacts accumulate, up to a place inside the slide that follows.
struct ChatterArc {
  bool whole = false;    // false: no chatter on the contact comes, or something else comes before
  double slides = 0.0;   // after this time the slide begins
  double length = 0.0;   // after this time the motion is at x
  Vector x;
  Matrix tangent;        // ∂x/∂(start, p) at fixed start time and length: N × (N + varied)
};

/// The event-driven motion from x at the time t in the mode `flight`, which has just struck `contact`; its end is not set.
FlowRun chatter_run(const Kernels& kernels, const std::vector<double>& parameter_inputs, double t, const Vector& x,
                    const Mode& flight, std::size_t contact, double longest, LaneStepper::Carries carries);
/// With these options.
FlowOptions chatter_options(const FlowOptions& options);

/// The event-driven motion from x at the time t in the mode `flight`, until impacts on `contact` have accumulated. Its infinitely many
/// impacts are completed by the flow, with the limit of the tangent. It is given up after the time `longest`.
ChatterArc chatter_arc(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameter_inputs,
                       double t, const Vector& x, const Mode& flight, std::size_t contact, double longest);

}  // namespace saltus
