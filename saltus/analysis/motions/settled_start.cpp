#include "saltus/analysis/motions/settled_start.hpp"

#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double touching = 1e-8;

/// Closes the contacts that x rests on.
void close_contacts(const Mechanism& mechanism, double t, const Vector& x, Mode& mode) {
  const ContactValue at = mechanism.contact(t, x, mode);
  const double size = 1.0 + x.cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < mode.contacts().size(); ++i) {
    const Index c = index(i);
    const bool rests = std::abs(at.h[c]) < touching * size && std::abs(at.gamma[c]) < touching * size;
    if (rests || at.h[c] < -touching * size) mode.close(i);
  }
}

/// Slides along the switches that x lies on, if both sides point at them.
void hold_switches(const Mechanism& mechanism, double t, const Vector& x, Mode& mode) {
  const Index contacts = index(mechanism.layout().contacts);
  const double size = 1.0 + x.cwiseAbs().maxCoeff();
  const Vector s = mechanism.events(t, x, Vector::Zero(x.size())).value;
  for (std::size_t k = 0; k < mode.switches().size(); ++k) mode.pass(k, s[contacts + index(k)] < 0.0 ? -1.0 : 1.0);
  for (std::size_t k = 0; k < mode.switches().size(); ++k) {
    const Index row = contacts + index(k);
    if (std::abs(s[row]) > touching * size) continue;
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
  if (layout.contacts > 0) close_contacts(mechanism, t.phase, x, point.mode);
  hold_switches(mechanism, t.phase, x, point.mode);
  if (point.mode.is_masked()) Settler(mechanism, options, p.period).project(point);
  return point.x;
}

}  // namespace saltus
