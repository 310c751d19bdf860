// What every peer program integrates: the triple pendulum as a plain system of 6 or 42 equations, its impact, and the
// measurement. y = (q, v), then the six columns (δq, δv) of the tangent one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "gram_schmidt.hpp"
#include "triple_pendulum.hpp"

namespace peers {

inline constexpr int state_size = 6;
inline constexpr int full_size = 42;

/// Times of the first ten impacts from start_beside_attractor(): DOP853 in long double at rtol 1e-16 (baseline_main
/// computes them again).
inline constexpr std::array<double, 10> reference_impacts = {
    0.131039416883519, 1.713331100011867, 2.417906697762386, 2.797310644101911, 3.332249627586235,
    4.065426737361958, 4.353548968670604, 7.105271047497790, 9.843742633806128, 10.606508649626980};

inline Column<double> column_at(const double* y) { return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}}; }

inline void put_column(const Column<double>& x, double* y) {
  for (int k = 0; k < 3; ++k) y[k] = x.q[k], y[k + 3] = x.v[k];
}

/// dy/dt for `size` = 6 or 42 equations.
inline void right_side(const TriplePendulum<double>& system, double t, const double* y, double* dy, int size) {
  const Column<double> x = column_at(y);
  const Field<double> f = field(system, x, t);
  put_column({x.v, f.vdot}, dy);
  if (size == state_size) return;
  const Jacobian<double> J = jacobian(system, f.angle, f.inertia, x.v, f.vdot);
  for (int at = 6; at < size; at += 6) {
    const Column<double> d = column_at(y + at);
    put_column({d.v, tangent_slope(f.inertia, J, d)}, dy + at);
  }
}

inline double gap_at(const TriplePendulum<double>& system, const double* y) {
  return system.eta - std::cos(y[0]) - std::cos(y[1]) - std::cos(y[2]);
}

inline double gap_rate_at(const double* y) {
  return std::sin(y[0]) * y[3] + std::sin(y[1]) * y[4] + std::sin(y[2]) * y[5];
}

/// x ← R(x) and tangent ← S tangent.
inline void strike(const TriplePendulum<double>& system, double t, double* y, int size) {
  const Column<double> x = column_at(y);
  const Field<double> minus = field(system, x, t);
  const Impact<double> hit = impact(system, minus, x.v);
  const Vec3<double> vdot_plus = solve(minus.inertia, force(system, minus.angle, minus.inertia, hit.v_plus));
  for (int at = 6; at < size; at += 6) put_column(saltation(minus, x.v, hit, vdot_plus, column_at(y + at)), y + at);
  put_column({x.q, hit.v_plus}, y);
}

/// State x and tangent = identity.
inline void put_start(const Column<double>& x, double* y, int size) {
  std::fill(y, y + size, 0.0);
  put_column(x, y);
  for (int c = 0; 6 + 6 * c < size; ++c) y[6 + 6 * c + c] = 1.0;
}

/// QR of the tangent in y; adds ln r_ii.
inline void orthonormalise_in(double* y, std::array<double, 6>& log_growth) {
  Columns6<double> X;
  for (int c = 0; c < 6; ++c) X[c] = column_at(y + 6 + 6 * c);
  const auto r = orthonormalise(X);
  for (int c = 0; c < 6; ++c) log_growth[c] += std::log(r[c]), put_column(X[c], y + 6 + 6 * c);
}

/// Collects impacts while a peer runs.
struct ImpactLog {
  std::array<double, 10> times{};
  long count = 0;

  void add(double t) {
    if (count < 10) times[count] = t;
    ++count;
  }

  double worst_error() const {
    if (count < 10) return 1e300;
    double worst = 0;
    for (int k = 0; k < 10; ++k) worst = std::max(worst, std::abs(times[k] - reference_impacts[k]));
    return worst;
  }
};

/// Processor time of this program in microseconds: other programs on the machine do not count.
inline double processor_time() { return 1e6 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// `run(rtol, periods)` integrates fig3a and returns its impacts. Takes the loosest tolerance whose error on the first
/// ten impacts is about 1e-9 and times `periods` periods with it.
template <class Run>
void measure_at_equal_error(const char* name, const Run& run, int periods) {
  double rtol = 1e-6;
  while (rtol > 1e-15 && run(rtol, 3).worst_error() > 1.2e-9) rtol /= std::sqrt(10.0);
  double best = 1e300;
  ImpactLog log;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double begin = processor_time();
    log = run(rtol, periods);
    best = std::min(best, (processor_time() - begin) / periods);
  }
  std::printf("%-36s %9.1f us/period   rtol %.1e   impact error %.1e   %ld impacts in %d periods\n", name, best, rtol,
              log.worst_error(), log.count, periods);
}

template <class Run>
void print_first_impacts(const Run& run) {
  const ImpactLog log = run(1e-13, 3);
  for (const double t : log.times) std::printf("  %.12f\n", t);
}

}  // namespace peers
