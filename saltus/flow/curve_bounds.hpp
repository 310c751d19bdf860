#pragma once

#include <array>
#include <span>
#include <vector>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/multiplier_bounds.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

struct Interval {
  double lower, upper;
};

/// Part of a step, in units of its length.
struct Part {
  double lower, upper;
};

/// x, ẋ and ẍ of a polynomial of θ, θ ∈ [0, 1] over a time h, on a part: middles and radii. By the powers of θ − m, m its middle, which
/// take the place of the coefficients.
struct PolynomialBox {
  std::array<double, 3> middle, radius;
};
PolynomialBox box_of_polynomial(std::vector<double>& coefficients, const Part& part, double h);

/// Bounds of the event functions and their rates along a polynomial x(θ), θ ∈ [0, 1] over a time h; and, where contacts are closed or
/// switches slid along, of the forces and weights, in rows behind those of the event functions. Of their second rates nothing is known.
class CurveBounds {
 public:
  CurveBounds(const Kernels& kernels, unsigned width);

  /// The curve that is meant from now on: Σ_k coefficients[k · N + i] θᵏ of component i. p and mode: component j at [j · stride].
  void set(double t, double h, const double* p, const double* mode, std::size_t stride);
  /// Forces and weights of the mode too. `delta`: by how much ẋ of the curve may be off, component by component.
  void add_multipliers(const Mode& mode, std::span<const double> delta);
  /// What each of them changes by then, at most: λ, then w.
  std::vector<double> reaches();
  /// Room for the coefficients, to be filled by the caller.
  std::vector<double>& coefficients(int degree);

  /// Middle and radius of g, ġ and g̈ of all rows over one part.
  struct Row {
    const double* at;
    std::size_t rows;
    Interval interval(std::size_t order, std::size_t row, double sign, double offset) const;
    double middle(std::size_t order, std::size_t row) const { return at[2 * (order * rows + row)]; }
    double radius(std::size_t order, std::size_t row) const { return at[2 * (order * rows + row) + 1]; }
  };
  /// Appends the bounds over all parts to `out`, `size()` numbers each.
  void bound(std::span<const Part> parts, std::vector<double>& out);
  std::size_t size() const { return 6 * rows_; }
  std::size_t rows() const { return rows_; }
  std::size_t row_of_multiplier(std::size_t u) const { return events_ + u; }

 private:
  void fill(std::size_t lane, const Part& part);
  void bound_multipliers(std::size_t lanes);

  const Kernels& kernels_;
  Kernel kernel_;
  Kernel dynamics_ = nullptr;
  std::size_t width_, N_, events_, rows_;
  std::vector<std::size_t> components_;  // those that some event function depends on
  std::vector<std::size_t> all_components_;
  MultiplierBounds multipliers_;
  bool with_multipliers_ = false;
  double t_ = 0.0;
  double h_ = 0.0;
  int degree_ = 0;
  std::vector<double> coefficients_, shifted_;
  LaneArray p_, mode_, t_box_, x_box_, X_box_, out_, dynamics_out_;
};

}  // namespace saltus
