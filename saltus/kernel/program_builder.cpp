#include "saltus/kernel/program_builder.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace saltus {
namespace {

// Until the program is finished nobody knows how many constants and inputs there will be, so each kind counts from a
// base of its own.
constexpr std::uint32_t first_input = 1U << 30;
constexpr std::uint32_t first_result = 1U << 31;

}  // namespace

std::size_t ProgramBuilder::Hash::operator()(const Instruction& i) const {
  std::uint64_t h = static_cast<std::uint64_t>(i.code);
  for (const std::uint32_t part : {i.a, i.b, i.c}) h = (h ^ part) * 0x9E3779B97F4A7C15U + (h >> 29);
  return static_cast<std::size_t>(h ^ (h >> 32));
}

std::uint32_t ProgramBuilder::constant_value(double number) {
  const auto next = static_cast<std::uint32_t>(program_.constants.size());
  const auto [place, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(number), next);
  if (is_new) program_.constants.push_back(number);
  return place->second;
}

Signed ProgramBuilder::constant(double number) { return {constant_value(std::abs(number)), std::signbit(number)}; }

Signed ProgramBuilder::input(InputRef from) {
  const auto next = static_cast<std::uint32_t>(first_input + program_.inputs.size());
  const std::uint64_t key = (static_cast<std::uint64_t>(from.slot) << 32) | from.index;
  const auto [place, is_new] = inputs_.try_emplace(key, next);
  if (is_new) program_.inputs.push_back(from);
  return {place->second, false};
}

Signed ProgramBuilder::emit(const Instruction& instruction) {
  const auto next = static_cast<std::uint32_t>(first_result + program_.code.size());
  const auto [place, is_new] = known_.try_emplace(instruction, next);
  if (is_new) program_.code.push_back(instruction);
  return {place->second, false};
}

/// The value of s, its sign included.
std::uint32_t ProgramBuilder::plain(Signed s) {
  if (!s.negative) return s.value;
  if (s.value < first_input) return constant_value(-program_.constants[s.value]);
  return emit({Code::neg, s.value}).value;
}

Signed ProgramBuilder::add(Signed a, Signed b) {
  Instruction i{Code::add, a.value, b.value};
  if (a.negative != b.negative) {
    i.code = Code::sub;
  } else if (i.b < i.a) {
    std::swap(i.a, i.b);
  }
  return {emit(i).value, a.negative};
}

Signed ProgramBuilder::mul(Signed a, Signed b) {
  if (b.value < a.value) std::swap(a, b);
  return {emit({Code::mul, a.value, b.value}).value, a.negative != b.negative};
}

Signed ProgramBuilder::div(Signed a, Signed b) {
  return {emit({Code::div, a.value, b.value}).value, a.negative != b.negative};
}

Signed ProgramBuilder::fma(Signed a, Signed b, Signed c) {
  if (b.value < a.value) std::swap(a, b);
  const bool same_sign = (a.negative != b.negative) == c.negative;
  return {emit({same_sign ? Code::fma : Code::fnma, a.value, b.value, c.value}).value, c.negative};
}

Signed ProgramBuilder::power(Signed base, int k) {
  assert(k >= 1);
  Signed result = base;
  for (int bit = std::bit_width(static_cast<unsigned>(k)) - 2; bit >= 0; --bit) {
    result = mul(result, result);
    if ((k >> bit) % 2 == 1) result = mul(result, base);
  }
  return result;
}

Signed ProgramBuilder::sine(Signed a) {
  const Signed sine = emit({Code::sine, a.value});
  emit({Code::cosine, a.value});
  return {sine.value, a.negative};
}

Signed ProgramBuilder::cosine(Signed a) {
  sine(a);
  return emit({Code::cosine, a.value});
}

Signed ProgramBuilder::abs(Signed a) { return emit({Code::abs, a.value}); }

/// 1, −1, or a itself where it is zero or not a number.
Signed ProgramBuilder::sign(Signed a) {
  const Signed one = constant(1.0);
  const Signed above = emit({Code::positive, plain(a)});
  const Signed below = emit({Code::positive, plain(-a)});
  return select(above, one, select(below, -one, a));
}

Signed ProgramBuilder::select(Signed condition, Signed if_true, Signed if_false) {
  const bool negative = if_true.negative && if_false.negative;
  const std::uint32_t b = negative ? if_true.value : plain(if_true);
  const std::uint32_t c = negative ? if_false.value : plain(if_false);
  return {emit({Code::select, condition.value, b, c}).value, negative};
}

Signed ProgramBuilder::apply(Code code, std::span<const Signed> args) {
  Instruction i{code, plain(args[0])};
  if (args.size() > 1) i.b = plain(args[1]);
  if (args.size() > 2) i.c = plain(args[2]);
  return emit(i);
}

std::uint32_t ProgramBuilder::final_number(std::uint32_t value) const {
  const auto constants = static_cast<std::uint32_t>(program_.constants.size());
  if (value < first_input) return value;
  if (value < first_result) return constants + (value - first_input);
  return constants + static_cast<std::uint32_t>(program_.inputs.size()) + (value - first_result);
}

Program ProgramBuilder::finish(std::span<const Signed> outputs) {
  std::vector<std::uint32_t> stored;
  for (const Signed& output : outputs) stored.push_back(plain(output));
  Program program = program_;
  for (Instruction& i : program.code) {
    const int arity = arity_of(i.code);
    i.a = final_number(i.a);
    i.b = arity > 1 ? final_number(i.b) : 0;
    i.c = arity > 2 ? final_number(i.c) : 0;
  }
  for (const std::uint32_t value : stored) program.outputs.push_back(final_number(value));
  return program;
}

}  // namespace saltus
