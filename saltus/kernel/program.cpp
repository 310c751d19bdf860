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
};

constexpr std::array<CodeTraits, static_cast<std::size_t>(Code::floor) + 1> traits = {{
    {"add", 2},  {"sub", 2},    {"mul", 2},   {"div", 2},      {"neg", 1},         {"fma", 3},   {"fnma", 3},
    {"sqrt", 1}, {"abs", 1},    {"min", 2},   {"max", 2},      {"sin", 1},         {"cos", 1},   {"exp", 1},
    {"log", 1},  {"tan", 1},    {"asin", 1},  {"acos", 1},     {"atan", 1},        {"atan2", 2}, {"sinh", 1},
    {"cosh", 1}, {"tanh", 1},   {"pow", 2},   {"positive", 1}, {"nonnegative", 1}, {"and", 2},   {"or", 2},
    {"not", 1},  {"select", 3}, {"floor", 1},
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
