#pragma once

#include <memory>
#include <vector>

#include "saltus/flow/guard.hpp"
#include "saltus/flow/mechanism.hpp"
#include "saltus/flow/time_basis.hpp"

namespace saltus {

/// Sizes of the Taylor polynomials of exp(Â τ): with ρ τ ≤ 1 (ρ as in ExactMode) the remainder after this many terms is below
/// rounding, 1/19! = 8e-18.
inline constexpr int taylor_degree = 18;
inline constexpr int part_degree = 9;  // the same with ρ |τ| ≤ 1/16: 2.5e-19
inline constexpr int highest_degree = 62;  // of a mode whose motion is a polynomial of time

/// |cubic through the ends of a step − function| ≤ by_x |x|ₛ + by_u.
struct CubicError {
  double by_x = 0.0;
  double by_u = 0.0;
};

/// An event function in a mode, value and rate along the motion: rows over z = (x, u).
struct ExactRow {
  bool affine = true;  // false: the function is not linear in the state (a section's surface)
  struct Term {
    std::size_t i;
    double c;
  };
  std::vector<Term> value, rate;  // Σ c z_i over the numbers that are not zero
  std::vector<double>
      series;  // coefficient k of the function of τ/unit is Σ_j series[j · ExactMode::quads · 4 + k] z_j
  CubicError error;
};

/// The motion in one mode, ẋ = A x + B u(t), u̇ = S u, and what is needed to walk along it in steps of length `step`.
/// z = (x, u), M = N + m numbers. Matrices are stored by columns.
struct ExactMode {
  Mode mode;
  bool linear =
      true;  // false: the field of this mode is not linear (sliding along a switch whose jump is not constant)
  bool masked = false;  // contacts are closed or switches slid along
  std::size_t N = 0;
  TimeBasis basis;
  std::size_t m = 0;  // basis.size()
  std::size_t M() const { return N + m; }
  std::vector<double> A, B;  // N × N, N × m
  struct Rate {
    std::size_t of, by;
    double c;
  };
  std::vector<Rate> S;  // u̇_of = Σ c u_by, terms that are not zero
  double trace = 0.0;  // of the free field's derivative
  std::vector<ExactRow> events;  // gaps, switches, surfaces
  std::vector<ExactRow> multipliers;  // λ, w
  std::vector<Guard> guards;  // those that the mode has by itself, without watched surfaces
  std::size_t guard_quads = 0;  // their values fit into this many groups of four, their rates into as many
  std::vector<double> guard_ends;  // values and rates of all guards by z: 8 · guard_quads × M
  std::vector<CubicError> guard_errors;
  std::vector<std::vector<double>> dA, dB;  // per varied parameter: F_p = dA x + dB u

  double step = 0.0;  // 1/ρ with ρ the larger of ‖A²⁰‖^(1/20) (balanced) and the fastest frequency; infinite if ρ = 0
  double unit = 1.0;  // of time in the tables below: the step, 1 if that is infinite
  int degree = taylor_degree;
  std::size_t quads = 0;  // degree + 1 coefficients of a polynomial fit into this many groups of four
  std::vector<double> weight;  // balancing: |x|ₛ = max weight_i |x_i|
  struct Over {
    std::vector<double> z;  // N × M: x ← z-matrix · z
    std::vector<double> u;  // m × m: u ← u-matrix · u
  };
  std::vector<Over> over;  // exp over j parts of a step, j = 0 … parts; of infinite steps: over none only
  static constexpr std::size_t parts = 8;
  const Over& over_step() const { return over.back(); }
  std::vector<std::vector<double>> over_step_p;  // N × M per varied parameter: what a step adds to its column by z
  std::vector<double> powers;  // N × M each: Âᵏ unitᵏ / k!, k = 0 … degree, the rows of x; empty for large N
  mutable std::vector<const ExactMode*> beyond;  // the mode behind switch k, once it was asked for

  const ExactRow& row_of(const Guard& guard, const Layout& layout) const;
};

/// A piecewise-linear model at given parameters: its modes, assembled when they are first met.
class ExactSystem {
 public:
  ExactSystem(const Kernels& kernels, std::vector<double> parameter_inputs);

  const std::vector<double>& parameters() const { return p_; }
  const ExactMode& mode(const Mode& mode) const;
  /// The mode with the sign of switch k turned.
  const ExactMode& beyond(const ExactMode& from, std::size_t k) const;

 private:
  const Kernels& kernels_;
  std::vector<double> p_;
  mutable std::vector<std::unique_ptr<ExactMode>> modes_;
};

}  // namespace saltus
