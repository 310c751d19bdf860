#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "saltus/kernel/ir_arithmetic.hpp"
#include "saltus/kernel/program.hpp"
#include "saltus/kernel/sincos.hpp"

// Included by codegen.cpp alone: everything here is LLVM.

namespace saltus {

inline double sine_of(double x) { return sine_cosine(x).sine; }
inline double cosine_of(double x) { return sine_cosine(x).cosine; }

/// The C library's function behind a code, the same that the interpreter calls.
inline const void* library_address(Code code) {
  using Unary = double (*)(double);
  using Binary = double (*)(double, double);
  const auto unary = [](Unary f) { return reinterpret_cast<const void*>(f); };
  const auto binary = [](Binary f) { return reinterpret_cast<const void*>(f); };
  switch (code) {
    case Code::sine: return unary(sine_of);
    case Code::cosine: return unary(cosine_of);
    case Code::exp: return unary(std::exp);
    case Code::log: return unary(std::log);
    case Code::tan: return unary(std::tan);
    case Code::asin: return unary(std::asin);
    case Code::acos: return unary(std::acos);
    case Code::atan: return unary(std::atan);
    case Code::atan2: return binary(std::atan2);
    case Code::sinh: return unary(std::sinh);
    case Code::cosh: return unary(std::cosh);
    case Code::tanh: return unary(std::tanh);
    case Code::floor: return unary(std::floor);
    default: return binary(std::pow);
  }
}

/// How sines are computed: by code on the spot, right for |x| ≤ largest_sine_argument only, or by calls. Code on the spot
/// asks `check` first, which leaves if one of the given |x| is larger; and it takes up to `together` sines that wait for
/// no other sine through one register, where a program of one lane would leave most of it empty.
struct Sines {
  std::function<void(const IrArithmetic& a, LLVMValueRef size)> check;  // none: they are called
  unsigned together = 1;
};

/// LLVM selects and orders instructions block by block, at a cost that grows with the square of a block's: a long program is cut into
/// blocks of so many instructions.
inline constexpr std::size_t longest_block = 250;

/// Turns the instructions of a program into IR at the builder's place.
class IrProgram {
 public:
  using Value = LLVMValueRef;

  /// `begin_block` goes on in a new block; none: all is one.
  IrProgram(const IrArithmetic& arithmetic, const Program& program, Sines sines, std::function<void()> begin_block = {})
      : a_(arithmetic), program_(program), sines_(std::move(sines)), begin_block_(std::move(begin_block)) {}

  /// Generates the program: `load(i)` brings its input i when it is first needed, `store(k, value)` takes its output k
  /// as soon as it is known. What is live at the same time should fit the registers.
  template <class Load, class Store>
  void generate(Load load, Store store) {
    values_.assign(program_.value_count(), nullptr);
    outputs_of_.assign(program_.value_count(), {});
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) outputs_of_[program_.outputs[k]].push_back(k);
    if (sines_.together > 1) generate_first_sines(load);
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      const std::size_t value = program_.first_instruction() + i;
      if (values_[value] == nullptr) generate_instruction(i, load);
      for (const std::size_t k : outputs_of_[value]) store(k, values_[value]);
      count(1 + outputs_of_[value].size());
    }
    for (std::uint32_t value = 0; value < program_.first_instruction(); ++value) {
      for (const std::size_t k : outputs_of_[value]) {
        make_known(value, load);
        store(k, values_[value]);
        count(1);
      }
    }
  }

 private:
  /// Inputs are loaded anew in a new block, so that no register has to keep them until the last.
  void count(std::size_t instructions) {
    in_block_ += instructions;
    if (!begin_block_ || in_block_ < longest_block) return;
    begin_block_();
    in_block_ = 0;
    for (std::size_t i = program_.constants.size(); i < program_.first_instruction(); ++i) values_[i] = nullptr;
  }

  template <class Load>
  Value leaf(std::uint32_t value, Load load) {
    const std::size_t constants = program_.constants.size();
    return value < constants ? a_.number(program_.constants[value]) : load(value - constants);
  }

  /// A constant is fetched anew for every use, so that no register has to keep it.
  template <class Load>
  void make_known(std::uint32_t value, Load load) {
    if (values_[value] == nullptr || value < program_.constants.size()) values_[value] = leaf(value, load);
  }

  template <class Load>
  void generate_instruction(std::size_t i, Load load) {
    const Instruction& instruction = program_.code[i];
    const std::array<std::uint32_t, 3> operands = {instruction.a, instruction.b, instruction.c};
    for (int k = 0; k < arity_of(instruction.code); ++k) make_known(operands[static_cast<std::size_t>(k)], load);
    values_[program_.first_instruction() + i] = result(instruction);
  }

  template <class Action>
  void for_operands(std::size_t i, Action action) const {
    const Instruction& instruction = program_.code[i];
    const std::array<std::uint32_t, 3> operands = {instruction.a, instruction.b, instruction.c};
    for (int o = 0; o < arity_of(instruction.code); ++o)
      if (const std::uint32_t value = operands[static_cast<std::size_t>(o)]; value >= program_.first_instruction())
        action(value - program_.first_instruction());
  }

  /// Whether a sine or cosine is the instruction or among all that it is made of.
  std::vector<bool> contain_sines() const {
    std::vector<bool> result(program_.code.size(), false);
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      bool found = program_.code[i].code == Code::sine || program_.code[i].code == Code::cosine;
      for_operands(i, [&](std::size_t k) { found = found || result[k]; });
      result[i] = found;
    }
    return result;
  }

  /// The sines that wait for no other, several at once, with all that their arguments are made of.
  template <class Load>
  void generate_first_sines(Load load) {
    const std::size_t first = program_.first_instruction();
    const std::vector<bool> waits = contain_sines();
    std::vector<bool> wanted(program_.code.size(), false);  // what the arguments are made of
    std::vector<std::size_t> sines;
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      const Instruction& instruction = program_.code[i];
      if (instruction.code != Code::sine) continue;
      if (instruction.a >= first && waits[instruction.a - first]) continue;
      if (instruction.a >= first) wanted[instruction.a - first] = true;
      sines.push_back(i);
    }
    if (sines.size() < 2) return;
    for (std::size_t i = program_.code.size(); i-- > 0;)
      if (wanted[i]) for_operands(i, [&](std::size_t k) { wanted[k] = true; });
    for (std::size_t i = 0; i < program_.code.size(); ++i)
      if (wanted[i] && values_[first + i] == nullptr) generate_instruction(i, load);
    for (std::size_t begin = 0; begin < sines.size(); begin += sines_.together) {
      std::vector<Value> arguments;
      for (std::size_t k = begin; k < std::min(begin + sines_.together, sines.size()); ++k) {
        make_known(program_.code[sines[k]].a, load);
        arguments.push_back(values_[program_.code[sines[k]].a]);
      }
      const IrArithmetic wide = a_.with_lanes(sines_.together);
      const SineCosine<Value> both = sine_cosine_on_the_spot(wide, wide.packed(arguments));
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        values_[first + sines[begin + k]] = wide.lane(both.sine, static_cast<unsigned>(k));
        values_[first + sines[begin + k] + 1] = wide.lane(both.cosine, static_cast<unsigned>(k));
      }
    }
  }

  SineCosine<Value> sine_cosine_on_the_spot(const IrArithmetic& a, Value x) {
    sines_.check(a, a.abs(x));
    return sine_cosine(a, x);
  }

  Value result(const Instruction& i) {
    const Value a = values_[i.a];
    const Value b = values_[i.b];
    const Value c = values_[i.c];
    switch (i.code) {
      case Code::add: return a_.add(a, b);
      case Code::sub: return a_.sub(a, b);
      case Code::mul: return a_.mul(a, b);
      case Code::div: return a_.div(a, b);
      case Code::neg: return a_.neg(a);
      case Code::fma: return a_.fma(a, b, c);
      case Code::fnma: return a_.fnma(a, b, c);
      case Code::sqrt: return a_.sqrt(a);
      case Code::abs: return a_.abs(a);
      case Code::min: return a_.extreme(LLVMRealOLT, a, b);
      case Code::max: return a_.extreme(LLVMRealOGT, a, b);
      case Code::positive: return a_.compare(LLVMRealOGT, a, a_.number(0.0));
      case Code::nonnegative: return a_.compare(LLVMRealOGE, a, a_.number(0.0));
      case Code::both: return LLVMBuildAnd(a_.builder(), a, b, "");
      case Code::either: return LLVMBuildOr(a_.builder(), a, b, "");
      case Code::negation: return LLVMBuildNot(a_.builder(), a, "");
      case Code::select: return a_.select(a, b, c);
      case Code::sine: return sine(a);
      case Code::cosine: return sines_.check ? cosine_ : a_.call_in_lanes(library_address(i.code), {a});
      default:
        return a_.call_in_lanes(library_address(i.code), arity_of(i.code) == 1 ? std::vector{a} : std::vector{a, b});
    }
  }

  Value sine(Value x) {
    if (!sines_.check) return a_.call_in_lanes(library_address(Code::sine), {x});
    const SineCosine<Value> both = sine_cosine_on_the_spot(a_, x);
    cosine_ = both.cosine;  // the next instruction's
    return both.sine;
  }

  const IrArithmetic& a_;
  const Program& program_;
  Sines sines_;
  std::function<void()> begin_block_;
  std::size_t in_block_ = 0;
  std::vector<Value> values_;
  std::vector<std::vector<std::size_t>> outputs_of_;  // by value
  Value cosine_ = nullptr;
};

}  // namespace saltus
