#include "saltus/kernel/narrow_features.hpp"

#include <algorithm>

namespace saltus {
namespace {

/// Degree of each value as a polynomial of inputs and of their sines and cosines; more than `too_many`: it is none, or a high one.
class Degrees {
 public:
  static constexpr int too_many = 9;

  explicit Degrees(const Program& program) {
    of_.assign(program.constants.size(), 0);
    for (const InputRef& from : program.inputs)
      of_.push_back(from.slot == Slot::parameter || from.slot == Slot::mode ? 0 : 1);
    for (const Instruction& i : program.code) of_.push_back(std::min(degree(program, i), too_many));
  }
  int operator[](std::size_t value) const { return of_[value]; }

 private:
  /// Of a power with such an exponent what holds of a root.
  static bool is_low_power(const Program& program, std::uint32_t exponent) {
    if (exponent >= program.constants.size()) return false;
    return program.constants[exponent] > 0.0 && program.constants[exponent] <= 4.0;
  }

  int degree(const Program& program, const Instruction& i) const {
    constexpr int of_a_root = 3;
    const int arity = arity_of(i.code);
    const int a = of_[i.a];
    const int b = arity > 1 ? of_[i.b] : 0;
    const int c = arity > 2 ? of_[i.c] : 0;
    if (a == 0 && b == 0 && c == 0) return 0;
    switch (i.code) {
      case Code::add:
      case Code::sub: return std::max(a, b);
      case Code::neg: return a;
      case Code::mul: return a + b;
      case Code::fma:
      case Code::fnma: return std::max(a + b, c);
      case Code::div: return b == 0 ? a : too_many;
      case Code::abs:
      case Code::sine:
      case Code::cosine: return a;
      // Where √u does not change at the stages u does not, nor between them.
      case Code::sqrt: return a + of_a_root;
      case Code::pow: return is_low_power(program, i.b) ? a + of_a_root : too_many;
      // What is left to choose within a mode is the sign of a root.
      case Code::select: return std::max(a, std::max(b, c));
      case Code::positive:
      case Code::nonnegative:
      case Code::negation: return a;
      case Code::both:
      case Code::either: return std::max(a, b);
      default: return too_many;
    }
  }
  std::vector<int> of_;
};

}  // namespace

std::vector<bool> may_have_narrow_features(const Program& program) {
  const Degrees degrees(program);
  std::vector<bool> all;
  for (const std::uint32_t output : program.outputs) all.push_back(degrees[output] >= Degrees::too_many);
  return all;
}

}  // namespace saltus
