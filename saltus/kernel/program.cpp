#include "saltus/kernel/program.hpp"

#include <array>
#include <bit>
#include <iterator>

#include <fmt/format.h>

namespace saltus {
namespace {

struct CodeTraits {
  std::string_view name;
  int arity;
  bool condition;
};

constexpr std::array<CodeTraits, static_cast<std::size_t>(Code::floor) + 1> traits = {{
    {"add", 2, false},        {"sub", 2, false},  {"mul", 2, false},  {"div", 2, false},  {"neg", 1, false},
    {"fma", 3, false},        {"fnma", 3, false}, {"sqrt", 1, false}, {"abs", 1, false},  {"min", 2, false},
    {"max", 2, false},        {"sin", 1, false},  {"cos", 1, false},  {"exp", 1, false},  {"log", 1, false},
    {"tan", 1, false},        {"asin", 1, false}, {"acos", 1, false}, {"atan", 1, false}, {"atan2", 2, false},
    {"sinh", 1, false},       {"cosh", 1, false}, {"tanh", 1, false}, {"pow", 2, false},  {"positive", 1, true},
    {"nonnegative", 1, true}, {"and", 2, true},   {"or", 2, true},    {"not", 1, true},   {"select", 3, false},
    {"floor", 1, false},
}};

const CodeTraits& traits_of(Code code) { return traits.at(static_cast<std::size_t>(code)); }

constexpr std::array<std::string_view, slot_count> slot_names = {"t", "x", "p", "mode", "X"};

/// A constant is written as itself, an input as p[3], a result by its number.
std::string operand(const Program& program, std::uint32_t value) {
  if (value < program.constants.size()) return fmt::format("{}", program.constants[value]);
  value -= static_cast<std::uint32_t>(program.constants.size());
  if (value >= program.inputs.size()) return fmt::format("%{}", value - program.inputs.size());
  const InputRef& input = program.inputs[value];
  return fmt::format("{}[{}]", slot_names[static_cast<std::size_t>(input.slot)], input.index);
}

std::string text_of(const Program& program, std::string_view first_sum, std::size_t stored) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& i = program.code[k];
    const int arity = arity_of(i.code);
    fmt::format_to(out, "%{} = {} {}", k, name_of(i.code), operand(program, i.a));
    if (arity > 1) fmt::format_to(out, " {}", operand(program, i.b));
    if (arity > 2) fmt::format_to(out, " {}", operand(program, i.c));
    text += '\n';
  }
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const std::string value = operand(program, program.outputs[k]);
    if (k < stored) fmt::format_to(out, "out[{}] = {}\n", k, value);
    if (k >= stored) fmt::format_to(out, "{}[{}] += {}\n", first_sum, k - stored, value);
  }
  return text;
}

}  // namespace

std::string_view name_of(Code code) { return traits_of(code).name; }
int arity_of(Code code) { return traits_of(code).arity; }
bool gives_condition(Code code) { return traits_of(code).condition; }

std::string listing(const Program& program) { return text_of(program, "", program.outputs.size()); }
std::string listing(const LoopProgram& loop) { return text_of(loop.body, "sum", loop.stored); }

std::uint64_t hash_of(const Program& program) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto take = [&hash](std::uint64_t part) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
  };
  for (const double constant : program.constants) take(std::bit_cast<std::uint64_t>(constant));
  for (const InputRef& input : program.inputs) take((static_cast<std::uint64_t>(input.slot) << 32) | input.index);
  for (const Instruction& i : program.code) {
    take(static_cast<std::uint64_t>(i.code));
    take((static_cast<std::uint64_t>(i.a) << 32) | i.b);
    take(i.c);
  }
  for (const std::uint32_t output : program.outputs) take(output);
  take(program.constants.size());
  take(program.inputs.size());
  return hash;
}

}  // namespace saltus
