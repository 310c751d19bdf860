#include "saltus/expr/fold.hpp"

#include <cassert>
#include <cmath>

namespace saltus {

double folded_power(double base, double exponent) {
  if (exponent != std::floor(exponent) || std::abs(exponent) > 64.0) return std::pow(base, exponent);
  auto left = static_cast<int>(std::abs(exponent));
  double result = 1.0;
  for (double square = base; left > 0; left /= 2, square *= square)
    if (left % 2 == 1) result *= square;
  return exponent < 0.0 ? 1.0 / result : result;
}

double folded(Op op, double x, double y) {
  switch (op) {
    case Op::sqrt: return std::sqrt(x);
    case Op::exp: return std::exp(x);
    case Op::log: return std::log(x);
    case Op::sin: return std::sin(x);
    case Op::cos: return std::cos(x);
    case Op::tan: return std::tan(x);
    case Op::asin: return std::asin(x);
    case Op::acos: return std::acos(x);
    case Op::atan: return std::atan(x);
    case Op::atan2: return std::atan2(x, y);
    case Op::sinh: return std::sinh(x);
    case Op::cosh: return std::cosh(x);
    case Op::tanh: return std::tanh(x);
    case Op::abs: return std::abs(x);
    case Op::sign: return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
    case Op::min: return std::fmin(x, y);
    case Op::max: return std::fmax(x, y);
    case Op::hold: return x;
    case Op::floor: return std::floor(x);
    default: assert(false); return std::nan("");
  }
}

}  // namespace saltus
