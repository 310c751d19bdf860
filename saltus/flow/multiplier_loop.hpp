#pragma once

#include <array>

#include "saltus/kernel/codegen.hpp"
#include "saltus/kernel/inverse_dynamics.hpp"

namespace saltus {

/// The bounds of `MultiplierBounds` for one force or weight alone, by far the most frequent case, for a row of lanes at once:
///   D = P/(P·P),     E ≥ |1 − D P|,     |u| ≤ |D R|/(1 − E).
/// Nothing is known where E is not below 1. Compiled for a number of rows of R, not for a model.
struct MultiplierLoop {
  /// What it writes: middle and radius of u, of u̇, and the reach.
  static constexpr std::size_t outputs = 5;
  /// What it reads of multiplier u, from what `inverse_dynamics_bounds` wrote: the lanes of each number, one after the other.
  static std::size_t inputs(const InverseDynamicsLayout& at) { return 10 * at.rows + 5; }
  static void point(const InverseDynamicsLayout& at, std::size_t u, const double* entries, std::size_t width,
                    const double** streams);
};

/// Compiled on first use, thread-safe, kept for the life of the process.
LoopKernel multiplier_loop(std::size_t rows, unsigned width);

}  // namespace saltus
