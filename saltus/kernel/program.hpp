#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// The arrays a kernel reads.
enum class Slot : std::uint8_t { time, state, parameter, mode, tangent };
inline constexpr std::size_t slot_count = 5;

struct InputRef {
  Slot slot;
  std::uint32_t index;
  bool operator==(const InputRef&) const = default;
};

/// Where the value of a symbol is found; nothing if the symbol is unknown (lowering then throws).
using InputMap = std::function<std::optional<InputRef>(const std::string& symbol)>;

/// What an instruction computes from the values a, b, c. Every rounding of the compiled code is one of these.
enum class Code : std::uint8_t {
  add,   // a + b
  sub,   // a − b
  mul,   // a b
  div,   // a / b
  neg,   // −a
  fma,   // a b + c, rounded once
  fnma,  // c − a b, rounded once
  sqrt,
  abs,
  min,     // of a and b; not a number if one of them is not
  max,     // likewise
  sine,    // sin a; the next instruction is always the cosine of the same a, so that both share their work
  cosine,  // cos a
  exp,
  log,
  tan,
  asin,
  acos,
  atan,
  atan2,  // of a = y, b = x
  sinh,
  cosh,
  tanh,
  pow,          // a^b
  positive,     // condition a > 0
  nonnegative,  // condition a ≥ 0
  both,         // condition a and b
  either,       // condition a or b
  negation,     // condition not a
  select,       // a ? b : c
  floor,        // the largest whole number not above a
};

std::string_view name_of(Code code);
/// 1, 2 or 3.
int arity_of(Code code);

struct Instruction {
  Code code;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  bool operator==(const Instruction&) const = default;
};

/// Straight-line code: the one form between expressions and all back ends. Values are numbered: first the constants,
/// then the inputs, then the results of the instructions in their order. Every output is a number; a condition gives
/// 0 or 1.
struct Program {
  std::vector<double> constants;
  std::vector<InputRef> inputs;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> outputs;

  std::size_t first_instruction() const { return constants.size() + inputs.size(); }
  std::size_t value_count() const { return first_instruction() + code.size(); }
  bool operator==(const Program&) const = default;
};

/// A program for each element of streams s_j (Slot::state, index j) with scalars c_i (Slot::parameter, index i).
/// The first `stored` outputs of the body are stored, out_k[element]; the others are added up over the elements in order.
///
/// With `records`, the streams from `first` on are the slots of one array of records, which takes the place of stream
/// `first`, and output `output` is stored in slot `slot` of it: so many streams are reached through one address. Elements that
/// share a register share a record; the array has room for 8 elements more than there are.
struct LoopProgram {
  struct Records {
    std::uint32_t first;
    std::uint32_t slots;
    std::uint32_t output;
    std::uint32_t slot;
    bool operator==(const Records&) const = default;
  };
  Program body;
  std::size_t stored = 0;
  std::optional<Records> records = std::nullopt;

  std::size_t accumulated() const { return body.outputs.size() - stored; }
  bool operator==(const LoopProgram&) const = default;
};

/// The program whose output i is outputs[i]. Sums of products become chains of fma; what is shared is computed once.
/// The same outputs give the same program. Throws Error(fault) for a symbol that `inputs` does not know.
Program lower(std::span<const Expr> outputs, const InputMap& inputs);
LoopProgram lower_loop(std::span<const Expr> outputs, std::span<const Expr> accumulated, const InputMap& inputs);

/// The program as text, one instruction a line.
std::string listing(const Program& program);
std::string listing(const LoopProgram& loop);

/// Equal programs have equal hashes, on every machine.
std::uint64_t hash_of(const Program& program);

}  // namespace saltus
