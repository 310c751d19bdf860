#pragma once

#include <Eigen/LU>
#include <span>
#include <vector>

#include "saltus/analysis/hill/hill_pieces.hpp"
#include "saltus/kernel/codegen.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// Hill's equation  ẍ + a ẋ + ḡ(t) x = 0  over one period. With x = e^{−at/2} y it reads  ÿ + g(t) y = 0,  g = ḡ − a²/4;
/// y₁, y₂ are the solutions of this that start with (y, ẏ) = (1, 0) and (0, 1).
struct HillSolution {
  Eigen::Matrix2d monodromy;  // Φ_T = [y₁ y₂; ẏ₁ ẏ₂] at the end of the period
  long zeros = 0;  // n: zeros of y₂ on (start, start + T], one at the end included
  bool zero_at_end = false;  // y₂(T) = 0 to rounding
  double angle = 0.0;  // ψ(T) = ∫ dt / (y₁² + y₂²), Leine 2012, eq. 9; n = ⌊ψ(T)/π⌋
  double period = 0.0;  // T
  double damping = 0.0;  // a
  double frequency = 0.0;  // √ of the largest |g|, at least π/T: the scale in which Φ_T is judged
  double error = 0.0;  // of Φ_T: what halving the steps changed, or rounding if that is more; relative to `size`
  double size = 0.0;  // largest of |y₁|, ω|y₂|, |ẏ₁|/ω, |ẏ₂| with ω = frequency
  long steps = 0;  // of the finer of the two computations
  bool converged = false;  // error ≤ what was asked for, every piece of g known, and no step that might hold two zeros
};

struct HillOptions {
  double tolerance = 1e-13;  // error ≤ tolerance, or rounding if that is more
  double start = 0.0;  // where the period is cut
  long most_steps = 1L << 14;
};

/// The equation of a [hill] model as native code. Immutable, shared by all threads.
class HillEquation {
 public:
  /// For one point at a time and for `width` (1, 2, 4, 8) at once.
  explicit HillEquation(const Model& model, unsigned width = 1);

  unsigned width() const { return width_; }
  std::size_t parameter_count() const { return parameters_; }

  /// Numbers of the model at parameters p.
  struct Numbers {
    double period, damping, restitution;
  };
  Numbers numbers(std::span<const double> p) const;

  /// g(t) = ḡ(t) − a²/4.
  double stiffness(double t, std::span<const double> p) const;

  /// Instants between start and start + T where g changes its piece (`if`, abs, sign, min, max), to the last digit.
  std::vector<double> switching_instants(std::span<const double> p, double start = 0.0) const;

  /// start, the instants at which steps end, start + T: besides the switching instants cuts around narrow features of g.
  std::vector<double> pieces(std::span<const double> p, double start = 0.0) const;

  /// Φ_T and n by Gauss collocation with eight stages (order 16; it keeps det Φ = 1) on steps that end where pieces
  /// meet, halved until Φ_T does not change.
  HillSolution solve(std::span<const double> p, const HillOptions& options = {}) const;

  /// The same at up to `width` points, each bit for bit what it is alone.
  std::vector<HillSolution> solve_lanes(std::span<const std::vector<double>> points,
                                        const HillOptions& options = {}) const;

  /// y₁, ẏ₁, y₂, ẏ₂ at increasing times from the start of the period on.
  std::vector<Eigen::Matrix2d> fundamental_matrices(std::span<const double> p, std::span<const double> times) const;

  /// The step as it was compiled, for the interpreter: (t, (h, y₁, ẏ₁, y₂, ẏ₂), p) ↦ the four at t + h, then the largest and
  /// the smallest g at the nodes.
  const Program& step_program() const { return step_.program; }

 private:
  struct Compiled {
    Program program;
    Kernel one = nullptr;
    Kernel wide = nullptr;
  };
  friend class HillLanes;

  std::size_t parameters_ = 0;
  unsigned width_ = 1;
  HillBounds bounds_;
  Compiled step_;
  Kernel stiffness_ = nullptr;
  Kernel numbers_ = nullptr;
  std::vector<NativeCode> code_;
};

}  // namespace saltus
