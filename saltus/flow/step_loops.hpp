#pragma once

#include <array>

#include "saltus/kernel/codegen.hpp"

namespace saltus {

/// The arithmetic of a Runge-Kutta step over all components and lanes, compiled once per width.
///
/// Slopes enter as differences d_j = k_j − k₀, and positions through q̇ = v: with A the tableau and Ā = A A,
///   v_i = v + h (c_i k₀ + Σ a_ij d_j),     q_i = q + h (c_i v + h (½c_i² k₀ + Σ ā_ij d_j)).
/// Under a constant force all d_j vanish, and what is left is the parabola, rounded once; the weights themselves
/// (up to 43) would leave 70 eps in every step.
///
/// Streams of a pair (q, v): 0 q, 1 v, 2 + j the slopes of v, 18 the new q, 19 the new v. Streams of a plain z: 1 z,
/// 2 + j its slopes, 19 the new z. Scalars: h, rtol, atol.
struct StepLoops {
  static constexpr std::size_t stream_count = 20;
  static constexpr std::size_t first_slope = 2;
  static constexpr std::size_t new_position = 18;
  static constexpr std::size_t new_velocity = 19;

  struct Sums {
    /// stage[i], i = 1 … 11 and 13 … 15: (…, d₁ … d_{i−2}, k_{i−1}) → what the field is evaluated at (positions,
    /// velocities), and d_{i−1}.
    std::array<LoopKernel, 16> stage{};
    /// (…, d₁ … d₁₀, k₁₁) → the new values and d₁₁; with the sums of the squares of the scaled errors of orders 5 and 3
    /// (both without a factor h).
    LoopKernel step = nullptr;
    LoopKernel step_with_error = nullptr;
    /// (…, d₁ … d₁₅, new values) → r₂ … r₈ of the dense output, of the positions, then of the velocities.
    LoopKernel dense = nullptr;
  };
  Sums pair, plain;
  /// (y, r₂ … r₈; θ, 1 − θ) → y(t + θ h).
  LoopKernel value = nullptr;
  /// (y, y_new; choice) → y_new where the choice is positive, else y.
  LoopKernel take = nullptr;
};

/// The loops at one width (1, 2, 4 or 8); compiled on first use, thread-safe, kept for the life of the process.
const StepLoops& step_loops(unsigned width);

}  // namespace saltus
