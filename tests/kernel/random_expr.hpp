#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "saltus/expr/expr.hpp"
#include "saltus/kernel/program.hpp"

namespace saltus::test {

/// Random expressions over all operations, from a seed: a node is built of two or three others such that all stay within about
/// [−1, 1] when the inputs do, so that rounding errors stay small and nothing leaves the domain of its function.
class RandomExprs {
 public:
  RandomExprs(Graph& graph, std::uint64_t seed) : g_(graph), random_(seed) {
    for (const char* name : {"t", "x0", "x1", "x2", "p0", "p1", "m0", "X0", "X1"}) pool_.push_back(g_.symbol(name));
  }

  std::vector<Expr> take(std::size_t count, std::size_t nodes) {
    for (std::size_t i = 0; i < nodes; ++i) pool_.push_back(node());
    return {pool_.end() - static_cast<std::ptrdiff_t>(count), pool_.end()};
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Expr any() { return pool_[below(pool_.size())]; }

  Expr condition(int depth) {
    switch (below(depth > 0 ? 5 : 2)) {
      case 0: return apply(Op::positive, any() - any());
      case 1: return apply(Op::nonnegative, any());
      case 2: return apply(Op::both, condition(depth - 1), condition(depth - 1));
      case 3: return apply(Op::either, condition(depth - 1), condition(depth - 1));
      default: return apply(Op::negation, condition(depth - 1));
    }
  }

  Expr node() { return below(2) == 0 ? algebraic() : transcendental(); }

  Expr algebraic() {
    const Expr a = any();
    const Expr b = any();
    const Expr c = any();
    switch (below(14)) {
      case 0: return 0.3 * (a + b - c);
      case 1: return a * b;
      case 2: return 0.5 * (a * b - c * any() * b);
      case 3: return 0.25 * (1.5 * a * b * c - 0.5 * c + 0.125);
      case 4: return pow(a, static_cast<int>(2 + below(6)));
      case 5: return b / pow(2.0 + a, static_cast<int>(1 + below(4)));
      case 6: return a * b / ((2.0 + c) * pow(2.0 + a, 2));
      case 7: return 0.2 * pow(2.0 + a, g_.constant(1.5));
      case 8: return 0.5 * sqrt(2.0 + a);
      case 9: return apply(Op::abs, a);
      case 10: return apply(Op::sign, a - b);
      case 11: return apply(Op::min, a, b);
      case 12: return apply(Op::max, a, b);
      default: return select(condition(2), a, -b);
    }
  }

  Expr transcendental() {
    const Expr a = any();
    const Expr b = any();
    switch (below(12)) {
      case 0: return sin(3.0 * a - b);
      case 1: return cos(3.0 * a - b);
      case 2: return 0.3 * apply(Op::exp, a);
      case 3: return apply(Op::log, 2.0 + a);
      case 4: return 0.5 * apply(Op::tan, a);
      case 5: return 0.5 * apply(Op::asin, 0.9 * a);
      case 6: return 0.25 * apply(Op::acos, 0.9 * a);
      case 7: return apply(Op::atan, a);
      case 8: return apply(Op::atan2, a, 2.0 + b);
      case 9: return 0.5 * apply(Op::sinh, a);
      case 10: return 0.5 * apply(Op::cosh, a) * apply(Op::tanh, b);
      default: return 0.1 * pow(2.0 + a, b);
    }
  }

  Graph& g_;
  std::mt19937_64 random_;
  std::vector<Expr> pool_;
};

/// Where the symbols of RandomExprs stand.
inline std::optional<InputRef> random_input(const std::string& name) {
  const auto index = static_cast<std::uint32_t>(name.size() > 1 ? name[1] - '0' : 0);
  switch (name[0]) {
    case 't': return InputRef{Slot::time, 0};
    case 'x': return InputRef{Slot::state, index};
    case 'p': return InputRef{Slot::parameter, index};
    case 'm': return InputRef{Slot::mode, index};
    case 'X': return InputRef{Slot::tangent, index};
    default: return std::nullopt;
  }
}

/// The arrays for the symbols of RandomExprs, `width` lanes each.
template <class Real>
struct RandomInputs {
  std::vector<Real> t, x, p, mode, X;
  explicit RandomInputs(std::size_t width) : t(width), x(3 * width), p(2 * width), mode(width), X(2 * width) {}

  template <class Draw>
  void fill(Draw draw) {
    for (auto* array : {&t, &x, &p, &mode, &X})
      for (Real& value : *array) value = draw();
  }
  Real at(const std::string& name) const {
    const InputRef from = *random_input(name);
    const std::array<const std::vector<Real>*, slot_count> arrays = {&t, &x, &p, &mode, &X};
    return (*arrays[static_cast<std::size_t>(from.slot)])[from.index];
  }
};

/// A number in [−1, 1).
inline double tame(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; }

/// Sizes from denormal to infinite, zeros of both signs, and what is not a number.
inline double wild(std::mt19937_64& random) {
  constexpr std::array<double, 12> special = {0.0,
                                              -0.0,
                                              1e-310,
                                              -1e-310,
                                              1e300,
                                              -1e300,
                                              1e9,
                                              1e12,
                                              -1e15,
                                              std::numeric_limits<double>::infinity(),
                                              -std::numeric_limits<double>::infinity(),
                                              std::numeric_limits<double>::quiet_NaN()};
  return random() % 4 == 0 ? special[random() % special.size()] : 100.0 * tame(random);
}

}  // namespace saltus::test
