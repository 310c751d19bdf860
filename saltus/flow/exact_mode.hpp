#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "saltus/flow/affine_value.hpp"
#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// The functions of time u(t) that force a mode: for each frequency w the products of t^j/j! with cos wt and sin wt
/// (w = 0: t^j/j! alone; the first of all is 1). u̇ = S u with constant S.
class TimeBasis {
 public:
  /// Frequencies and the highest power of t beside each; frequency 0 first.
  struct Block {
    double w;
    int highest;
  };
  TimeBasis() : blocks_{{0.0, 0}} {}

  void include(const AffineValue& value);
  std::size_t size() const;
  const std::vector<Block>& blocks() const { return blocks_; }
  bool operator==(const TimeBasis& other) const {
    return std::equal(blocks_.begin(), blocks_.end(), other.blocks_.begin(), other.blocks_.end(),
                      [](const Block& a, const Block& b) { return a.w == b.w && a.highest == b.highest; });
  }
  double fastest() const;
  bool has_powers() const;

  void values(double t, double* u) const;
  /// S u.
  void derivative(const double* u, double* out) const;
  /// The row of coefficients c with c · u = the time part of `value`, its constant included.
  std::vector<double> row_of(const AffineValue& value) const;

 private:
  std::vector<Block> blocks_;
};

/// Sizes of the Taylor polynomials of exp(Â τ): with ρ τ ≤ 1 (ρ as in ExactMode) the remainder after this many terms is below
/// rounding, 1/19! = 8e-18.
inline constexpr int taylor_degree = 18;

/// An event function in a mode: value and rate along the motion as rows over (x, u).
struct ExactRow {
  bool affine = true;  // false: the function is not linear in the state (a section's surface)
  std::vector<double> value;  // N + m numbers
  std::vector<double> rate;
  struct Term {
    std::size_t i;
    double c;
  };
  std::vector<Term> of_x, of_u, rate_of_x, rate_of_u;  // the numbers of both that are not zero
  bool steady = false;  // of time it knows the constant only
  double curvature_x = 0.0;  // |cubic through the ends of a step − function| ≤ curvature_x |x|ₛ + curvature_u
  double curvature_u = 0.0;
};

/// The motion in one mode, ẋ = A x + B u(t), u̇ = S u, and what is needed to walk along it in steps of length `step`.
/// Matrices are stored by columns.
struct ExactMode {
  Mode mode;
  bool linear =
      true;  // false: the field of this mode is not linear (sliding along a switch whose jump is not constant)
  std::size_t N = 0;
  TimeBasis basis;
  std::size_t m = 0;  // basis.size()
  std::vector<double> A, B;  // N × N, N × m
  struct Rate {
    std::size_t of, by;
    double c;
  };
  std::vector<Rate> S;  // u̇_of = Σ c u_by, terms that are not zero
  double trace = 0.0;  // of the free field's derivative
  std::vector<ExactRow> events;  // gaps, switches, surfaces
  std::vector<ExactRow> multipliers;  // λ, w
  std::vector<std::vector<double>> dA, dB;  // per varied parameter: F_p = dA x + dB u

  double step = 0.0;  // 1/ρ with ρ the larger of ‖A²⁰‖^(1/20) (balanced) and the fastest frequency; infinite if ρ = 0
  int degree = taylor_degree;
  std::vector<double> scale;  // balancing: |x|ₛ = max |x_i| / scale_i
  std::vector<double> step_x, step_u;  // exp over one step: x ← step_x x + step_u u
  std::vector<double> step_basis;  // u ← step_basis u, m × m
  std::vector<std::vector<double>> step_dx, step_du;  // parameter column z ← step_x z + step_dx x + step_du u
  mutable std::vector<const ExactMode*> beyond;  // the mode behind switch k, once it was asked for
};

/// The Taylor coefficients of x(τ) and u(τ) of one step: x(τ) = Σ x_k τ^k.
struct TaylorPath {
  int degree = 0;
  std::vector<double> x, u;  // (degree + 1) × N, × m
};

/// Vector arithmetic of a dimension, with the loops unrolled for the common ones.
struct ExactArithmetic {
  /// out = M x, M of N rows and `columns` columns; `more`: added to out. x and out may be the same.
  void (*multiply)(const double* M, const double* x, double* out, std::size_t N, std::size_t columns, bool more);
  void (*expand)(const ExactMode& mode, const double* x, const double* u, TaylorPath& path);
  /// Σ coefficients_k τ^k, coefficients (degree + 1) × N.
  void (*evaluate)(const double* coefficients, int degree, double tau, double* out, std::size_t N);
  /// State columns of the tangent, one behind the other, over τ.
  void (*carry)(const ExactMode& mode, double tau, double* columns, std::size_t count);
  /// The column of varied parameter c over τ of the path.
  void (*carry_parameter)(const ExactMode& mode, const TaylorPath& path, std::size_t c, double tau, double* column);
};
const ExactArithmetic& exact_arithmetic(std::size_t N);

/// A piecewise-linear model at given parameters: its modes, assembled when they are first met.
class ExactSystem {
 public:
  ExactSystem(const Kernels& kernels, std::vector<double> parameter_inputs);

  const std::vector<double>& parameters() const { return p_; }
  const ExactMode& mode(const Mode& mode) const;
  /// The mode with the sign of switch k turned.
  const ExactMode& beyond(const ExactMode& from, std::size_t k) const;

 private:
  std::unique_ptr<ExactMode> assembled(const Mode& mode) const;

  const Kernels& kernels_;
  std::vector<double> p_;
  mutable std::vector<std::unique_ptr<ExactMode>> modes_;
};

}  // namespace saltus
