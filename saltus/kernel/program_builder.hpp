#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// A value of a growing program, or its negative. Signs cost nothing until a number is stored or goes into a function,
/// so a − b and b − a are one instruction.
struct Signed {
  std::uint32_t value = 0;
  bool negative = false;
  friend Signed operator-(Signed s) { return {s.value, !s.negative}; }
};

/// Grows a program; asked twice for the same thing, computes it once.
class ProgramBuilder {
 public:
  Signed constant(double number);
  Signed input(InputRef from);

  Signed add(Signed a, Signed b);
  Signed mul(Signed a, Signed b);
  Signed div(Signed a, Signed b);
  /// a b + c, rounded once.
  Signed fma(Signed a, Signed b, Signed c);
  /// base^k by squaring, k ≥ 1.
  Signed power(Signed base, int k);
  Signed sine(Signed a);
  Signed cosine(Signed a);
  Signed abs(Signed a);
  Signed sign(Signed a);
  Signed select(Signed condition, Signed if_true, Signed if_false);
  /// Any other instruction.
  Signed apply(Code code, std::span<const Signed> args);

  Program finish(std::span<const Signed> outputs);

 private:
  struct Hash {
    std::size_t operator()(const Instruction& i) const;
  };

  Signed emit(const Instruction& instruction);
  std::uint32_t plain(Signed s);
  std::uint32_t constant_value(double number);
  std::uint32_t final_number(std::uint32_t value) const;

  Program program_;  // with provisional numbers: see the .cpp
  std::unordered_map<std::uint64_t, std::uint32_t> constants_;
  std::unordered_map<std::uint64_t, std::uint32_t> inputs_;
  std::unordered_map<Instruction, std::uint32_t, Hash> known_;
};

}  // namespace saltus
