#pragma once

#include <cmath>
#include <optional>

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
    default: return binary(std::pow);
  }
}

/// How sines are computed: by code on the spot, right for |x| ≤ largest_sine_argument only, or by calls.
enum class Sines { on_the_spot, called };

/// Turns the instructions of a program into IR at the builder's place.
class IrProgram {
 public:
  using Value = LLVMValueRef;

  IrProgram(const IrArithmetic& arithmetic, const Program& program, Sines sines)
      : a_(arithmetic), program_(program), sines_(sines) {}

  /// Generates the program: `load(i)` brings its input i when it is first needed, `store(k, value)` takes its output k
  /// as soon as it is known. What is live at the same time should fit the registers.
  template <class Load, class Store>
  void generate(Load load, Store store) {
    values_.assign(program_.value_count(), nullptr);
    outputs_of_.assign(program_.value_count(), {});
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) outputs_of_[program_.outputs[k]].push_back(k);
    const auto known = [&](std::uint32_t value) {
      if (values_[value] == nullptr) values_[value] = leaf(value, load);
    };
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      const Instruction& instruction = program_.code[i];
      known(instruction.a);
      if (arity_of(instruction.code) > 1) known(instruction.b);
      if (arity_of(instruction.code) > 2) known(instruction.c);
      const std::size_t value = program_.first_instruction() + i;
      values_[value] = result(instruction);
      for (const std::size_t k : outputs_of_[value]) store(k, values_[value]);
    }
    for (std::uint32_t value = 0; value < program_.first_instruction(); ++value) {
      if (!outputs_of_[value].empty()) known(value);
      for (const std::size_t k : outputs_of_[value]) store(k, values_[value]);
    }
  }

  /// The largest |x| of the sines computed on the spot; nothing if there are none.
  std::optional<Value> largest_argument() const { return largest_argument_; }

 private:
  template <class Load>
  Value leaf(std::uint32_t value, Load load) {
    const std::size_t constants = program_.constants.size();
    return value < constants ? a_.number(program_.constants[value]) : load(value - constants);
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
      case Code::cosine: return sines_ == Sines::called ? a_.call_in_lanes(library_address(i.code), {a}) : cosine_;
      default:
        return a_.call_in_lanes(library_address(i.code), arity_of(i.code) == 1 ? std::vector{a} : std::vector{a, b});
    }
  }

  Value sine(Value x) {
    if (sines_ == Sines::called) return a_.call_in_lanes(library_address(Code::sine), {x});
    const Value size = a_.abs(x);
    // In this order one that is not a number is passed over: the code on the spot is right for it.
    const Value so_far = largest_argument_ ? *largest_argument_ : a_.number(0.0);
    largest_argument_ = a_.select(a_.compare(LLVMRealOGT, size, so_far), size, so_far);
    const SineCosine<Value> both = sine_cosine(a_, x);
    cosine_ = both.cosine;  // the next instruction's
    return both.sine;
  }

  const IrArithmetic& a_;
  const Program& program_;
  Sines sines_;
  std::vector<Value> values_;
  std::vector<std::vector<std::size_t>> outputs_of_;  // by value
  std::optional<Value> largest_argument_;
  Value cosine_ = nullptr;
};

}  // namespace saltus
