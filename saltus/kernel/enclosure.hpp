#pragma once

#include <optional>
#include <span>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// An output of a program that is to be enclosed.
struct EnclosedOutput {
  /// What makes the enclosure the whole line: nothing; the box touches a place where output `of` jumps; or one where it jumps or
  /// has a kink. Derivatives of a function know nothing of such places.
  enum class Open { never, at_jumps, at_jumps_and_kinks };
  std::size_t output = 0;
  Open open = Open::never;
  std::size_t of = 0;
  bool middle_only = false;  // a number for a caller who needs no bound: its radius is not computed, and 0
};

/// A program that gives bounds of `program` over boxes. Input i of time, state and tangent becomes two: its middle at 2i, its
/// radius at 2i + 1; parameters and modes stay what they are. Each output becomes two: middle c and radius r, so that the values
/// at all points of the box lie in [c − r, c + r], rounding included. r infinite or not a number, or c not a number: nothing
/// is known. What depends on parameters and modes only has no radius: it is the number that the program itself computes.
Program enclosure_of(const Program& program, std::span<const EnclosedOutput> outputs);

}  // namespace saltus
