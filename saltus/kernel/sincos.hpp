#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace saltus {

template <class Value>
struct SineCosine {
  Value sine;
  Value cosine;
};

/// Beyond this size the reduction of `sine_cosine` runs out of digits and the C library takes over.
inline constexpr double largest_sine_argument = 1e9;

/// sin x and cos x for |x| ≤ largest_sine_argument, to less than 0.8 ulp.
///
/// Written once for every back end: A brings the numbers (a double, or a vector register of code being generated) and
/// their operations, each rounded once:
///   number(c), add, sub, mul, fma(a, b, c) = a b + c, fnma(a, b, c) = c − a b,
///   bits(a), next(bits), odd(bits) → condition, select(condition, a, b), with_sign_of_bit_1(a, bits).
///
/// Reduction (Cody & Waite): x = n π/2 + r + δ with π/2 = P₁ + P₂ + P₃. For |n| < 2³⁰ the difference x − n P₁ is exact; so
/// is w − (r₁ − r), since r₁ is a multiple of ulp(w). Polynomials: the minimax ones of fdlibm (Sun 1993) on |r| ≤ π/4.
template <class A, class Value = typename A::Value>
SineCosine<Value> sine_cosine(const A& a, Value x) {
  const Value shift = a.number(0x1.8p52);  // adding it rounds to a whole number, which then stands in the lowest bits
  const Value shifted = a.fma(x, a.number(0x1.45f306dc9c883p-1), shift);
  const Value n = a.sub(shifted, shift);
  const Value P2 = a.number(0x1.1a62633145c07p-54);
  const Value r1 = a.fnma(n, a.number(0x1.921fb54442d18p+0), x);
  const Value w = a.mul(n, P2);
  const Value r = a.sub(r1, w);
  const Value delta = a.fnma(n, a.number(-0x1.f1976b7ed8fbcp-110), a.fnma(n, P2, a.sub(r1, r)));

  const Value z = a.mul(r, r);
  const Value zz = a.mul(z, z);
  const auto polynomial = [&](double c0, double c1, double c2, double c3, double c4, double c5) {
    const Value low = a.fma(z, a.number(c1), a.number(c0));
    const Value middle = a.fma(z, a.number(c3), a.number(c2));
    const Value high = a.fma(z, a.number(c5), a.number(c4));
    return a.fma(zz, a.fma(zz, high, middle), low);
  };
  const Value S = polynomial(-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
                             2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10);
  const Value C = polynomial(4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                             -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11);

  // 1 − r²/2 = c + e without error; sin(r + δ) = r + r³ S + c δ,  cos(r + δ) = c + (e + r⁴ C − r δ).
  const Value half_r = a.mul(a.number(0.5), r);
  const Value c = a.fnma(half_r, r, a.number(1.0));
  const Value e = a.fnma(half_r, r, a.sub(a.number(1.0), c));
  const Value sine_r = a.add(r, a.fma(a.mul(r, z), S, a.mul(c, delta)));
  const Value cosine_r = a.add(c, a.fma(zz, C, a.fnma(r, delta, e)));

  // sin(r + n π/2) is sin r, cos r, −sin r, −cos r for n = 0, 1, 2, 3 (mod 4), and cos is the sine of n + 1.
  const auto quarter = a.bits(shifted);
  const auto swapped = a.odd(quarter);
  return {a.with_sign_of_bit_1(a.select(swapped, cosine_r, sine_r), quarter),
          a.with_sign_of_bit_1(a.select(swapped, sine_r, cosine_r), a.next(quarter))};
}

/// The operations on plain numbers.
struct PlainArithmetic {
  using Value = double;
  static double number(double c) { return c; }
  static double add(double a, double b) { return a + b; }
  static double sub(double a, double b) { return a - b; }
  static double mul(double a, double b) { return a * b; }
  static double fma(double a, double b, double c) { return std::fma(a, b, c); }
  static double fnma(double a, double b, double c) { return std::fma(-a, b, c); }
  static std::uint64_t bits(double a) { return std::bit_cast<std::uint64_t>(a); }
  static std::uint64_t next(std::uint64_t bits) { return bits + 1; }
  static bool odd(std::uint64_t bits) { return bits % 2 == 1; }
  static double select(bool condition, double a, double b) { return condition ? a : b; }
  static double with_sign_of_bit_1(double a, std::uint64_t bits) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) ^ ((bits << 62) & (1ULL << 63)));
  }
};

/// sin x and cos x of any x; not a number if x is infinite or not a number.
inline SineCosine<double> sine_cosine(double x) {
  if (std::abs(x) > largest_sine_argument) return {std::sin(x), std::cos(x)};
  return sine_cosine(PlainArithmetic{}, x);
}

}  // namespace saltus
