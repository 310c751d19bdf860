// The first contact within a step, from the gap and its first two derivatives at both ends.
#pragma once

#include <array>
#include <cmath>
#include <optional>

#include "triple_pendulum.hpp"

namespace peers {

/// Polynomial of degree five in s = τ/step with the value and two derivatives of the gap at both ends (error ~ step⁶).
template <class R>
struct GapPolynomial {
  std::array<R, 6> p;

  GapPolynomial(const GapJet<R>& a, const GapJet<R>& b, R step) {
    p[0] = a.h;
    p[1] = a.gamma * step;
    p[2] = a.acceleration * step * step / 2;
    const R d0 = b.h - p[0] - p[1] - p[2];
    const R d1 = b.gamma * step - p[1] - 2 * p[2];
    const R d2 = b.acceleration * step * step - 2 * p[2];
    p[3] = 10 * d0 - 4 * d1 + d2 / 2;
    p[4] = -15 * d0 + 7 * d1 - d2;
    p[5] = 6 * d0 - 3 * d1 + d2 / 2;
  }

  /// A motion that starts on the barrier and leaves it has the root s = 0. Dividing it out keeps the sign of the gap.
  void divide_by_s() { p = {p[1], p[2], p[3], p[4], p[5], R(0)}; }

  R value(R s) const { return p[0] + s * (p[1] + s * (p[2] + s * (p[3] + s * (p[4] + s * p[5])))); }
  R slope(R s) const { return p[1] + s * (2 * p[2] + s * (3 * p[3] + s * (4 * p[4] + s * 5 * p[5]))); }
};

/// The s in [low, high] at which f changes from the sign of f(low) to the other one; secant steps kept by bisection.
template <class R, class F>
R sign_change(const F& f, R low, R high) {
  R f_low = f(low), f_high = f(high);
  for (int i = 0; i < 60 && high - low > R(1e-14); ++i) {
    const R secant = low - f_low * (high - low) / (f_high - f_low);
    const R s = i % 3 != 2 && secant > low && secant < high ? secant : (low + high) / 2;
    const R f_s = f(s);
    if ((f_s > 0) == (f_low > 0)) {
      low = s, f_low = f_s;
    } else {
      high = s, f_high = f_s;
    }
    if (std::abs(f_s) < R(1e-17)) return s;
  }
  return high;
}

/// The time from the start of the step to the first downward crossing of the gap, dips inside the step included.
template <class R>
std::optional<R> first_contact(const GapJet<R>& start, const GapJet<R>& end, R step) {
  constexpr int pieces = 4;
  GapPolynomial<R> gap(start, end, step);
  if (start.gamma > 0 && std::abs(start.h) < R(1e-12)) gap.divide_by_s();
  const auto value = [&](R s) { return gap.value(s); };
  const auto slope = [&](R s) { return gap.slope(s); };
  for (int k = 0; k < pieces; ++k) {
    const R low = R(k) / pieces, high = R(k + 1) / pieces;
    if (value(high) <= 0) return step * sign_change(value, low, high);
    if (slope(low) >= 0 || slope(high) <= 0) continue;
    const R lowest = sign_change(slope, low, high);
    if (value(lowest) <= 0) return step * sign_change(value, low, lowest);
  }
  return std::nullopt;
}

}  // namespace peers
