#pragma once

#include "saltus/kernel/codegen.hpp"

namespace saltus {

/// What is asked of the forces of closed contacts beside their bounds, for a row of lanes.
struct ForceLoops {
  /// (q, v at the start, at the end; h, relative and absolute error) → how far q̈ of the true motion may be from that of the quintic. An
  /// error of θ³(1 − θ)³ in q is 24 times as large, over h², in q̈.
  LoopKernel deviation = nullptr;
  /// (λ at the start, at the end, middle and radius of λ̇ between, what is not known of λ; h, relative and absolute error) → 1 only where
  /// `proof_by_rates` says that a force that begins away from zero is clear.
  LoopKernel pressed = nullptr;
};

/// Compiled on first use, thread-safe, kept for the life of the process.
const ForceLoops& force_loops(unsigned width);

}  // namespace saltus
