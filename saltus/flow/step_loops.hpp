#pragma once

#include <array>

#include "saltus/kernel/codegen.hpp"

namespace saltus {

/// The arithmetic of a Runge-Kutta step over all components and lanes, compiled once per width.
struct StepLoops {
  /// stage[i]: (y, k₀ … k_{i−1}; h) → y + h Σ a_ij kⱼ, for i = 1 … 11 and 13 … 15; stage[12] is the step itself.
  std::array<LoopKernel, 16> stage{};
  /// (y, y_new, k₀ … k₁₂; rtol, atol) → sums of the squares of the scaled errors of orders 5 and 3.
  LoopKernel error = nullptr;
  /// (y, y_new, k₀ … k₁₅; h) → r₂ … r₈ of the dense output.
  LoopKernel dense = nullptr;
  /// (y, r₂ … r₈; θ) → y(t + θ h).
  LoopKernel value = nullptr;
};

/// The loops at one width (1, 2, 4 or 8); compiled on first use, thread-safe, kept for the life of the process.
const StepLoops& step_loops(unsigned width);

}  // namespace saltus
