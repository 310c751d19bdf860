// The triple physical pendulum over a horizontal barrier (Awrejcewicz & Kudra 2005), written by hand: field, Jacobian,
// gap, impact and its saltation, for double, long double and lanes.
#pragma once

#include <array>
#include <cmath>

#include "lanes.hpp"

namespace peers {

template <class S>
using Vec3 = std::array<S, 3>;

/// A state (q, v), or one column of the tangent (δq, δv).
template <class S>
struct Column {
  Vec3<S> q, v;
};

/// P is double, long double, or lanes when each lane has its own parameters.
template <class P>
struct TriplePendulum {
  P c1, c2, c3;           // damping in the joints
  P q1, omega;            // torque q1 cos ωt on the first rod
  P eta;                  // depth of the barrier
  P restitution;
  P beta2, beta3;         // M22, M33; M11 = 1
  P nu12, nu13, nu23;     // inertial coupling
  P mu2, mu3;             // weight

  P period() const { return 2.0L * 3.14159265358979323846264338328L / omega; }
};

/// Three identical uniform rods with the same damping in each joint.
template <class P>
TriplePendulum<P> identical_rods(P c, P q1, P omega, P eta, P restitution) {
  return {.c1 = c,
          .c2 = c,
          .c3 = c,
          .q1 = q1,
          .omega = omega,
          .eta = eta,
          .restitution = restitution,
          .beta2 = P(4) / 7,
          .beta3 = P(1) / 7,
          .nu12 = P(9) / 14,
          .nu13 = P(3) / 14,
          .nu23 = P(3) / 14,
          .mu2 = P(3) / 5,
          .mu3 = P(1) / 5};
}

template <class P>
TriplePendulum<P> fig3a() {
  return identical_rods<P>(P(1) / 10, P(7) / 10, P(12) / 10, P(26) / 10, P(9) / 10);
}

template <class P>
TriplePendulum<P> fig4ab() {
  return identical_rods<P>(P(8) / 100, P(83) / 100, P(1211) / 1000, P(25) / 10, P(9) / 10);
}

/// Every case starts at rest with equal angles and the tip 0.05 above the barrier.
template <class P>
Column<P> start_at_rest(const TriplePendulum<P>& system) {
  const P angle = std::acos((system.eta - P(5) / 100) / 3);
  return {{angle, angle, angle}, {}};
}

/// Start of the timings of fig3a: beside the attractor with nine impacts in two periods. From rest the transient of
/// fig3a contains a completed chatter and sliding, which these programs do not know.
template <class P>
Column<P> start_beside_attractor() {
  return {{P(126) / 1000, P(-694) / 1000, P(669) / 1000}, {P(606) / 1000, P(-567) / 1000, P(-1408) / 1000}};
}

template <class S>
struct Trig {
  Vec3<S> sin, cos;
  S drive;  // cos ωt
};

template <class P, class S>
[[gnu::always_inline]] inline Trig<S> trig(const TriplePendulum<P>& system, const Vec3<S>& q, const S& t) {
  if constexpr (std::is_same_v<S, double>) {
    // One trajectory alone: its four angles share a register.
    const auto [sin, cos] = sincos(Lanes<4>{q[0], q[1], q[2], system.omega * t});
    return {{sin[0], sin[1], sin[2]}, {cos[0], cos[1], cos[2]}, cos[3]};
  } else {
    const auto [s0, c0] = sincos(q[0]);
    const auto [s1, c1] = sincos(q[1]);
    const auto [s2, c2] = sincos(q[2]);
    return {{s0, s1, s2}, {c0, c1, c2}, sincos(S(system.omega * t)).cos};
  }
}

/// M = L D Lᵀ with D = diag(1, d2, d3), together with the off-diagonal parts of M and of
/// Nᵢⱼ = νᵢⱼ sin(qᵢ − qⱼ) = ∂Mᵢⱼ/∂qⱼ (N is antisymmetric).
template <class S>
struct Inertia {
  S m12, m13, m23, n12, n13, n23;
  S l32, inv_d2, inv_d3;  // l21 = m12, l31 = m13
};

template <class P, class S>
[[gnu::always_inline]] inline Inertia<S> inertia(const TriplePendulum<P>& p, const Trig<S>& a) {
  Inertia<S> I;
  I.m12 = p.nu12 * (a.cos[0] * a.cos[1] + a.sin[0] * a.sin[1]);
  I.m13 = p.nu13 * (a.cos[0] * a.cos[2] + a.sin[0] * a.sin[2]);
  I.m23 = p.nu23 * (a.cos[1] * a.cos[2] + a.sin[1] * a.sin[2]);
  I.n12 = p.nu12 * (a.sin[0] * a.cos[1] - a.cos[0] * a.sin[1]);
  I.n13 = p.nu13 * (a.sin[0] * a.cos[2] - a.cos[0] * a.sin[2]);
  I.n23 = p.nu23 * (a.sin[1] * a.cos[2] - a.cos[1] * a.sin[2]);
  // One division for both reciprocals: det = d2 d3 is a polynomial in the entries of M.
  const S d2 = p.beta2 - I.m12 * I.m12;
  const S u = I.m23 - I.m12 * I.m13;
  const S det = d2 * (p.beta3 - I.m13 * I.m13) - u * u;
  const S inv = 1.0 / (d2 * det);
  I.inv_d2 = det * inv;
  I.inv_d3 = d2 * d2 * inv;
  I.l32 = u * I.inv_d2;
  return I;
}

/// M⁻¹ b for a right side of the same type or for columns across a register.
template <class S, class T>
[[gnu::always_inline]] inline Vec3<T> solve(const Inertia<S>& I, const Vec3<T>& b) {
  const T y1 = b[1] - I.m12 * b[0];
  const T y2 = b[2] - I.m13 * b[0] - I.l32 * y1;
  const T x2 = y2 * I.inv_d3;
  const T x1 = y1 * I.inv_d2 - I.l32 * x2;
  return {b[0] - I.m12 * x1 - I.m13 * x2, x1, x2};
}

/// f of M v̇ = f.
template <class P, class S>
[[gnu::always_inline]] inline Vec3<S> force(const TriplePendulum<P>& p, const Trig<S>& a, const Inertia<S>& I,
                                            const Vec3<S>& v) {
  const S v0 = v[0] * v[0], v1 = v[1] * v[1], v2 = v[2] * v[2];
  const S joint1 = p.c2 * (v[1] - v[0]), joint2 = p.c3 * (v[2] - v[1]);
  return {p.q1 * a.drive - a.sin[0] - I.n12 * v1 - I.n13 * v2 - p.c1 * v[0] + joint1,
          I.n12 * v0 - I.n23 * v2 - p.mu2 * a.sin[1] - joint1 + joint2,
          I.n13 * v0 + I.n23 * v1 - p.mu3 * a.sin[2] - joint2};
}

/// J_q = ∂f/∂q − (∂M/∂q) v̇ and J_v = ∂f/∂v, so that M δv̇ = J_q δq + J_v δv.
template <class S>
struct Jacobian {
  std::array<Vec3<S>, 3> dq, dv;
};

template <class P, class S>
[[gnu::always_inline]] inline Jacobian<S> jacobian(const TriplePendulum<P>& p, const Trig<S>& a, const Inertia<S>& I,
                                                   const Vec3<S>& v, const Vec3<S>& vdot) {
  const S v0 = v[0] * v[0], v1 = v[1] * v[1], v2 = v[2] * v[2];
  const S q01 = I.m12 * v1 - I.n12 * vdot[1], q02 = I.m13 * v2 - I.n13 * vdot[2];
  const S q10 = I.m12 * v0 + I.n12 * vdot[0], q12 = I.m23 * v2 - I.n23 * vdot[2];
  const S q20 = I.m13 * v0 + I.n13 * vdot[0], q21 = I.m23 * v1 + I.n23 * vdot[1];
  Jacobian<S> J;
  // Only differences of angles enter M and N: but for the weight each row of J_q sums to zero.
  J.dq = {{{-a.cos[0] - q01 - q02, q01, q02},
           {q10, -p.mu2 * a.cos[1] - q10 - q12, q12},
           {q20, q21, -p.mu3 * a.cos[2] - q20 - q21}}};
  const S w0 = 2.0 * v[0], w1 = 2.0 * v[1], w2 = 2.0 * v[2];
  const S zero{};
  J.dv = {{{zero - (p.c1 + p.c2), p.c2 - I.n12 * w1, -I.n13 * w2},
           {p.c2 + I.n12 * w0, zero - (p.c2 + p.c3), p.c3 - I.n23 * w2},
           {I.n13 * w0, p.c3 + I.n23 * w1, zero - p.c3}}};
  return J;
}

/// δv̇ = M⁻¹ (J_q δq + J_v δv).
template <class S, class T>
[[gnu::always_inline]] inline Vec3<T> tangent_slope(const Inertia<S>& I, const Jacobian<S>& J, const Column<T>& d) {
  Vec3<T> b;
  for (int i = 0; i < 3; ++i)
    b[i] = J.dq[i][0] * d.q[0] + J.dq[i][1] * d.q[1] + J.dq[i][2] * d.q[2] + J.dv[i][0] * d.v[0] + J.dv[i][1] * d.v[1] +
           J.dv[i][2] * d.v[2];
  return solve(I, b);
}

/// Everything the smooth motion needs at one point.
template <class S>
struct Field {
  Trig<S> angle;
  Inertia<S> inertia;
  Vec3<S> vdot;
};

template <class P, class S>
[[gnu::always_inline]] inline Field<S> field(const TriplePendulum<P>& p, const Column<S>& x, const S& t) {
  const Trig<S> a = trig(p, x.q, t);
  const Inertia<S> I = inertia(p, a);
  return {a, I, solve(I, force(p, a, I, x.v))};
}

template <class S, class T>
[[gnu::always_inline]] inline T dot(const Vec3<S>& a, const Vec3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Gap h = η − Σ cos qᵢ, its rate γ = n·v with n = sin q, and ḧ = n·v̇ + Σ cos qᵢ vᵢ².
template <class S>
struct GapJet {
  S h, gamma, acceleration;
};

template <class P, class S>
[[gnu::always_inline]] inline GapJet<S> gap(const TriplePendulum<P>& p, const Field<S>& f, const Vec3<S>& v) {
  const Vec3<S>& cos = f.angle.cos;
  const S centripetal = cos[0] * v[0] * v[0] + cos[1] * v[1] * v[1] + cos[2] * v[2] * v[2];
  return {p.eta - cos[0] - cos[1] - cos[2], dot(f.angle.sin, v), centripetal + dot(f.angle.sin, f.vdot)};
}

/// Newton's impact: Λ = −(1+e) γ / (nᵀM⁻¹n), v⁺ = v⁻ + M⁻¹n Λ.
template <class S>
struct Impact {
  Vec3<S> v_plus;
  Vec3<S> M_inv_n;
  S n_M_inv_n, gamma_minus, impulse;
};

template <class P, class S>
[[gnu::always_inline]] inline Impact<S> impact(const TriplePendulum<P>& p, const Field<S>& f, const Vec3<S>& v) {
  Impact<S> hit;
  hit.M_inv_n = solve(f.inertia, f.angle.sin);
  hit.n_M_inv_n = dot(f.angle.sin, hit.M_inv_n);
  hit.gamma_minus = dot(f.angle.sin, v);
  hit.impulse = -(1 + p.restitution) * hit.gamma_minus / hit.n_M_inv_n;
  for (int i = 0; i < 3; ++i) hit.v_plus[i] = v[i] + hit.M_inv_n[i] * hit.impulse;
  return hit;
}

/// S δ = R_x (δ + F⁻ δt) − F⁺ δt with δt = −n·δq / γ⁻: the perturbed motion meets the barrier δt later. `minus` is the
/// field at (q, v_minus), `vdot_plus` the acceleration just after the impact.
template <class S, class T>
[[gnu::always_inline]] inline Column<T> saltation(const Field<S>& minus, const Vec3<S>& v_minus, const Impact<S>& hit,
                                                  const Vec3<S>& vdot_plus, const Column<T>& d) {
  const Inertia<S>& I = minus.inertia;
  const Vec3<S>& a = hit.M_inv_n;
  const T dt = -dot(minus.angle.sin, d.q) / hit.gamma_minus;
  Column<T> y;  // δ + F⁻ δt
  Vec3<T> dn;
  for (int i = 0; i < 3; ++i) {
    y.q[i] = d.q[i] + v_minus[i] * dt;
    y.v[i] = d.v[i] + minus.vdot[i] * dt;
    dn[i] = minus.angle.cos[i] * y.q[i];
  }
  const T g12 = I.n12 * (y.q[0] - y.q[1]), g13 = I.n13 * (y.q[0] - y.q[2]), g23 = I.n23 * (y.q[1] - y.q[2]);  // −δM
  const Vec3<T> da = solve(
      I, Vec3<T>{dn[0] + g12 * a[1] + g13 * a[2], dn[1] + g12 * a[0] + g23 * a[2], dn[2] + g13 * a[0] + g23 * a[1]});
  const T dgamma = dot(v_minus, dn) + dot(minus.angle.sin, y.v);
  const T d_n_M_inv_n = dot(a, dn) + dot(minus.angle.sin, da);
  const T dimpulse = hit.impulse * (dgamma / hit.gamma_minus - d_n_M_inv_n / hit.n_M_inv_n);
  for (int i = 0; i < 3; ++i) {
    y.q[i] = y.q[i] - hit.v_plus[i] * dt;
    y.v[i] = y.v[i] + da[i] * hit.impulse + a[i] * dimpulse - vdot_plus[i] * dt;
  }
  return y;
}

}  // namespace peers
