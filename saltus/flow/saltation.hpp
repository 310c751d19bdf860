#pragma once

#include "saltus/flow/contact_law.hpp"

namespace saltus {

/// An event with what carries perturbations over it: event function s, jump x⁺ = R(x⁻, t, p), field before and after.
struct EventJet {
  Vector ds_dx;  // row of ∂s/∂x
  double ds_dt;
  Vector ds_dp;  // by the varied parameters
  Matrix dR_dx;
  Vector dR_dt;
  Matrix dR_dp;
  Vector F_minus;
  Vector F_plus;
};

/// Of a jet of s by (x, t, p), as kernels write it, and of a jump.
inline EventJet event_jet(const Vector& jet, const Jump& jump, const Vector& F_minus, const Vector& F_plus) {
  const Index N = jump.x.size();
  return {jet.head(N), jet[N], jet.tail(jet.size() - N - 1), jump.dR_dx, jump.dR_dt, jump.dR_dp, F_minus, F_plus};
}

/// Carries a small perturbation from just before an event to just after it:
///   S = ∂R/∂x + (F⁺ − ∂R/∂x F⁻ − ∂R/∂t) (∂s/∂x) / (∂s/∂t + ∂s/∂x F⁻).
/// The divisor is the speed of s along the flow; grazing events have none and never come here.
Matrix saltation(const EventJet& at);

/// X⁺ = R_x X⁻ + R_p + (R_x F⁻ + R_t − F⁺) δt  with  δt = −(s_x X⁻ + s_p) / (s_x F⁻ + s_t);
/// s_p and R_p in the parameter columns only, which stand last. docs/theory.md, "Tangent".
Matrix carried_over(const EventJet& at, const Matrix& tangent);

}  // namespace saltus
