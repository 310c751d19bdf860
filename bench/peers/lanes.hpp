// Numbers in lanes: the few operations that the hand-written programs need on double, long double and vectors of W
// doubles. A lane never looks at its neighbours.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace peers {

/// Doubles in the widest register that the compiler targets.
#ifdef __AVX512F__
inline constexpr int native_width = 8;
#else
inline constexpr int native_width = 4;
#endif

/// Two registers that act as one. GCC sends a vector wider than the registers through memory; a pair stays in them, and
/// the two independent halves hide each other's latency.
template <class V>
struct Pair {
  V lo, hi;
  using Element = std::remove_cvref_t<decltype(V{}[0])>;
  static constexpr int half = sizeof(V) / sizeof(Element);

  Element operator[](int i) const { return i < half ? lo[i] : hi[i - half]; }
  void set(int i, Element value) { i < half ? lo[i] = value : hi[i - half] = value; }
};

template <class V>
inline constexpr bool is_pair = false;
template <class V>
inline constexpr bool is_pair<Pair<V>> = true;

template <class A>
concept AnyPair = is_pair<A>;

template <class A>
[[gnu::always_inline]] inline const auto& low(const A& a) {
  if constexpr (is_pair<A>) {
    return a.lo;
  } else {
    return a;
  }
}

template <class A>
[[gnu::always_inline]] inline const auto& high(const A& a) {
  if constexpr (is_pair<A>) {
    return a.hi;
  } else {
    return a;
  }
}

template <class F, class... A>
[[gnu::always_inline]] inline auto halfwise(const F& f, const A&... a) {
  return Pair<decltype(f(low(a)...))>{f(low(a)...), f(high(a)...)};
}

template <class A, class B>
concept PairAmong = AnyPair<A> || AnyPair<B>;

template <class A, class B>
  requires PairAmong<A, B>
[[gnu::always_inline]] inline auto operator+(const A& a, const B& b) {
  return halfwise([](const auto& x, const auto& y) { return x + y; }, a, b);
}
template <class A, class B>
  requires PairAmong<A, B>
[[gnu::always_inline]] inline auto operator-(const A& a, const B& b) {
  return halfwise([](const auto& x, const auto& y) { return x - y; }, a, b);
}
template <class A, class B>
  requires PairAmong<A, B>
[[gnu::always_inline]] inline auto operator*(const A& a, const B& b) {
  return halfwise([](const auto& x, const auto& y) { return x * y; }, a, b);
}
template <class A, class B>
  requires PairAmong<A, B>
[[gnu::always_inline]] inline auto operator/(const A& a, const B& b) {
  return halfwise([](const auto& x, const auto& y) { return x / y; }, a, b);
}
template <AnyPair A>
[[gnu::always_inline]] inline A operator-(const A& a) {
  return {-a.lo, -a.hi};
}
template <AnyPair A>
[[gnu::always_inline]] inline auto operator<(const A& a, const A& b) {
  return halfwise([](const auto& x, const auto& y) { return x < y; }, a, b);
}
template <AnyPair A>
[[gnu::always_inline]] inline auto operator>(const A& a, const A& b) {
  return b < a;
}
template <AnyPair A>
[[gnu::always_inline]] inline auto operator<=(const A& a, const A& b) {
  return halfwise([](const auto& x, const auto& y) { return x <= y; }, a, b);
}
template <AnyPair A>
[[gnu::always_inline]] inline auto operator>=(const A& a, const A& b) {
  return b <= a;
}
template <AnyPair A>
[[gnu::always_inline]] inline auto operator==(const A& a, const A& b) {
  return halfwise([](const auto& x, const auto& y) { return x == y; }, a, b);
}
template <AnyPair A>
[[gnu::always_inline]] inline A operator&(const A& a, const A& b) {
  return {a.lo & b.lo, a.hi & b.hi};
}
template <AnyPair A>
[[gnu::always_inline]] inline A operator|(const A& a, const A& b) {
  return {a.lo | b.lo, a.hi | b.hi};
}

template <int W>
struct VectorOf {
  typedef double type __attribute__((vector_size(8 * W)));
  typedef std::int64_t bits __attribute__((vector_size(8 * W)));
};

template <int W>
struct LanesOf {
  using type = Pair<typename LanesOf<W / 2>::type>;
};
template <int W>
  requires(W <= native_width)
struct LanesOf<W> {
  using type = typename VectorOf<W>::type;
};

/// W doubles, one per lane.
template <int W>
using Lanes = typename LanesOf<W>::type;

template <class S>
inline constexpr int width = std::is_arithmetic_v<S> ? 1 : static_cast<int>(sizeof(S) / sizeof(double));

/// One number of type S: double for lanes of doubles, S itself otherwise.
template <class S>
using Scalar = std::conditional_t<std::is_arithmetic_v<S>, S, double>;

/// What a comparison of two S gives: bool, or all ones in the lanes where it holds.
template <class S>
using Mask = decltype(S{} < S{});

template <class M, class S>
[[gnu::always_inline]] inline S select(const M& mask, const S& yes, const S& no) {
  if constexpr (is_pair<M>) {
    return {select(mask.lo, yes.lo, no.lo), select(mask.hi, yes.hi, no.hi)};
  } else {
    return mask ? yes : no;
  }
}

template <class M>
[[gnu::always_inline]] inline bool any(const M& mask) {
  if constexpr (std::is_same_v<M, bool>) {
    return mask;
  } else if constexpr (is_pair<M>) {
    return any(mask.lo | mask.hi);
  } else {
    std::int64_t bits = 0;
    for (int i = 0; i < static_cast<int>(sizeof(M) / sizeof(bits)); ++i) bits |= mask[i];
    return bits != 0;
  }
}

/// Reads lane i of a number or of a mask.
template <class S>
[[gnu::always_inline]] inline auto lane(const S& x, int i) {
  if constexpr (std::is_arithmetic_v<S>) {
    return x;
  } else {
    return x[i];
  }
}

template <class S, class V>
[[gnu::always_inline]] inline void set_lane(S& x, int i, V value) {
  if constexpr (std::is_arithmetic_v<S>) {
    x = value;
  } else if constexpr (is_pair<S>) {
    x.set(i, value);
  } else {
    x[i] = value;
  }
}

/// The mask of one lane set to yes or no.
template <class M>
inline void mark_lane(M& mask, int i, bool yes) {
  if constexpr (std::is_same_v<M, bool>) {
    mask = yes;
  } else {
    set_lane(mask, i, std::int64_t{yes ? -1 : 0});
  }
}

template <class S>
[[gnu::always_inline]] inline S broadcast(Scalar<S> value) {
  return S{} + value;
}

template <class S>
[[gnu::always_inline]] inline S abs(const S& x) {
  return select(x < S{}, S(-x), x);
}

template <class S>
[[gnu::always_inline]] inline S max(const S& a, const S& b) {
  return select(a > b, a, b);
}

template <class S>
[[gnu::always_inline]] inline S min(const S& a, const S& b) {
  return select(a < b, a, b);
}

template <class S>
[[gnu::always_inline]] inline S sqrt(const S& x) {
  if constexpr (std::is_arithmetic_v<S>) {
    return std::sqrt(x);
  } else if constexpr (is_pair<S>) {
    return {sqrt(x.lo), sqrt(x.hi)};
  } else {
    S root{};
    for (int i = 0; i < width<S>; ++i) root[i] = std::sqrt(x[i]);
    return root;
  }
}

/// std::bit_cast for numbers and vectors. (GCC 12 moves a vector through memory in std::bit_cast.)
template <class To, class From>
[[gnu::always_inline]] inline To same_bits(const From& x) {
  if constexpr (std::is_arithmetic_v<From>) {
    return std::bit_cast<To>(x);
  } else {
    return reinterpret_cast<To>(x);
  }
}

/// x^(−1/16) to about 2 %, from the exponent bits: enough for a step size controller.
template <class S>
[[gnu::always_inline]] inline S rough_inverse_sixteenth_root(const S& x) {
  constexpr std::int64_t one = 0x3FF0000000000000;
  if constexpr (std::is_same_v<S, long double>) {
    return std::pow(x, -0.0625L);
  } else if constexpr (is_pair<S>) {
    return {rough_inverse_sixteenth_root(x.lo), rough_inverse_sixteenth_root(x.hi)};
  } else {
    using Bits = std::conditional_t<width<S> == 1, std::int64_t, typename VectorOf<width<S>>::bits>;
    return same_bits<S>(one + one / 16 - (same_bits<Bits>(x) >> 4));
  }
}

template <class S>
struct SinCos {
  S sin, cos;
};

/// sin x and cos x for |x| < 1e5, error below 1 ulp: reduction by multiples of π/2 in two parts and a tail (Cody &
/// Waite; with fma every product is exact), then the polynomials of fdlibm on |r| ≤ π/4. Must be compiled with contraction to fma.
template <class S>
[[gnu::always_inline]] inline SinCos<S> sincos_by_polynomial(const S& x) {
  using Bits = std::conditional_t<width<S> == 1, std::int64_t, typename VectorOf<width<S>>::bits>;
  constexpr double round = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  const S shifted = x * 0x1.45f306dc9c883p-1 + round;
  const S quarter = shifted - round;
  const S head = x - quarter * 0x1.921fb54442d18p+0;
  const S r = head - quarter * 0x1.1a62633145c07p-54;
  const S tail = (head - r) - quarter * 0x1.1a62633145c07p-54;
  const S z = r * r;
  const S p =
      -1.66666666666666324348e-01 +
      z * (8.33333333332248946124e-03 +
           z * (-1.98412698298579493134e-04 +
                z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  const S c =
      4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))));
  const S sin_r = r + (r * (z * p) + tail);
  const S half = 1.0 - 0.5 * z;
  const S cos_r = half + (((1.0 - half) - 0.5 * z) + (z * (z * c) - r * tail));
  const Bits n = same_bits<Bits>(shifted);
  const auto odd = (n & 1) != 0;
  const Bits sin_sign = (n & 2) << 62;
  const Bits cos_sign = ((n + 1) & 2) << 62;
  const S sin_x = select(odd, cos_r, sin_r);
  const S cos_x = select(odd, sin_r, cos_r);
  return {same_bits<S>(same_bits<Bits>(sin_x) ^ sin_sign), same_bits<S>(same_bits<Bits>(cos_x) ^ cos_sign)};
}

template <class S>
[[gnu::always_inline]] inline SinCos<S> sincos(const S& x) {
  if constexpr (std::is_same_v<S, long double>) {
    return {std::sin(x), std::cos(x)};
  } else if constexpr (is_pair<S>) {
    const auto a = sincos(x.lo), b = sincos(x.hi);
    return {{a.sin, b.sin}, {a.cos, b.cos}};
  } else {
    return sincos_by_polynomial(x);
  }
}

}  // namespace peers
