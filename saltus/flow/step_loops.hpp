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
/// Streams of a pair (q, v): 0 q, 1 v, 2 the slope k₀ of v, 3 the last slope as the field gives it, 4 the new q, 5 the new
/// v, then d₁ … d₁₅ in records. Streams of a plain z: 1 z and so on. Scalars: h, rtol, atol.
struct StepLoops {
  static constexpr std::size_t position = 0;
  static constexpr std::size_t velocity = 1;
  static constexpr std::size_t first_slope = 2;
  static constexpr std::size_t last_slope = 3;
  static constexpr std::size_t new_position = 4;
  static constexpr std::size_t new_velocity = 5;
  static constexpr std::size_t records = 6;
  static constexpr std::size_t stream_count = 7;
  static constexpr std::size_t record_slots = 15;

  struct Sums {
    /// stage[i], i = 1 … 11 and 13 … 15: (…, k_{i−1}) → what the field is evaluated at (positions, velocities), and
    /// d_{i−1} into the records.
    std::array<LoopKernel, 16> stage{};
    /// (…, k₁₁) → the new values, and d₁₁ into the records; with the sums of the squares of the scaled errors of orders 5 and 3
    /// (both without a factor h).
    LoopKernel step = nullptr;
    LoopKernel step_with_error = nullptr;
    /// (…, k₁₅, new values) → r₂ … r₈ of the dense output, of the positions, then of the velocities.
    LoopKernel dense = nullptr;
  };
  Sums pair, plain;
  /// (y, r₂ … r₈; θ, 1 − θ) → y(t + θ h).
  LoopKernel value = nullptr;
  /// (Σ e₅², Σ e₃², how many there are; h) → the scaled error of a step.
  LoopKernel error = nullptr;
  /// (c; t, h) → t + c h.
  LoopKernel times = nullptr;
  /// (q, v, v̇ at the start, at the end; h) → middle and radius of q, v, v̇ and v̈ along the quintic of q through them.
  LoopKernel boxes = nullptr;
  /// (s, ṡ at the start, s, ṡ, s̈ at the end, middle and radius of s̈ between, its size; h, relative and absolute error) → 1 only where
  /// `proof_by_ends` says that a gap that begins away from zero is clear, and by so much that rounding changes nothing.
  LoopKernel proven = nullptr;
  /// (place in the period, what rounding took from it, whole periods left, place and rest of the end in its own, length of the next trial,
  /// where the period ends) → 1 only where the trial ends before the period and before the run.
  LoopKernel before_ends = nullptr;
  /// (s, ṡ, s̈ of a gap at the start; h) → 1 only where no flight over it is known to end within half a trial: see LaneFlow::aim.
  LoopKernel no_short_flight = nullptr;
  /// (y, y_new; choice) → y_new where the choice is positive, else y.
  LoopKernel take = nullptr;
};

/// The loops at one width (1, 2, 4 or 8); compiled on first use, thread-safe, kept for the life of the process.
const StepLoops& step_loops(unsigned width);

}  // namespace saltus
