#pragma once

#include "saltus/flow/exact_arithmetic.hpp"

namespace saltus {

/// One step of a motion in closed form: z = (x, u) at its start and its end, and x anywhere inside. The end may be moved back
/// inside (`land`), to an event.
class ExactStep {
 public:
  explicit ExactStep(std::size_t N) : arithmetic_(exact_arithmetic(N)), N_(N), z_(N), z_new_(N) {}

  const ExactArithmetic& arithmetic() const { return arithmetic_; }
  const ExactMode& mode() const { return *mode_; }
  double length() const { return length_; }
  double tau() const { return tau_; }
  const double* start() const { return z_.data(); }
  const double* end() const { return z_new_.data(); }
  double* x() { return z_.data(); }
  const double* x() const { return z_.data(); }
  const double* u() const { return z_.data() + N_; }

  /// Stands at x in a linear mode, at a phase of the forcing.
  void enter(const ExactMode& mode, const double* x, double phase);
  /// The functions of time anew: what whole steps lose of their digits comes back.
  void refresh_basis(double phase) { mode_->basis.values(phase, z_.data() + N_); }
  /// Stays where it is in another mode.
  void change_mode(const ExactMode& mode, double phase);

  /// The mode's own step, by its stored matrices.
  void go_whole();
  /// A step of any length up to that, from a phase of the forcing.
  void go(double length, double phase);
  /// Moves the end back to τ; u there is left open.
  void land(double tau);
  bool is_whole() const { return whole_; }
  bool ends_finite() const;
  /// Columns of the tangent at the start → at the end: `states` of them by x, then those of varied parameters.
  void carry(double* columns, std::size_t states, std::size_t parameters);
  /// The end becomes the start; u follows over whole steps only, else `refresh_basis` is due.
  void take();

  /// x, τ into the step.
  void place(double tau, double* x);
  /// x(τ) as a polynomial.
  const TaylorPath& path();
  /// ẋ at the start, in any mode at functions of time `u`.
  void field(const ExactMode& mode, const double* u, double* rate) const;

 private:
  void resize();
  void turn(const ExactMode::Over& over, const double* from, double* to) const;

  const ExactArithmetic& arithmetic_;
  std::size_t N_;
  const ExactMode* mode_ = nullptr;
  std::vector<double> z_, z_new_;
  std::vector<double> z_part_;
  std::vector<double> exponential_;  // of the last `land`, where it is tabulated, beyond
  std::size_t part_ = 0;  // ... this many parts of the step
  TaylorPath path_;
  bool path_known_ = false;
  bool whole_ = false;
  double length_ = 0.0;
  double tau_ = 0.0;  // where the end is
};

}  // namespace saltus
