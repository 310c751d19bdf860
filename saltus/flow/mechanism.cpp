#include "saltus/flow/mechanism.hpp"

#include "saltus/flow/held_field.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

FieldValue Mechanism::field(double t, const Vector& x, const Mode& mode) const {
  if (mode.any_held()) return HeldField(*this, mode).at(t, x);
  const Layout& l = layout();
  Vector out = Vector::Zero(index(l.N() + l.contacts + l.switches));
  const bool masked = mode.is_masked();
  (masked ? functions_.sliding : functions_.field)(&t, x.data(), p_.data(), mode_inputs(mode).data(), nullptr,
                                                   out.data());
  if (!masked) out.tail(index(l.contacts + l.switches)).setZero();
  return {out.head(index(l.N())), out.segment(index(l.N()), index(l.contacts)), out.tail(index(l.switches))};
}

Vector Mechanism::a_little_later(double t, const Vector& x, const Mode& mode, double dt) const {
  const auto rate = [&](double after, const Vector& at) { return field(t + after, at, mode).rate; };
  const Vector k1 = rate(0.0, x);
  const Vector k2 = rate(0.5 * dt, x + 0.5 * dt * k1);
  const Vector k3 = rate(0.5 * dt, x + 0.5 * dt * k2);
  const Vector k4 = rate(dt, x + dt * k3);
  return x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

ContactValue Mechanism::contact(double t, const Vector& x, const Mode& mode) const {
  const Layout& l = layout();
  const Index m = index(l.contacts);
  const Index n = index(l.n);
  Vector out(index(l.contact_outputs()));
  functions_.contact(&t, x.data(), p_.data(), mode_inputs(mode).data(), nullptr, out.data());
  ContactValue value;
  value.h = out.head(m);
  value.gamma = out.segment(index(l.contact_rate(0)), m);
  value.rebound_slope = out.segment(index(l.contact_slope(0)), m);
  value.restitution = out.segment(index(l.contact_restitution(0)), m);
  value.normal = Eigen::Map<const Rows>(out.data() + l.contact_normal(0), m, n);
  value.response = Eigen::Map<const Rows>(out.data() + l.contact_response(0), m, n);
  if (l.has_delassus_matrix()) value.delassus = Eigen::Map<const Rows>(out.data() + l.contact_delassus(0), m, m);
  else value.delassus = value.normal * value.response.transpose();
  return value;
}

EventValue Mechanism::events(double t, const Vector& x, const Vector& rate) const {
  return events(t, x, rate, sides_of(t, x));
}

EventValue Mechanism::events(double t, const Vector& x, const Vector& rate, const Mode& mode) const {
  const Layout& l = layout();
  const Index count = index(l.contacts + l.switches + l.surfaces);
  const Index m = index(l.contacts);
  Vector out(index(l.event_outputs()));
  functions_.events(&t, x.data(), p_.data(), mode_inputs(mode).data(), rate.data(), out.data());
  // The kernel writes values h, s, surfaces, then their rates with γ first, then ḧ, then the pivot.
  return {out.head(count), out.segment(count, count), out.segment(2 * count, m)};
}

/// The signs of the switching functions. One that depends on others' sides follows them, as deep as they are nested.
Mode Mechanism::sides_of(double t, const Vector& x) const {
  const Layout& l = layout();
  Mode mode(l);
  if (!l.nested_switches) return mode;
  const Vector rest = Vector::Zero(x.size());
  for (std::size_t depth = 0; depth <= l.switches; ++depth) {
    const Mode before = mode;
    const Vector s = events(t, x, rest, mode).value.segment(index(l.contacts), index(l.switches));
    for (std::size_t k = 0; k < l.switches; ++k) mode.pass(k, s[index(k)] < 0.0 ? -1.0 : 1.0);
    if (mode == before) break;
  }
  return mode;
}

ImpactValue Mechanism::impact(double t, const Vector& x, const std::vector<char>& struck,
                              const std::vector<char>& elastic) const {
  const Layout& l = layout();
  const Index n = index(l.n);
  const Index m = index(l.contacts);
  const Index directions = index(l.impact_directions());
  Mode mode(l);
  for (std::size_t i = 0; i < l.contacts; ++i)
    if (struck[i]) mode.close(i);
  std::vector<double> inputs = mode_inputs(mode);
  for (std::size_t i = 0; i < l.contacts; ++i) inputs[l.elasticity(i)] = elastic[i];
  Vector out(n + m + n * directions);
  functions_.impact(&t, x.data(), p_.data(), inputs.data(), nullptr, out.data());
  return {out.head(n), out.segment(n, m), Eigen::Map<const Matrix>(out.data() + n + m, n, directions)};
}

Matrix Mechanism::jets(double t, const Vector& x) const { return jets(t, x, sides_of(t, x)); }

Matrix Mechanism::jets(double t, const Vector& x, const Mode& mode) const {
  const Layout& l = layout();
  Rows out(index(l.jets()), index(l.jet_size()));
  functions_.jets(&t, x.data(), p_.data(), mode_inputs(mode).data(), nullptr, out.data());
  return out;
}

std::pair<double, double> Mechanism::energy(double t, const Vector& x, const Mode& mode) const {
  double out[2] = {};
  const Vector rate = field(t, x, mode).rate;
  functions_.energy(&t, x.data(), p_.data(), nullptr, rate.data(), out);
  return {out[0], out[1]};
}

Vector Mechanism::observe(double t, const Vector& x) const {
  Vector out(index(layout().observables));
  if (layout().observables > 0) functions_.observe(&t, x.data(), p_.data(), nullptr, nullptr, out.data());
  return out;
}

}  // namespace saltus
