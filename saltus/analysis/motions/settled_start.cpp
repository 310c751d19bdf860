#include "saltus/analysis/motions/settled_start.hpp"

#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double touching = 1e-8;

/// Closes the contacts that x rests on.
void close_contacts(const Mechanism& mechanism, double t, const Vector& x, const Vector& near, Mode& mode) {
  const ContactValue at = mechanism.contact(t, x, mode);
  const Index contacts = index(mode.contacts().size());
  for (std::size_t i = 0; i < mode.contacts().size(); ++i) {
    const Index c = index(i);
    const bool rests = std::abs(at.h[c]) < near[c] && std::abs(at.gamma[c]) < near[contacts + c];
    if (rests || at.h[c] < -near[c]) mode.close(i);
  }
}

/// Slides along the switches that x lies on, if both sides point at them.
void hold_switches(const Mechanism& mechanism, double t, const Vector& x, const Vector& near, Mode& mode) {
  const Index contacts = index(mechanism.layout().contacts);
  const Vector s = mechanism.events(t, x, Vector::Zero(x.size())).value;
  for (std::size_t k = 0; k < mode.switches().size(); ++k) mode.pass(k, s[contacts + index(k)] < 0.0 ? -1.0 : 1.0);
  for (std::size_t k = 0; k < mode.switches().size(); ++k) {
    const Index row = contacts + index(k);
    if (std::abs(s[row]) > near[contacts + row]) continue;
    const auto speed = [&](double sign) {
      Mode side = mode;
      side.pass(k, sign);
      return mechanism.events(t, x, mechanism.field(t, x, side).rate).rate[row];
    };
    if (!(speed(1.0) < 0.0 && speed(-1.0) > 0.0)) continue;
    mode.slide(k);
  }
}

}  // namespace

Vector settled_start(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const Time& t,
                     const Vector& x) {
  const Layout& layout = kernels.layout();
  if (layout.contacts + layout.switches == 0) return x;
  const Mechanism mechanism(kernels, p.inputs);
  FlowPoint point = start_point(kernels, t, x, LaneStepper::Carries::state);
  // h, γ and s are measured by what they change with the components, those about zero by what a step does not resolve of them.
  const Vector sizes = x.cwiseAbs().array() + options.atol / options.rtol;
  const Vector near = touching * (mechanism.jets(t.phase, x).leftCols(x.size()).cwiseAbs() * sizes);
  if (layout.contacts > 0) close_contacts(mechanism, t.phase, x, near, point.mode);
  hold_switches(mechanism, t.phase, x, near, point.mode);
  if (point.mode.is_masked()) Settler(mechanism, options, p.period).project(point);
  return point.x;
}

}  // namespace saltus
